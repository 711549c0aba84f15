import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder of this package: one step further from a compiled file than from its source. */
export const packageRoot: string = [join(__dirname, "..", ".."), join(__dirname, "..", "..", "..")].find((folder) =>
  existsSync(join(folder, "package.json")),
)!;

/** The text of a file that is packed beside the code. The plugin's bundle inlines the files that it needs. */
export const packedText = (name: "package.json" | "schema.json"): string =>
  readFileSync(join(packageRoot, name), "utf8");

/** Name and version of this package. */
export const manifest = (): { name: string; version: string } =>
  JSON.parse(packedText("package.json")) as { name: string; version: string };

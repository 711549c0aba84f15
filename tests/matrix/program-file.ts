import { readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "@swc/core";

/** Runs the program of a folder again, as a process of its own would, with `packages` of this process; its exports. */
export function runProgram(folder: string, packages: Readonly<Record<string, unknown>>): unknown {
  const filename = join(folder, "index.ts");
  const { code } = transformSync(readFileSync(filename, "utf8"), {
    filename,
    jsc: { target: "es2022", parser: { syntax: "typescript" } },
    module: { type: "commonjs" },
  });
  const module = { exports: {} };
  const load = (name: string): unknown => packages[name] ?? require(name.startsWith(".") ? join(folder, name) : name);
  new Function("require", "module", "exports", "__dirname", code)(load, module, module.exports, folder);
  return module.exports;
}

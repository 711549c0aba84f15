import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildSync } from "esbuild";
import { packageRoot } from "../../io/files/package";

/** The files of a job that publishes: the command in one file, where a checkout has it, and what installs `twine`. */
export function publisherFiles(root: string): Record<string, string> {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, "tools/publish/main.ts")],
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    legalComments: "none",
    // Settings of the checkout that would change a byte.
    tsconfigRaw: {},
    write: false,
    absWorkingDir: root,
    logLevel: "warning",
  });
  const requirements = "tools/publish/twine.txt";
  return {
    "dist/tools/release.js": outputFiles[0]!.text,
    [requirements]: readFileSync(join(root, requirements), "utf8"),
  };
}

/** Their checksums, as `sha256sum --check` reads them: what the workflow, which is reviewed, says of them. */
export const publisherSums = (root: string): string[] =>
  Object.entries(publisherFiles(root)).map(
    ([path, text]) => `${createHash("sha256").update(text).digest("hex")}  ${path}`,
  );

function main(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries(publisherFiles(packageRoot))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  console.log(`Wrote ${folder}:\n${publisherSums(packageRoot).join("\n")}`);
}

if (require.main === module) main(join(packageRoot, ".release/publisher"));

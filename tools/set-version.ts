import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { manifest, packageRoot } from "../io/files/package";
import { messageOf } from "../provider/core/errors";
import { releaseUnreleased } from "./changelog";
import { runScript, type Script, UsageError } from "./script";

const script = {
  command: "npm run release:version",
  about: "Makes the sources those of a version: manifests, changelog, and what is generated from them.",
  takes: { form: "<version>", about: "such as 1.2.3", least: 1, most: 1 },
} satisfies Script;

function main([version = ""]: readonly string[], day: string): number {
  const path = join(packageRoot, "CHANGELOG.md");
  let changelog: string;
  try {
    changelog = releaseUnreleased(readFileSync(path, "utf8"), { version, day, current: manifest().version });
  } catch (cause) {
    throw new UsageError(`Nothing was changed: ${messageOf(cause)}.`);
  }
  const run = (command: string, ...args: string[]): Buffer =>
    execFileSync(command, args, { cwd: packageRoot, stdio: ["ignore", "ignore", "inherit"] });
  run("npm", "version", "--no-git-tag-version", "--allow-same-version", version);
  run(process.execPath, join(packageRoot, "dist/tools/generate.js"));
  // Last, so that a run that failed can be repeated.
  writeFileSync(path, changelog);
  console.log(`The sources are those of ${version}: \`git diff\` shows what has changed.`);
  return 0;
}

if (require.main === module)
  void runScript(script, ({ args }) => main(args, new Date().toISOString().slice(0, "2026-01-01".length)));

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../io/files/package";

/** The changelog with what is unreleased as the section of a version. */
export function changelogOf(text: string, version: string, day: string): string {
  const heading = "## [Unreleased]\n";
  if (text.includes(`## [${version}]`)) return text;
  if (!text.includes(heading)) throw new Error("CHANGELOG.md has no section of what is unreleased");
  return text.replace(heading, `${heading}\n## [${version}] - ${day}\n`);
}

/** Makes the sources those of a version: manifests, changelog, and what is generated from them. */
function main([version = ""]: readonly string[], day: string): number {
  if (!/^\d+\.\d+\.\d+$/.test(version)) {
    console.error("Give the version, such as `npm run release:version -- 1.2.3`.");
    return 2;
  }
  const run = (command: string, ...args: string[]): Buffer =>
    execFileSync(command, args, { cwd: packageRoot, stdio: ["ignore", "ignore", "inherit"] });
  run("npm", "version", "--no-git-tag-version", "--allow-same-version", version);
  const changelog = join(packageRoot, "CHANGELOG.md");
  writeFileSync(changelog, changelogOf(readFileSync(changelog, "utf8"), version, day));
  run(process.execPath, join(packageRoot, "dist/tools/generate.js"));
  console.log(`The sources are those of ${version}: \`git diff\` shows what has changed.`);
  return 0;
}

if (require.main === module)
  process.exitCode = main(process.argv.slice(2), new Date().toISOString().slice(0, "2026-01-01".length));

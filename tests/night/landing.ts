import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../rooms";
import { added, type Counts, countsIn, partOfCommit, type Results, sentenceOf } from "./counts";
import { readRecord } from "./record";

/** What `.ci/run` runs on an installed checkout: `npm test`, and then the commit's part of the night. */

const git = (...args: string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();

/** Each of as many landings as there are parts runs another one; where Git tells nothing, it is the first. */
function partOf(parts: number): number {
  try {
    const isShallow = git("rev-parse", "--is-shallow-repository") === "true";
    const commit = isShallow ? { id: git("rev-parse", "HEAD") } : { count: git("rev-list", "--count", "HEAD") };
    return partOfCommit(commit, parts);
  } catch (error) {
    console.error(`The first part of the night runs: ${(error as Error).message}`);
    return 1;
  }
}

/** Runs a script of the package, and counts its tests by what jest writes down. */
function stage(title: string, script: string, flags: readonly string[], folder: string): Counts {
  const results = join(folder, `${script.replace(":", "-")}.json`);
  console.log(`\n=== ${title} ===`);
  const args = ["run", "--silent", script, "--", ...flags, "--json", `--outputFile=${results}`];
  const { status } = spawnSync("npm", args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const written = existsSync(results) ? (JSON.parse(readFileSync(results, "utf8")) as Results) : undefined;
  const counts = countsIn(written, status === 0);
  console.log(`=== ${title}: ${sentenceOf(counts)} ===`);
  return counts;
}

function land(folder: string): Counts {
  const { parts } = readRecord();
  const part = partOf(parts);
  const day = stage("npm test", "test", [], folder);
  const night = `the night, part ${part}/${parts}`;
  if (day.failed === 0) return added(day, stage(night, "test:nightly", ["--part", `${part}/${parts}`, "--"], folder));
  console.log(`\n=== ${night}: not run, because \`npm test\` failed ===`);
  return day;
}

const folder = mkdtempSync(join(tmpdir(), "landing-"));
try {
  const counts = land(folder);
  console.log(`\n${sentenceOf(counts)}`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { root } from "../rooms";
import { added, type Counts, countsIn, nightParts, partOfCommit, type Results, sentenceOf, unjudged } from "./counts";

const { nightTitle } = require("./selection.cjs") as { nightTitle: string };
const { isOfLane, laneSuites } = require("./lane.cjs") as {
  isOfLane: (file: string) => boolean;
  laneSuites: readonly string[];
};

/**
 * What `.ci/run` runs on an installed checkout: `npm test`, and then parts of the night, beginning with that of the
 * commit, as long as there is time. Decision 190.
 */

/** A landing begins no part that may end later than so many minutes after its start. */
const minutes = 50;
/** The next part may take so much longer than the longest until now. */
const spread = 1.25;

/** Seconds since 1970 at which `.ci/run` has begun. */
const started = Number(process.argv[2] ?? Date.now() / 1000);
const secondsLeft = (): number => started + minutes * 60 - Date.now() / 1000;

const git = (...args: string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();

const isShallow = (): boolean => git("rev-parse", "--is-shallow-repository") === "true";

/** Each of as many landings as there are parts begins with another one; where Git tells nothing, with the first. */
function firstPart(): number {
  try {
    const commit = isShallow() ? { id: git("rev-parse", "HEAD") } : { count: git("rev-list", "--count", "HEAD") };
    return partOfCommit(commit, nightParts);
  } catch (error) {
    console.error(`The night begins with its first part: ${(error as Error).message}`);
    return 1;
  }
}

/**
 * The commit that landed before. CI says it; where it does not, everything of the day before HEAD counts as part of
 * this landing, so that the lane runs rather too often.
 */
function landedBefore(): string | undefined {
  const { LANDED_BEFORE } = process.env;
  if (LANDED_BEFORE) return LANDED_BEFORE;
  if (isShallow()) return undefined;
  const aDayBefore = Number(git("log", "-1", "--format=%ct", "HEAD")) - 24 * 3600;
  return git("rev-list", "-1", "--first-parent", `--before=${aDayBefore}`, "HEAD") || undefined;
}

/** What `npm test` leaves out: the suites of tools, releases and pipelines, where nothing of theirs has changed. */
function leftOut(): readonly string[] {
  try {
    const base = landedBefore();
    if (base === undefined) return [];
    const changed = git("diff", "--name-only", "--no-renames", base, "HEAD").split("\n");
    const reason = changed.find((file) => file !== "" && isOfLane(file));
    if (reason !== undefined) {
      console.log(`The suites of tools, releases and pipelines run: ${reason} has changed since ${base}.`);
      return [];
    }
    console.log(
      `The suites of tools, releases and pipelines are left to the night: nothing of theirs changed since ${base}.`,
    );
    const { testPathIgnorePatterns } = require("../jest.config.cjs") as { testPathIgnorePatterns: string[] };
    return [...testPathIgnorePatterns, ...laneSuites].map((pattern) => `--testPathIgnorePatterns=${pattern}`);
  } catch (error) {
    console.error(`All suites run: ${(error as Error).message}`);
    return [];
  }
}

/** Runs a script of the package, and counts its tests by what jest writes down. */
function stage(title: string, script: string, flags: readonly string[], folder: string): Counts {
  const file = join(folder, "results.json");
  rmSync(file, { force: true });
  console.log(`\n=== ${title} ===`);
  const args = ["run", "--silent", script, "--", ...flags, "--json", `--outputFile=${file}`];
  const { status } = spawnSync("npm", args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const results = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Results) : undefined;
  const counts = countsIn(results, status === 0);
  for (const { suite, reason } of unjudged(results, nightTitle))
    console.log(`judged nothing: ${relative(root, suite)}: ${reason}`);
  console.log(`=== ${title}: ${sentenceOf(counts)} ===`);
  return counts;
}

function playNight(day: Counts, folder: string): Counts {
  const first = firstPart();
  const order = Array.from({ length: nightParts }, (_, index) => ((first - 1 + index) % nightParts) + 1);
  const run: number[] = [];
  let [counts, longest] = [day, 0];
  for (const part of order) {
    if (run.length > 0 && secondsLeft() < longest * spread) break;
    const before = Date.now();
    const flags = ["--part", `${part}/${nightParts}`, "--"];
    counts = added(counts, stage(`the night, part ${part}/${nightParts}`, "test:nightly", flags, folder));
    longest = Math.max(longest, (Date.now() - before) / 1000);
    run.push(part);
  }
  const rest = order.slice(run.length);
  const ended = rest.length === 0 ? "all of it" : `not ${rest.join(", ")}: the time was over, which is no failure`;
  console.log(`\n=== of the night's ${nightParts} parts ran ${run.join(", ")}; ${ended} ===`);
  return counts;
}

const folder = mkdtempSync(join(tmpdir(), "landing-"));
try {
  const day = stage("npm test", "test", leftOut(), folder);
  if (day.failed > 0) console.log("\n=== the night: not run, because `npm test` failed ===");
  const counts = day.failed > 0 ? day : playNight(day, folder);
  console.log(`\n${sentenceOf(counts)}`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

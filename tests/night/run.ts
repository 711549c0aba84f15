import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { type Asked, runScript, type Script, UsageError } from "../../tools/script";
import { root } from "../rooms";
import { nodeOfNight } from "./node";
import { nightSuites } from "./suites";

/** Runs what `npm test` leaves out: all of it, or one of the parts that it is divided into. */

const script = {
  command: "npm run test:nightly",
  about: "Runs what `npm test` leaves out. What follows a second `--` is for jest.",
  flags: {
    part: { value: "<i>/<n>", about: "the i-th of n parts, which together run every test once" },
    fresh: { about: "draws other seeds, and prints them; NIGHT_SEED repeats them" },
  },
  takes: { form: "<pattern>…", about: "only suites whose path contains it", least: 0, most: Number.POSITIVE_INFINITY },
} satisfies Script;

function partIn(text: string): { part: number; of: number } {
  const [, part, of] = (/^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? []).map(Number);
  if (part === undefined || of === undefined || part > of)
    throw new UsageError(`\`--part ${text}\` names no part: \`--part 2/5\` is the second of five.`);
  return { part, of };
}

/** Added to every seed; undefined leaves the seeds of each landing. */
function seedIn(isFresh: boolean, given = process.env["NIGHT_SEED"]): string | undefined {
  if (given === undefined || given === "") return isFresh ? String(randomInt(1, 2 ** 31)) : undefined;
  if (!/^\d{1,10}$/.test(given)) throw new UsageError(`\`NIGHT_SEED=${given}\`: give a whole number, 0 or more.`);
  return given;
}

function play({ flags, args }: Asked<typeof script.flags>): number {
  const end = process.argv.indexOf("--");
  const forJest = end === -1 ? 0 : process.argv.length - end - 1;
  const patterns = args.slice(0, args.length - forJest);
  const { part, of } = partIn(flags.part ?? "1/1");
  const seed = seedIn(flags.fresh);
  const suites = nightSuites().filter(
    (suite) => patterns.length === 0 || patterns.some((pattern) => suite.includes(pattern)),
  );
  if (suites.length === 0) throw new UsageError(`No suite of the night has a path with ${patterns.join(" or ")}.`);
  const { node, env } = nodeOfNight();
  const seeds = seed === undefined ? "" : `, with NIGHT_SEED=${seed}, which draws the same again`;
  console.error(`Part ${part} of ${of} of the night${seeds}.`);
  const jest = ["node_modules/jest/bin/jest.js", "--config", "tests/jest.nightly.cjs", `--shard=${part}/${of}`];
  return (
    spawnSync(node, [...jest, ...args.slice(patterns.length), "--passWithNoTests", "--runTestsByPath", ...suites], {
      ...{ cwd: root, stdio: "inherit" },
      env: { ...process.env, ...env, ...(seed !== undefined && { NIGHT_SEED: seed }) },
    }).status ?? 1
  );
}

void runScript(script, play);

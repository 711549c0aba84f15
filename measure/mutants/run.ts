import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { rooms, root, sourcesOfRooms } from "../../tests/rooms";
import { type Asked, runScript, type Script, UsageError } from "../../tools/script";
import { type CompiledCopy, compiledCopy } from "./compiled";
import { type Point, pointsOf } from "./points";

/**
 * Draws mutants over all rooms and says which suite finds each: of the suites in this process that call the mutated
 * function, one after the other, the short ones first.
 */

interface Mutant extends Point {
  file: string;
  /** Its line, as it is and with the mutant, by which it is found again in a later revision. */
  was: string;
  becomes: string;
}

interface Called {
  suite: string;
  took: number;
  functions: Record<string, number[]>;
}

/** Suites that start processes run what is compiled, and see no mutant. */
const others = new RegExp(
  [
    "tests/(architecture|docs|e2e|executables|fidelity|interrupts|jest-env|model|package)",
    "tests/(pictures|pipelines|scripts|sdk|security|surface|types)",
    "browser|engine/(compiled-programs|unusable-compiler|lazy-sdk|one-process|programs)|cli/(start|whole-program)",
  ].join("|"),
);
const budget = 120_000;

const script = {
  command: "npm run mutants",
  about: "Draws mutants over all rooms, and says which suite finds each.",
  flags: {
    seed: { value: "<number>", about: "draws others; 1 without it" },
    count: { value: "<number>", about: "mutants that are drawn; 40 without it" },
    within: { value: "<folder>", about: "the folder of which alone mutants are drawn" },
    suites: { value: "<pattern>", about: "a pattern of the suites that are run" },
    each: { about: "runs all suites, also those after the first that finds a mutant" },
    map: { value: "<file>", about: "where the calls of each suite are kept; collected where the file is not there" },
    compiled: { about: "compiles each mutant into a copy of the repository, for suites that run what is compiled" },
    mutants: { value: "<file>", about: "where the drawn mutants are kept; those of a file are tried again" },
  },
} satisfies Script;

/** What is drawn, and what it is tried on. */
interface Draw {
  seed: number;
  count: number;
  within: string;
  suites: RegExp;
  each: boolean;
  compiled: boolean;
  map: string;
  kept: string | undefined;
  /** Mutants of an earlier run. */
  again: readonly Mutant[];
}

function drawOf(flags: DrawFlags): Draw {
  const { seed = "1", count = "40", within = "", suites = "", each, compiled, map, mutants: kept } = flags;
  if (compiled && suites === "")
    throw new UsageError("`--compiled` cannot tell which suites call a function: name them with `--suites`.");
  if (within !== "" && !existsSync(join(root, within)))
    throw new UsageError(`\`--within ${within}\`: there is no such folder.`);
  return {
    ...{ seed: numberIn("seed", seed, 0), count: numberIn("count", count, 1), within, each, compiled, kept },
    suites: patternIn(suites),
    map: map ?? join(tmpdir(), "mutants-map.ndjson"),
    again: kept !== undefined && existsSync(kept) ? recordIn("mutants", kept, mutantsIn) : [],
  };
}

type DrawFlags = Asked<typeof script.flags>["flags"];

function numberIn(flag: string, text: string, least: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < least)
    throw new UsageError(`\`--${flag} ${text}\`: give a whole number, ${least} or more.`);
  return Number(text);
}

function patternIn(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    throw new UsageError(`\`--suites ${text}\`: ${(error as Error).message}.`);
  }
}

/** What a flag's file has recorded. */
function recordIn<T>(flag: string, file: string, parse: (text: string) => T): T {
  try {
    return parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(
      `\`--${flag} ${file}\` is no record of an earlier run (${(error as Error).message}). Name another file, or delete it.`,
    );
  }
}

function mutantsIn(text: string): Mutant[] {
  const list = JSON.parse(text) as Mutant[];
  if (!Array.isArray(list)) throw new Error("it is no list");
  return list;
}

const textOf = (file: string): string => readFileSync(join(root, file), "utf8");

function mutantAt(file: string, text: string, point: Point): Mutant {
  const from = text.lastIndexOf("\n", point.start - 1) + 1;
  const to = text.indexOf("\n", point.end);
  return {
    ...point,
    file,
    was: text.slice(from, to),
    becomes: text.slice(from, point.start) + point.put + text.slice(point.end, to),
  };
}

/** As many of each room, but for the tools and what is generated. */
function drawn({ seed, count, within }: Draw): Mutant[] {
  const isDrawn = (file: string): boolean => file.startsWith(within) && !/^tools|\/sdk\/|cli\/tour|\.d\.ts$/.test(file);
  const sources = sourcesOfRooms().filter(isDrawn);
  const ofRooms = rooms
    .map((room) => sources.filter((file) => file.startsWith(`${room}/`)))
    .filter((files) => files.length > 0)
    .map((files) =>
      files.flatMap((file) => {
        const text = textOf(file);
        return pointsOf(text).map((point) => [file, text, point] as const);
      }),
    );
  const rounds = Math.ceil(count / ofRooms.length);
  const ofEach = fc.tuple(...ofRooms.map((points) => fc.noBias(fc.constantFrom(...points))));
  return fc
    .sample(ofEach, { seed, numRuns: rounds })
    .flat()
    .slice(0, count)
    .map((point) => mutantAt(...point));
}

/** The same change where its line is today; nothing where there is no such line, or more than one. */
function foundAgain({ was, becomes }: Mutant): Mutant | undefined {
  const places = sourcesOfRooms().flatMap((file) => {
    const text = textOf(file);
    return pointsOf(text)
      .map((point) => mutantAt(file, text, point))
      .filter((each) => each.was.trim() === was.trim() && each.becomes.trim() === becomes.trim());
  });
  return places.length === 1 ? places[0] : undefined;
}

const jest = (suites: readonly string[], more: readonly string[]): string[] => [
  join(root, "node_modules/jest/bin/jest.js"),
  ...["--config", join(root, "measure/mutants/jest.config.cjs"), "--silent", ...more],
  ...suites,
];

function calls(map: string): Called[] {
  if (!existsSync(map)) {
    const env = { ...process.env, MUTANTS_MAP: map };
    const patterns = ["--testPathIgnorePatterns", "/node_modules/", "\\.nightly\\.", others.source];
    spawnSync(process.execPath, jest([], ["-w", "1", ...patterns]), { cwd: root, env, stdio: "inherit" });
  }
  const called = (text: string): Called[] =>
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Called);
  return recordIn("map", map, called);
}

interface Outcome {
  foundBy: string[];
  /** Suites that ended, and those that call the function. */
  ended: number;
  of: number;
}

/** Runs the suites of the pattern, in the copy, on the compiled mutant. */
async function triedCompiled(mutant: Mutant, copy: CompiledCopy, { suites: pattern, each }: Draw): Promise<Outcome> {
  const text = textOf(mutant.file);
  const restore = copy.put(mutant.file, text.slice(0, mutant.start) + mutant.put + text.slice(mutant.end));
  try {
    const suites = readdirSync(join(root, "tests"), { recursive: true, encoding: "utf8" })
      .map((file) => join("tests", file))
      .filter((file) => file.endsWith(".test.ts") && pattern.test(file));
    const config = ["--config", join(copy.root, "tests/jest.config.cjs"), "--testPathIgnorePatterns", "/node_modules/"];
    const how = ["--silent", "-i", ...(each ? [] : ["--bail"]), "--runTestsByPath"];
    const args = [join(root, "node_modules/jest/bin/jest.js"), ...config, ...how, ...suites];
    return await outcomeOf(args, { cwd: copy.root, env: process.env, of: suites.length, limitMs: 5 * budget });
  } finally {
    restore();
  }
}

async function tried(mutant: Mutant, all: readonly Called[], { suites: pattern, each }: Draw): Promise<Outcome> {
  const suites = all
    .filter(({ suite, functions }) => functions[mutant.file]?.includes(mutant.within) && pattern.test(suite))
    .sort((left, right) => left.took - right.took)
    .map(({ suite }) => suite);
  if (suites.length === 0) return { foundBy: [], ended: 0, of: 0 };
  const env = { ...process.env, MUTANT: JSON.stringify(mutant), MUTANTS_ORDER: suites.join(","), CI: "" };
  const args = jest(suites, ["-i", ...(each ? [] : ["--bail"]), "--runTestsByPath"]);
  return outcomeOf(args, { cwd: root, env, of: suites.length, limitMs: budget });
}

interface Run {
  cwd: string;
  env: NodeJS.ProcessEnv;
  of: number;
  limitMs: number;
}

/** Which suites of a run of jest have failed. */
async function outcomeOf(args: readonly string[], { cwd, env, of, limitMs }: Run): Promise<Outcome> {
  const child = spawn(process.execPath, args, { cwd, env });
  let text = "";
  child.stderr.on("data", (chunk) => (text += chunk));
  const end = setTimeout(() => child.kill("SIGKILL"), limitMs);
  await new Promise((resolve) => child.on("close", resolve));
  clearTimeout(end);
  const ended = [...text.matchAll(/^(PASS|FAIL) (\S+)/gm)];
  // A summary names them again.
  const foundBy = [...new Set(ended.flatMap(([, result, suite]) => (result === "FAIL" ? [suite!] : [])))];
  return { foundBy, ended: ended.length, of };
}

async function main(draw: Draw): Promise<number> {
  const { kept, again } = draw;
  const all = draw.compiled ? [] : calls(draw.map);
  const copy = draw.compiled ? compiledCopy(root) : undefined;
  const mutants = again.length > 0 ? again : drawn(draw);
  if (kept !== undefined && again.length === 0) writeFileSync(kept, JSON.stringify(mutants, undefined, 1));
  const finds = new Map<string, number>();
  let found = 0;
  for (const [index, each] of mutants.entries()) {
    const mutant = again.length > 0 ? foundAgain(each) : each;
    const outcome = mutant && (await (copy ? triedCompiled(mutant, copy, draw) : tried(mutant, all, draw)));
    const words =
      outcome === undefined
        ? "gone"
        : outcome.foundBy.length === 0
          ? `${outcome.ended < outcome.of ? "no time for all" : "survived"}: ${outcome.ended} of ${outcome.of} suites`
          : `found by ${outcome.foundBy.join(", ")} of ${outcome.ended}`;
    console.log(
      `${index + 1}. ${words}: ${mutant?.file ?? each.file}\n   ${each.was.trim()}\n   ${each.becomes.trim()}`,
    );
    for (const suite of outcome?.foundBy ?? []) finds.set(suite, (finds.get(suite) ?? 0) + 1);
    if (outcome && outcome.foundBy.length > 0) found += 1;
  }
  copy?.remove();
  console.log(`${found} of ${mutants.length} found, by ${finds.size} suites`);
  return 0;
}

void runScript(script, ({ flags }) => main(drawOf(flags)));

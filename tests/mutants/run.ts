import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { rooms, root, sourcesOfRooms } from "../rooms";
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
    "tests/(architecture|bench|coverage|docs|e2e|executables|figures|fidelity|interrupts|jest-env|matrix|model|package)",
    "tests/(pictures|pipelines|random|sdk|security|surface|types)",
    "browser|engine/(compiled-programs|unusable-compiler|lazy-sdk|one-process|programs)|cli/(start|whole-program)",
  ].join("|"),
);
const budget = 120_000;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "40" },
    /** A folder of which alone mutants are drawn. */
    within: { type: "string", default: "" },
    /** A pattern of the suites that are run. */
    suites: { type: "string", default: "" },
    /** Runs all suites, also those after the first that finds a mutant. */
    each: { type: "boolean", default: false },
    /** Where the calls of each suite are kept; collected where the file is not there. */
    map: { type: "string", default: join(tmpdir(), "mutants-map.ndjson") },
    /** Where the drawn mutants are kept; where the file is there, its mutants are tried again. */
    mutants: { type: "string" },
  },
});

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
function drawn(seed: number, count: number): Mutant[] {
  const isDrawn = (file: string): boolean =>
    file.startsWith(values.within) && !/^tools|\/sdk\/|cli\/tour|\.d\.ts$/.test(file);
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
  ...["--config", join(root, "tests/mutants/jest.config.cjs"), "--silent", ...more],
  ...suites,
];

function calls(map: string): Called[] {
  if (!existsSync(map)) {
    const env = { ...process.env, MUTANTS_MAP: map };
    const patterns = ["--testPathIgnorePatterns", "/node_modules/", "\\.nightly\\.", others.source];
    spawnSync(process.execPath, jest([], ["-w", "1", ...patterns]), { cwd: root, env, stdio: "inherit" });
  }
  return readFileSync(map, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Called);
}

interface Outcome {
  foundBy: string[];
  /** Suites that ended, and those that call the function. */
  ended: number;
  of: number;
}

const patterns = new RegExp(values.suites);

async function tried(mutant: Mutant, all: readonly Called[]): Promise<Outcome> {
  const suites = all
    .filter(({ suite, functions }) => functions[mutant.file]?.includes(mutant.within) && patterns.test(suite))
    .sort((left, right) => left.took - right.took)
    .map(({ suite }) => suite);
  if (suites.length === 0) return { foundBy: [], ended: 0, of: 0 };
  const env = { ...process.env, MUTANT: JSON.stringify(mutant), MUTANTS_ORDER: suites.join(","), CI: "" };
  const child = spawn(process.execPath, jest(suites, ["-i", ...(values.each ? [] : ["--bail"]), "--runTestsByPath"]), {
    cwd: root,
    env,
  });
  let text = "";
  child.stderr.on("data", (chunk) => (text += chunk));
  const end = setTimeout(() => child.kill("SIGKILL"), budget);
  await new Promise((resolve) => child.on("close", resolve));
  clearTimeout(end);
  const ended = [...text.matchAll(/^(PASS|FAIL) (\S+)/gm)];
  // A summary names them again.
  const foundBy = [...new Set(ended.flatMap(([, result, suite]) => (result === "FAIL" ? [suite!] : [])))];
  return { foundBy, ended: ended.length, of: suites.length };
}

async function main(): Promise<void> {
  const kept = values.mutants;
  const again = kept !== undefined && existsSync(kept) ? (JSON.parse(readFileSync(kept, "utf8")) as Mutant[]) : [];
  const mutants = again.length > 0 ? again : drawn(Number(values.seed), Number(values.count));
  if (kept !== undefined && again.length === 0) writeFileSync(kept, JSON.stringify(mutants, undefined, 1));
  const all = calls(values.map);
  const finds = new Map<string, number>();
  let found = 0;
  for (const [index, each] of mutants.entries()) {
    const mutant = again.length > 0 ? foundAgain(each) : each;
    const outcome = mutant && (await tried(mutant, all));
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
  console.log(`${found} of ${mutants.length} found, by ${finds.size} suites`);
}

void main();

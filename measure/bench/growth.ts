import { BenchRun } from "./bench-run";
import { tableOf } from "./page";
import { type Contestant, contestants, onFloors, steps } from "./peers/contestants";
import type { PeerKind, PeerScenario } from "./peers/ground";
import { mediansOf, type PeerResult } from "./peers/results";
import { playRounds } from "./peers/rounds";

/**
 * One stack of more and more resources, through program, built-in engine, provider and emulator, on both hosts:
 * processor time of all processes but the emulator's may grow hardly faster than the number of resources.
 */

const counts = (process.env["COUNTS"] ?? "1000,5000").split(",").map(Number);
const who = new RegExp(process.env["CONTESTANTS"] ?? "^ours, .*built-in engine$");
const kind = (process.env["KIND"] ?? "User") as PeerKind;
/** Processor time per resource may be this many times that of the fewest resources. */
const allowed = 1.1;

const scenarios = counts.map((count): PeerScenario => ({ title: count.toLocaleString("en"), kind, count, latency: 0 }));

const isFloor = (contestant: Contestant): boolean => onFloors.some(({ floor }) => floor === contestant);

type Figures = readonly number[];

/** Seconds of each step, then the most memory; undefined where it did not run. */
function figuresOf(results: readonly PeerResult[], { title }: Contestant, scenario: PeerScenario): Figures | undefined {
  const medians = steps.map((step) => mediansOf(results, scenario.title, title, step));
  const played = medians.filter((one) => one !== undefined);
  if (played.length < steps.length) return undefined;
  return [...played.map(({ processor }) => processor), Math.max(...played.map(({ memory }) => memory))];
}

const cellsOf = (figures: Figures): string[] => [
  ...figures.slice(0, -1).map((seconds) => `${seconds.toFixed(1)} s`),
  `${figures.at(-1)!.toLocaleString("en")} MB`,
];

/** Rows of one contestant: one for each count, and how many times the last is the first. */
function rowsOf(run: BenchRun, results: readonly PeerResult[], contestant: Contestant): string[][] {
  const all = scenarios.map((scenario) => figuresOf(results, contestant, scenario));
  const rows = all.flatMap((figures, index) =>
    figures === undefined ? [] : [[`${contestant.title}, ${scenarios[index]!.title}`, ...cellsOf(figures)]],
  );
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return rows;
  const times = last.map((figure, index) => figure / first[index]!);
  const most = (allowed * counts.at(-1)!) / counts[0]!;
  if (!isFloor(contestant))
    for (const [index, step] of steps.entries()) run.hold(`${contestant.title}, ${step}`, times[index]!, most);
  return [...rows, ["times", ...times.map((each) => each.toFixed(1))]];
}

const place = { page: "docs/dev/measured/performance.md", marks: "growth" };

export async function main(): Promise<void> {
  const run = await BenchRun.begin(place);
  const taking = contestants.filter(({ title }) => who.test(title));
  const results = await playRounds(run, { rounds: 1, scenarios, contestants: taking, steps });
  const rows = taking.flatMap((contestant) => rowsOf(run, results, contestant));
  const table = tableOf([`processor time, ${kind}`, ...steps, "memory"], rows);
  run.end([{ ...place, text: `${run.about}\n\n${table}` }]);
}

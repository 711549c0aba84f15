import { loadavg } from "node:os";
import { join } from "node:path";
import { repository } from "../../tests/e2e/engines";
import { type BenchStep, type Contestant, onFloors, requestsAlone, steps } from "./peers/contestants";
import type { PeerScenario } from "./peers/ground";
import { absentOf, writeBetweenMarks } from "./peers/page";
import { machine, median, type PeerResult, Results, versions } from "./peers/results";
import { playRounds } from "./peers/rounds";

/**
 * How far this project is from a provider that does nothing, on both engines and hosts: the processor time of each step
 * as a ratio, and beside it what the requests cost without an engine and a provider. Results are kept line by line, as
 * those of `peers`. `PAGE=write` writes the table into the page about performance.
 */

const count = Number(process.env["COUNT"] ?? 1000);
const rounds = Number(process.env["ROUNDS"] ?? 3);
const ends = performance.now() + Number(process.env["BUDGET"] ?? 600) * 60_000;
const file = process.env["RESULTS"] ?? join(repository, ".bench", "floor.jsonl");
const scenario: PeerScenario = { title: `${count} users`, kind: "User", count, latency: 0 };

/** The median, over rounds that both have played, of how many times the floor's figure another one is. */
function ratioOf(
  all: readonly PeerResult[],
  { title }: Contestant,
  { floor, step, of }: { floor: Contestant; step: BenchStep; of(result: PeerResult): number },
): number {
  const played = (contestant: string): PeerResult[] =>
    all.filter((one) => one.scenario === scenario.title && one.contestant === contestant && one.step === step);
  const floors = new Map(played(floor.title).map((result) => [result.round, of(result)]));
  const ratios = played(title).flatMap((result) => {
    const least = floors.get(result.round);
    return least === undefined ? [] : [of(result) / least];
  });
  return ratios.length === 0 ? Number.NaN : median(ratios);
}

const cell = (ratio: number): string => (Number.isFinite(ratio) ? ratio.toFixed(2) : "–");

/** A row for each of ours, and for the requests by themselves. */
function rowsOf(all: readonly PeerResult[]): string[] {
  const processor = ({ processor: seconds }: PeerResult): number => seconds;
  const memory = (result: PeerResult): number => result.memory;
  return onFloors
    .filter(({ floor }) => floor.missing === undefined)
    .flatMap(({ engine, own, floor }) =>
      [...own, requestsAlone].map((contestant) => {
        const ratios = steps.map((step) => cell(ratioOf(all, contestant, { floor, step, of: processor })));
        const most = cell(ratioOf(all, contestant, { floor, step: "up", of: memory }));
        const title = contestant === requestsAlone ? `${contestant.title}, ${engine}` : contestant.title;
        return `| ${[title, ...ratios, most].join(" | ")} |`;
      }),
    );
}

export async function main(): Promise<void> {
  const results = new Results(file);
  const contestants = [...onFloors.flatMap(({ own, floor }) => [floor, ...own]), requestsAlone];
  await playRounds(results, { rounds, scenarios: [scenario], contestants, ends });
  const head = ["times the floor", ...steps, "memory of `up`"];
  const [, , load = 0] = loadavg();
  const played = Math.max(0, ...results.all.map(({ round }) => round));
  const about = `${scenario.title} on ${new Date().toISOString().slice(0, 10)}, medians of ${played} interleaved rounds: ${machine()}, ${versions()}; the load was ${load.toFixed(0)}.`;
  const table = [`| ${head.join(" | ")} |`, `|${" --- |".repeat(head.length)}`, ...rowsOf(results.all)].join("\n");
  const text = [about, ...absentOf(contestants), table].join("\n\n");
  console.log(text);
  if (process.env["PAGE"] === "write") writeBetweenMarks("docs/performance.md", "floor", text);
}

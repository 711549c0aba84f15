import { BenchRun } from "./bench-run";
import { tableOf } from "./page";
import { absentOf, type BenchStep, type Contestant, onFloors, requestsAlone, steps } from "./peers/contestants";
import type { PeerScenario } from "./peers/ground";
import { median, type PeerResult } from "./peers/results";
import { playRounds } from "./peers/rounds";

/**
 * How far this project is from a provider that does nothing, on both engines and hosts: the processor time of each step
 * as a ratio, and beside it what the requests cost without an engine and a provider.
 */

const count = Number(process.env["COUNT"] ?? 100);
const rounds = Number(process.env["ROUNDS"] ?? 2);
const scenario: PeerScenario = { title: `${count} users`, kind: "User", count, latency: 0 };

/** The median, over rounds that both have played, of how many times the floor's figure another one is. */
function ratioOf(
  all: readonly PeerResult[],
  { title }: Contestant,
  { floor, step, of }: { floor: Contestant; step: BenchStep; of(result: PeerResult): number },
): number {
  const played = (contestant: string): PeerResult[] =>
    all.filter((one) => one.contestant === contestant && one.step === step);
  const floors = new Map(played(floor.title).map((result) => [result.round, of(result)]));
  const ratios = played(title).flatMap((result) => {
    const least = floors.get(result.round);
    return least === undefined ? [] : [of(result) / least];
  });
  return ratios.length === 0 ? Number.NaN : median(ratios);
}

const cell = (ratio: number): string => (Number.isFinite(ratio) ? ratio.toFixed(2) : "–");

/** A row for each of ours, and for the requests by themselves. */
function rowsOf(all: readonly PeerResult[]): string[][] {
  const processor = ({ processor: seconds }: PeerResult): number => seconds;
  const memory = (result: PeerResult): number => result.memory;
  return onFloors
    .filter(({ floor }) => floor.missing === undefined)
    .flatMap(({ engine, own, floor }) =>
      [...own, requestsAlone].map((contestant) => {
        const ratios = steps.map((step) => cell(ratioOf(all, contestant, { floor, step, of: processor })));
        const most = cell(ratioOf(all, contestant, { floor, step: "up", of: memory }));
        return [contestant === requestsAlone ? `${contestant.title}, ${engine}` : contestant.title, ...ratios, most];
      }),
    );
}

const place = { page: "docs/performance.md", marks: "floor" };

export async function main(): Promise<void> {
  const run = await BenchRun.begin(place);
  const contestants = [...onFloors.flatMap(({ own, floor }) => [floor, ...own]), requestsAlone];
  const results = await playRounds(run, { rounds, scenarios: [scenario], contestants, steps });
  const about = `${run.about} ${scenario.title}, medians of ${rounds} interleaved rounds.`;
  const table = tableOf(["times the floor", ...steps, "memory of `up`"], rowsOf(results));
  run.end([{ ...place, text: [about, ...absentOf(contestants), table].join("\n\n") }]);
}

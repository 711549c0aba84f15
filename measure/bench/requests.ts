import { BenchRun } from "./bench-run";
import { tableOf } from "./page";
import { absentOf, onFloors, steps } from "./peers/contestants";
import type { PeerKind, PeerScenario } from "./peers/ground";
import { mediansOf } from "./peers/results";
import { playRounds } from "./peers/rounds";

/**
 * Requests that each object costs the service, alone and as one of many: for users, which are ready at once, and for
 * deployments, whose four minutes take four seconds here.
 */

const kinds: readonly PeerKind[] = ["User", "Deployment"];
const counts = (process.env["COUNTS"] ?? "1,100").split(",").map(Number);
const titleOf = (kind: PeerKind, count: number): string => `${count} of ${kind}`;
const scenarios = kinds.flatMap((kind) =>
  counts.map((count): PeerScenario => ({ title: titleOf(kind, count), kind, count, latency: 0 })),
);
const contestants = onFloors.map(({ own }) => own[0]!);
const columns = contestants
  .filter(({ missing }) => missing === undefined)
  .flatMap((contestant) => counts.map((count) => ({ contestant, count })));

const place = { page: "docs/performance.md", marks: "requests" };

export async function main(): Promise<void> {
  const run = await BenchRun.begin(place);
  const results = await playRounds(run, { rounds: 1, scenarios, contestants, steps });
  const rows = kinds.flatMap((kind) =>
    steps.map((step) => [
      `${kind}: ${step}`,
      ...columns.map(({ contestant, count }) => {
        const one = mediansOf(results, titleOf(kind, count), contestant.title, step);
        return one === undefined ? "–" : String(Number((one.requests / count).toFixed(2)));
      }),
    ]),
  );
  const head = columns.map(({ contestant: { title }, count }) =>
    [count === 1 ? "alone" : `each of ${count}`, ...title.split(", ").slice(2)].join(", "),
  );
  const table = tableOf(["requests per object", ...head], rows);
  run.end([{ ...place, text: [run.about, ...absentOf(contestants), table].join("\n\n") }]);
}

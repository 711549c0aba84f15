import { BenchRun } from "./bench-run";
import { tableOf } from "./page";
import { absentOf, contestants, steps } from "./peers/contestants";
import type { PeerScenario } from "./peers/ground";
import { mediansOf, type PeerResult } from "./peers/results";
import { playRounds } from "./peers/rounds";

/**
 * This project beside what else one could use, each with the same objects at the same emulated service: time, requests
 * and memory of each step.
 */

const count = Number(process.env["COUNT"] ?? 100);
/** At 10 requests per second, a run is as long as its requests take: a quarter of them shows as much. */
const few = Math.ceil(count / 4);
const rounds = Number(process.env["ROUNDS"] ?? 1);
/** The page shows one table; `SCENARIOS=.` plays all. */
const wanted = new RegExp(process.env["SCENARIOS"] ?? "users$");
const who = new RegExp(process.env["CONTESTANTS"] ?? "");

const kinds = [
  { kind: "User", name: "users" },
  { kind: "Deployment", name: "deployments" },
] as const;

const all: readonly PeerScenario[] = kinds.flatMap(({ kind, name }) => [
  { title: `${count} ${name}`, kind, count, latency: 0 },
  { title: `${count} ${name}, answers 80 ms late`, kind, count, latency: 80 },
  { title: `${few} ${name}, 10 requests per second`, kind, count: few, latency: 0, perSecond: 10 },
]);
const scenarios = all.filter(({ title }) => wanted.test(title));

/** One scenario: processor time, requests, of those writes, and the memory at its most. */
function scenarioOf(scenario: PeerScenario, results: readonly PeerResult[]): string {
  const rows = contestants.flatMap(({ title }) => {
    const medians = steps.map((step) => mediansOf(results, scenario.title, title, step));
    if (medians.every((one) => one === undefined)) return [];
    const cells = medians.map((one) => (one ? `${one.processor.toFixed(1)} s, ${one.requests} (${one.writes})` : "–"));
    const memory = Math.max(...medians.map((one) => one?.memory ?? 0));
    return [[title, ...cells, `${memory} MB`, Math.min(...medians.map((one) => one?.rounds ?? 0))]];
  });
  return `### ${scenario.title}\n\n${tableOf(["", ...steps, "memory", "rounds"], rows)}`;
}

const place = { page: "docs/dev/measured/performance.md", marks: "peers" };

export async function main(): Promise<void> {
  const run = await BenchRun.begin(place);
  const taking = contestants.filter(({ title }) => who.test(title));
  const results = await playRounds(run, { rounds, scenarios, contestants: taking, steps });
  const text = [
    `${run.about} Processor time of all processes but the service's, medians; requests, and in brackets how many of them write; memory of all processes together.`,
    ...absentOf(contestants),
    ...scenarios.map((scenario) => scenarioOf(scenario, results)),
  ];
  run.end([{ ...place, text: text.join("\n\n") }]);
}

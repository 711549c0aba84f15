import { join } from "node:path";
import { repository } from "../../tests/e2e/engines";
import { contestants } from "./peers/contestants";
import type { PeerScenario } from "./peers/ground";
import { tableOf, writePage } from "./peers/page";
import { machine, Results } from "./peers/results";
import { playRounds } from "./peers/rounds";

/**
 * This project beside what else one could use, each with the same objects at the same emulated service: time, requests
 * and memory of each step. Results are kept line by line, and a run that is ended or out of time is taken up by the
 * next: `BUDGET` is in minutes. `PAGE=write` writes the tables into the page of figures.
 */

const count = Number(process.env["COUNT"] ?? 200);
/** At 10 requests per second, a run is as long as its requests take: a quarter of them shows as much. */
const few = Math.ceil(count / 4);
const rounds = Number(process.env["ROUNDS"] ?? 5);
const ends = performance.now() + Number(process.env["BUDGET"] ?? 600) * 60_000;
const file = process.env["RESULTS"] ?? join(repository, ".bench", "peers.jsonl");
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

export async function main(): Promise<void> {
  const results = new Results(file);
  const taking = contestants.filter(({ title }) => who.test(title));
  await playRounds(results, { rounds, scenarios, contestants: taking, ends });
  console.log(machine());
  for (const { title, missing } of contestants) if (missing) console.log(`not compared: ${title}, since ${missing}`);
  for (const scenario of scenarios) console.log(`\n${tableOf(scenario, results.all)}`);
  if (process.env["PAGE"] === "write") writePage(scenarios, results.all);
}

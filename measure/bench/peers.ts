import { join } from "node:path";
import { repository } from "../../tests/e2e/engines";
import { type Contestant, contestants, steps } from "./peers/contestants";
import { Ground, type PeerScenario } from "./peers/ground";
import { tableOf, writePage } from "./peers/page";
import { measure } from "./peers/processes";
import { machine, type PeerResult, Results } from "./peers/results";

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

async function play(scenario: PeerScenario, contestant: Contestant, round: number): Promise<PeerResult[]> {
  const ground = await Ground.open(scenario, contestant.program);
  try {
    const results: PeerResult[] = [];
    for (const step of steps) {
      const measured = await measure(contestant.command(step, ground), ground.requests);
      results.push({ scenario: scenario.title, contestant: contestant.title, round, step, ...measured });
    }
    return results;
  } finally {
    await ground.close();
  }
}

export async function main(): Promise<void> {
  const results = new Results(file);
  const present = contestants.filter(({ title, missing }) => missing === undefined && who.test(title));
  const turns = Array.from({ length: rounds }, (_, index) => index + 1).flatMap((round) =>
    scenarios.flatMap((scenario) => present.map((contestant) => ({ round, scenario, contestant }))),
  );
  for (const { round, scenario, contestant } of turns) {
    if (results.has(scenario, contestant, round)) continue;
    if (performance.now() > ends) break;
    const played = await play(scenario, contestant, round).catch((error: Error) => {
      console.error(`round ${round}, ${scenario.title}, ${contestant.title}: ${error.message}`);
      process.exitCode = 1;
      return [];
    });
    if (played.length === 0) continue;
    results.add(played);
    const times = played.map(({ step, seconds, requests }) => `${step} ${seconds.toFixed(1)} s, ${requests}`);
    console.error(`round ${round}, ${scenario.title}, ${contestant.title}: ${times.join("; ")}`);
  }
  console.log(machine());
  for (const { title, missing } of contestants) if (missing) console.log(`not compared: ${title}, since ${missing}`);
  for (const scenario of scenarios) console.log(`\n${tableOf(scenario, results.all)}`);
  if (process.env["PAGE"] === "write") writePage(scenarios, results.all);
}

import { BenchRun } from "./bench-run";
import { tableOf } from "./page";
import { absentOf, type Contestant, contestants } from "./peers/contestants";
import type { PeerScenario } from "./peers/ground";
import { mediansOf, type PeerResult } from "./peers/results";
import { playRounds } from "./peers/rounds";

/**
 * The first preview of a new stack: processor time and memory of all processes but the service's, beside a provider
 * that does nothing. Memory is held to a target; what a preview takes, an `up` begins with.
 */

const [users = [100, 2000, 5000], deployments = [2000]] = [process.env["USERS"], process.env["DEPLOYMENTS"]].map(
  (counts) => counts?.split(",").map(Number),
);
const rounds = Number(process.env["ROUNDS"] ?? 1);
/** Megabytes that 5,000 users may take with dynamic resources. */
const target = { count: 5000, megabytes: 1200 };

const scenario = (kind: "User" | "Deployment", count: number): PeerScenario => ({
  title: `${count.toLocaleString("en")} ${kind.toLowerCase()}s`,
  kind,
  count,
  latency: 0,
});
const scenarios = [
  ...users.map((count) => scenario("User", count)),
  ...deployments.map((count) => scenario("Deployment", count)),
];

const who = new RegExp(process.env["CONTESTANTS"] ?? "^(ours, .*|floor of the )built-in engine$");
const step = "no change";

function rowOf(results: readonly PeerResult[], { title }: PeerScenario, all: readonly Contestant[]): string[] {
  const cells = all.map((contestant) => {
    const one = mediansOf(results, title, contestant.title, step);
    return one === undefined ? "–" : `${one.processor.toFixed(1)} s, ${one.memory.toLocaleString("en")} MB`;
  });
  return [title, ...cells];
}

const place = { page: "docs/performance.md", marks: "first-preview" };

export async function main(): Promise<void> {
  const run = await BenchRun.begin(place);
  const taking = contestants.filter(({ title, missing }) => missing === undefined && who.test(title));
  const results = await playRounds(run, { rounds, scenarios, contestants: taking, steps: [step] });
  const held = scenarios.find(({ kind, count }) => kind === "User" && count === target.count);
  const most = held && mediansOf(results, held.title, "ours, dynamic, built-in engine", step);
  if (most) run.hold(`memory of ${held.title} against ${target.megabytes} MB`, most.memory / target.megabytes, 1);
  const rows = scenarios.map((each) => rowOf(results, each, taking));
  const table = tableOf(["first preview of", ...taking.map(({ title }) => title)], rows);
  run.end([{ ...place, text: [run.about, ...absentOf(taking), table].join("\n\n") }]);
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { living, start } from "../../tests/e2e/commands";
import { builtIn, type Engine, missingCli, pulumiCli } from "../../tests/e2e/engines";
import { BenchRun } from "./bench-run";
import { tableOf } from "./page";
import { Ground } from "./peers/ground";

/**
 * Why this package, in four counts on the emulator, each of the same twenty deployments: beside a dynamic provider as
 * one writes it in an hour, and a generic REST resource. `ENGINE=cli` runs them all on the Pulumi CLI.
 */

const count = 20;
/** So many creates are unanswered when the run is killed, and so many objects are changed by hand. */
const half = count / 2;
/** Of those, so many are deleted. */
const deleted = 2;

const contestants = [
  { title: "a dynamic provider written in an hour", program: "naive" },
  { title: "a generic REST resource", program: "rest" },
  { title: "this package", program: "ours" },
] as const;
type Contestant = (typeof contestants)[number];

const engine: Engine = process.env["ENGINE"] === "cli" ? pulumiCli : builtIn;

interface Counts {
  doubled: number;
  found: number;
  falsely: number;
  requests: number;
}

class Bench {
  private constructor(private readonly ground: Ground) {}

  static async on<T>({ title, program }: Contestant, work: (bench: Bench) => Promise<T>): Promise<T> {
    const ground = await Ground.open({ title, kind: "Fleet", count, latency: 0 }, program);
    try {
      return await work(new Bench(ground));
    } finally {
      await ground.close();
    }
  }

  private start(line: string) {
    const { program: cwd, env, rollCall } = this.ground;
    const PEERS = JSON.stringify({ kind: "Fleet", count, edit: 0, entry: "pulumi-modelplatform" });
    const place = { cwd, env: { ...env, PEERS }, rollCall };
    return start(engine, [...line.split(" "), "--stack", "dev", "--non-interactive"], place);
  }

  private async run(line: string): Promise<string> {
    const { code, stdout, output } = await this.start(line).ended;
    if (code !== 0) throw new Error(`${line} ended with ${code}:\n${output.slice(-3000)}`);
    return stdout;
  }

  private up = (): Promise<string> => this.run(`up --yes --skip-preview --parallel ${count}`);

  /** Objects more than are declared, after a run that was killed and one that went to its end. */
  async doubled(): Promise<number> {
    const { ground } = this;
    const late = { match: { method: "POST" }, fault: { kind: "slow", ms: 600_000 }, skip: half, times: null };
    await ground.control("POST", "faults", late);
    const killed = this.start(`up --yes --skip-preview --parallel ${count}`);
    while (ground.live("deployments").length < count || this.recorded() < half) await pause(50);
    killed.signal("SIGKILL");
    for (const pid of living(ground.rollCall)) process.kill(pid, "SIGKILL");
    await killed.ended;
    await ground.control("DELETE", "faults");
    await this.run("cancel --yes");
    await this.up();
    return ground.live("deployments").length - count;
  }

  private recorded(): number {
    const state = join(this.ground.folder, "state/.pulumi/stacks/peers/dev.json");
    return readFileSync(state, "utf8").match(/"id": ?"accounts\/demo\/deployments\//g)?.length ?? 0;
  }

  /** Of objects changed by hand, and of others, how many an update tries to write to; and what a refresh costs. */
  async drift(): Promise<Omit<Counts, "doubled">> {
    const { ground } = this;
    await this.up();
    ground.requests.take();
    await this.run("refresh --yes --skip-preview");
    const { requests } = ground.requests.take();
    const planted = ground
      .live("deployments")
      .slice(0, half)
      .map(({ name }) => String(name));
    for (const [index, name] of planted.entries())
      if (index < deleted) await ground.control("DELETE", `objects/${name}`);
      else await ground.control("PATCH", `objects/${name}`, { maxReplicaCount: 8 });
    await ground.control("DELETE", "requests");
    // It may fail: what it sends says what it has taken for a change.
    await this.start(`up --refresh --continue-on-error --yes --skip-preview --parallel ${count}`).ended;
    const written = await this.written();
    const recreated = ground.live("deployments").length - (count - deleted);
    const found = recreated + written.filter((name) => planted.includes(name)).length;
    return { found, falsely: written.filter((name) => !planted.includes(name)).length, requests };
  }

  /** Names of objects that have been updated or deleted. */
  private async written(): Promise<string[]> {
    const { requests } = (await this.ground.control("GET", "requests")) as {
      requests: Record<"method" | "path", string>[];
    };
    const writes = requests.filter(({ method }) => method === "PATCH" || method === "DELETE");
    return [...new Set(writes.map(({ path }) => path.replace("/v1/", "")))];
  }
}

async function countsOf(contestant: Contestant): Promise<Counts> {
  const doubled = await Bench.on(contestant, (bench) => bench.doubled());
  return { doubled, ...(await Bench.on(contestant, (bench) => bench.drift())) };
}

function countsIn(results: ReadonlyMap<Contestant, Counts>): string {
  const cells: readonly [title: string, of: (counts: Counts) => string | number][] = [
    [`duplicates after a kill with ${half} of ${count} creates unanswered`, ({ doubled }) => doubled],
    [`manual changes found, of ${half}`, ({ found }) => found],
    [`unchanged objects reported as changed, of ${count - half}`, ({ falsely }) => falsely],
    [`requests of a refresh of ${count} objects`, ({ requests }) => requests],
  ];
  const rows = cells.map(([title, of]) => [title, ...[...results.values()].map(of)]);
  return tableOf(["", ...[...results.keys()].map(({ title }) => title)], rows);
}

const place = { page: "README.md", marks: "why" };

export async function main(): Promise<void> {
  if (engine === pulumiCli && missingCli !== "") throw new Error("there is no `pulumi` on PATH");
  const run = await BenchRun.begin(place);
  const results = new Map<Contestant, Counts>();
  for (const contestant of contestants) {
    const counts = await run.part(contestant.title, () => countsOf(contestant));
    if (counts !== undefined) results.set(contestant, counts);
  }
  run.end([{ ...place, text: countsIn(results) }]);
}

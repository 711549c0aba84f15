import { BenchRun } from "./bench-run";
import { Fleet } from "./many-accounts/fleet";
import { type Scanned, scanCut, scanInShards, scanWhole } from "./many-accounts/scan";
import { type Costs, estimates } from "./many-accounts/sizes";
import { tableOf } from "./page";

/**
 * A drift scan over many accounts, a stack each, as a process of its own against a service of its own: more accounts may
 * take as many times the time and requests, and hardly more memory. Without a history, findings are printed as their
 * account is read. What a scan that was cut has read is not read again, and shards send no more than one process.
 */

const counts = (process.env["COUNTS"] ?? "100,1000,3000").split(",").map(Number);
const objects = Number(process.env["OBJECTS"] ?? "100");
const shards = Number(process.env["SHARDS"] ?? "3");

interface Row extends Scanned {
  title: string;
  /** Bytes of the stacks' states. */
  states: number;
}

const sizeOf = (bytes: number): string =>
  bytes < 1e6 ? `${(bytes / 1000).toFixed(0)} KB` : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

const head = ["scan", "requests", "processor", "memory", "states", "history grows by", "report"];
const cellsOf = ({ title, requests, processor, megabytes, states, history, printed }: Row): string[] => [
  ...[
    title,
    requests.toLocaleString("en"),
    `${processor.toFixed(1)} s`,
    Number.isNaN(megabytes) ? "–" : `${megabytes.toFixed(0)} MB`,
  ],
  ...[states, history, printed].map(sizeOf),
];

class Nights {
  readonly rows: Row[] = [];

  constructor(private readonly run: BenchRun) {}

  private async night(title: string, fleet: Fleet, work: () => Promise<Scanned>): Promise<Row | undefined> {
    const scanned = await this.run.part(title, work);
    if (scanned === undefined) return undefined;
    const row = { title, ...scanned, states: fleet.bytesIn("state") };
    console.error(cellsOf(row).join(" | "));
    this.rows.push(row);
    return row;
  }

  /** All nights of one size; undefined where the first did not run. */
  async of(count: number): Promise<Row | undefined> {
    const title = `${count.toLocaleString("en")} accounts`;
    const fleet = await this.run.part(title, () => Fleet.open(count, objects));
    if (fleet === undefined) return undefined;
    try {
      const whole = await this.night(title, fleet, () => scanWhole(fleet));
      if (whole === undefined) return undefined;
      if (count === counts.at(-2)) await this.cut(whole, fleet, count);
      if (count === counts.at(-1)) await this.sharded(whole, fleet);
      return whole;
    } finally {
      await fleet.close();
    }
  }

  private async cut(whole: Row, fleet: Fleet, count: number): Promise<void> {
    const cut = await this.night("of these, cut after half", fleet, () => scanCut(fleet, Math.floor(count / 2)));
    if (cut) this.run.hold("first finding against first account", cut.firstFinding / cut.firstAccount, 1.1);
    const rest = cut && (await this.night("and the rest", fleet, () => scanWhole(fleet)));
    if (rest) this.run.hold("requests of both", (cut.requests + rest.requests) / whole.requests, 1.1);
  }

  private async sharded(whole: Row, fleet: Fleet): Promise<void> {
    const title = `the same in ${shards} shards, merged`;
    const merged = await this.night(title, fleet, () => scanInShards(fleet, shards));
    if (merged) this.run.hold(`requests of ${shards} shards`, merged.requests / whole.requests, 1.3);
  }
}

/** More accounts against the fewest. */
function holdGrowth(run: BenchRun, fewest: Row, most: Row): void {
  const times = counts.at(-1)! / counts[0]!;
  run.hold("processor time per account", most.processor / fewest.processor / times, 1.1);
  run.hold("requests per account", most.requests / fewest.requests / times, 1.01);
  run.hold("memory", most.megabytes / fewest.megabytes, 1.5);
}

const places = {
  measured: { page: "docs/dev/measured/performance.md", marks: "many-accounts" },
  sizes: { page: "docs/many-accounts.md", marks: "many-accounts" },
};

export async function main(): Promise<void> {
  const run = await BenchRun.begin(places.measured, places.sizes);
  const nights = new Nights(run);
  const wholes: (Row | undefined)[] = [];
  for (const count of counts) wholes.push(await nights.of(count));
  const [fewest, most, merged] = [wholes[0], wholes.at(-1), nights.rows.at(-1)];
  const written = [{ ...places.measured, text: `${run.about}\n\n${tableOf(head, nights.rows.map(cellsOf))}` }];
  if (fewest && most && merged) {
    holdGrowth(run, fewest, most);
    const costs: Costs = { accounts: counts.at(-1)!, shards, whole: most, merged };
    written.push({ ...places.sizes, text: `${run.about}\n\n${estimates(costs)}` });
  }
  run.end(written);
}

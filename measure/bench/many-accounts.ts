import { Fleet } from "./many-accounts/fleet";
import { type Scanned, scanFleet } from "./many-accounts/scan";
import { machine } from "./peers/results";

/**
 * A drift scan over many accounts, a stack each, as a process of its own against a service of its own: ten times the
 * accounts may take ten times the time and requests, and hardly more memory, since findings are printed as their
 * account is read. A shard of ten takes a tenth, and what a scan that was cut has read is not read again.
 */

const [fewer = 100, more = 1000] = (process.env["ACCOUNTS"] ?? "100,1000").split(",").map(Number);
const objects = Number(process.env["OBJECTS"] ?? "100");

const rows: string[] = [];

const head = "| scan | processor | clock | requests | memory | first account | first finding |";

async function measured(title: string, fleet: Fleet, flags: readonly string[], cutAfter?: number): Promise<Scanned> {
  const scanned = await scanFleet(fleet, flags, cutAfter);
  const { processor, seconds, requests, megabytes, firstAccount, firstFinding } = scanned;
  const times = [processor, seconds].map((each) => `${each.toFixed(1)} s`);
  const firsts = [firstAccount, firstFinding].map((each) => (Number.isNaN(each) ? "–" : `${each.toFixed(1)} s`));
  rows.push(`| ${[title, ...times, requests, `${megabytes.toFixed(0)} MB`, ...firsts].join(" | ")} |`);
  console.error(rows.at(-1));
  return scanned;
}

const problems: string[] = [];

function hold(what: string, ratio: number, most: number): void {
  console.log(`${what}: ${ratio.toFixed(2)} times, at most ${most}`);
  if (!(ratio <= most)) problems.push(what);
}

async function few(): Promise<Scanned> {
  const fleet = await Fleet.open(fewer, objects);
  try {
    return await measured(`${fewer} accounts`, fleet, []);
  } finally {
    await fleet.close();
  }
}

export async function main(): Promise<void> {
  const small = await few();
  const fleet = await Fleet.open(more, objects);
  try {
    const whole = await measured(`${more} accounts`, fleet, []);
    const shard = await measured("shard 1/10 of them", fleet, ["--shard", "1/10"]);
    const cut = await measured("cut after half", fleet, [], Math.floor(more / 2));
    const rest = await measured("the rest", fleet, []);
    console.log(`${machine()}\n\n${head}\n|${" --- |".repeat(7)}\n${rows.join("\n")}\n`);
    const times = more / fewer;
    hold("processor time per account", whole.processor / small.processor / times, 1.1);
    hold("requests per account", whole.requests / small.requests / times, 1.01);
    hold("memory", whole.megabytes / small.megabytes, 1.5);
    hold("first finding against first account", whole.firstFinding / whole.firstAccount, 1.1);
    hold("requests of a shard of ten", (10 * shard.requests) / whole.requests, 1.3);
    hold("requests of a scan that was cut and its rest", (cut.requests + rest.requests) / whole.requests, 1.1);
    console.log(`processor time of a shard of ten: ${(shard.processor / whole.processor).toFixed(2)} of the whole`);
  } finally {
    await fleet.close();
  }
  for (const problem of problems) console.log(`Above its target: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

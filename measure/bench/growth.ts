import { type BenchStep, contestants, onFloors, steps } from "./peers/contestants";
import { Ground, type PeerKind } from "./peers/ground";
import { type Measured, measure } from "./peers/processes";
import { machine } from "./peers/results";

/**
 * One stack of more and more resources, through program, built-in engine, provider and emulator, on both hosts:
 * processor time of all processes but the emulator's may grow hardly faster than the number of resources. Beside them,
 * as many of a provider that does nothing: what time and memory the engine and the SDK take by themselves.
 */

const counts = (process.env["COUNTS"] ?? "1000,5000").split(",").map(Number);
const who = new RegExp(process.env["CONTESTANTS"] ?? "^(ours, .*|floor of the )built-in engine$");
const kind = (process.env["KIND"] ?? "User") as PeerKind;
const wanted = new RegExp(process.env["STEPS"] ?? "");
/** Processor time per resource may be this many times that of the fewest resources. */
const allowed = 1.1;

type Life = ReadonlyMap<BenchStep, Measured>;

async function life(contestant: (typeof contestants)[number], count: number): Promise<Life> {
  const scenario = { title: String(count), kind, count, latency: 0 };
  const ground = await Ground.open(scenario, contestant.program);
  const measured = new Map<BenchStep, Measured>();
  try {
    for (const step of steps.filter((each) => each === "up" || wanted.test(each))) {
      const spent = await measure(contestant.command(step, ground), ground.requests);
      measured.set(step, spent);
      console.error(`${contestant.title}, ${count}, ${step}: ${cell(spent)}`);
    }
    return measured;
  } finally {
    await ground.close();
  }
}

const cell = ({ processor, requests, memory }: Measured): string =>
  `${processor.toFixed(1)} s, ${requests} requests, ${memory.toFixed(0)} MB`;

const isFloor = (contestant: (typeof contestants)[number]): boolean =>
  onFloors.some(({ floor }) => floor === contestant);

/** How many times the processor time of the fewest resources, with as many resources as the last of `lives`. */
const ratioOf = (lives: readonly Life[], step: BenchStep): number =>
  lives.at(-1)!.get(step)!.processor / lives[0]!.get(step)!.processor;

export async function main(): Promise<void> {
  const most = (allowed * counts.at(-1)!) / counts[0]!;
  const problems: string[] = [];
  const head = ["", ...counts.map((count) => `${count.toLocaleString("en")} of ${kind}`), "times"];
  const rows: string[] = [];
  for (const contestant of contestants.filter(({ title, missing }) => missing === undefined && who.test(title))) {
    const lives: Life[] = [];
    for (const count of counts) lives.push(await life(contestant, count));
    for (const step of lives[0]!.keys()) {
      const ratio = ratioOf(lives, step);
      const cells = lives.map((each) => cell(each.get(step)!));
      rows.push(`| ${[`${contestant.title}: ${step}`, ...cells, ratio.toFixed(2)].join(" | ")} |`);
      if (ratio > most && !isFloor(contestant))
        problems.push(`${contestant.title}, ${step}: ${ratio.toFixed(2)} times, at most ${most}`);
    }
  }
  console.log([machine(), "", `| ${head.join(" | ")} |`, `|${" --- |".repeat(head.length)}`, ...rows].join("\n"));
  for (const problem of problems) console.log(`Above its target: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

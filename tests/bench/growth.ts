import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../e2e/engines";
import { chart } from "./growth/chart";
import { type BenchStep, contestants, steps } from "./peers/contestants";
import { Ground } from "./peers/ground";
import { type Measured, measure } from "./peers/processes";
import { machine } from "./peers/results";

/**
 * One stack of more and more users, through program, built-in engine, provider and emulator: no step may grow faster
 * than the number of resources. `PAGE=write` writes table and chart into the page of figures.
 */

const counts = (process.env["COUNTS"] ?? "100,1000,10000").split(",").map(Number);
/** Megabytes of all processes together, for a preview without a change. */
const memoryTarget = 2048;
/** Cost per resource may be this many times that of a tenth of the resources: the machine is never quite the same. */
const allowed = 1.25;

export type Growth = ReadonlyMap<number, Readonly<Record<BenchStep, Measured>>>;

async function life(count: number): Promise<Record<BenchStep, Measured>> {
  const [contestant] = contestants;
  const scenario = { title: `${count} users`, kind: "User" as const, count, latency: 0 };
  const ground = await Ground.open(scenario, contestant!.program);
  const measured: Partial<Record<BenchStep, Measured>> = {};
  try {
    for (const step of steps) {
      measured[step] = await measure(contestant!.command(step, ground), ground.requests);
      const { seconds, requests, memory } = measured[step];
      console.error(`${count}, ${step}: ${seconds.toFixed(1)} s, ${requests} requests, ${memory.toFixed(0)} MB`);
    }
    return measured as Record<BenchStep, Measured>;
  } finally {
    await ground.close();
  }
}

function tableOf(growth: Growth): string {
  const head = ["", ...[...growth.keys()].map((count) => `${count.toLocaleString("en")} resources`)];
  const rows = steps.map((step) => {
    const cells = [...growth].map(([count, measured]) => {
      const { seconds, requests, memory } = measured[step];
      const each = `${((1000 * seconds) / count).toFixed(1)} ms, ${(requests / count).toFixed(2)} requests each`;
      return `${seconds.toFixed(1)} s, ${memory.toFixed(0)} MB; ${each}`;
    });
    return `| ${[step, ...cells].join(" | ")} |`;
  });
  return [`| ${head.join(" | ")} |`, `|${" --- |".repeat(head.length)}`, ...rows].join("\n");
}

/** What grows faster than the number of resources, or takes more memory than it may. */
function problems(growth: Growth): string[] {
  const sizes = [...growth];
  const faster = sizes.slice(1).flatMap(([count, measured], index) => {
    const [fewer, before] = sizes[index]!;
    return steps.flatMap((step) => {
      const ratio = measured[step].seconds / count / (before[step].seconds / fewer);
      return ratio > allowed
        ? [`${step} of ${count}: ${ratio.toFixed(2)} times the time per resource of ${fewer}`]
        : [];
    });
  });
  const { memory } = sizes.at(-1)![1]["no change"];
  return memory > memoryTarget ? [...faster, `preview without a change takes ${memory.toFixed(0)} MB`] : faster;
}

const marks = ["<!-- growth:begin -->", "<!-- growth:end -->"] as const;

function writePage(growth: Growth, found: readonly string[]): void {
  const file = join(repository, "docs/performance.md");
  const [before, rest] = readFileSync(file, "utf8").split(marks[0]) as [string, string];
  const text = [
    `Users in one stack on the built-in engine, on ${new Date().toISOString().slice(0, 10)}: ${machine()}. Memory is that of all processes but the emulator's, at its most.`,
    tableOf(growth),
    "![Time per resource by the number of resources](images/growth.svg)",
    found.length === 0
      ? "No step grows faster than the number of resources."
      : `Above the targets: ${found.join("; ")}.`,
  ];
  writeFileSync(file, `${before}${marks[0]}\n${text.join("\n\n")}\n${marks[1]}${rest.split(marks[1])[1]}`);
  writeFileSync(join(repository, "docs/images/growth.svg"), chart(growth));
}

async function main(): Promise<void> {
  const growth = new Map<number, Record<BenchStep, Measured>>();
  for (const count of counts) growth.set(count, await life(count));
  const found = problems(growth);
  console.log([machine(), "", tableOf(growth), "", ...found].join("\n"));
  if (found.length > 0) process.exitCode = 1;
  if (process.env["PAGE"] === "write") writePage(growth, found);
}

void main();

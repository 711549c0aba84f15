import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { withHost } from "./hosts";
import { type EngineAndHost, perform, type Tally } from "./performance";
import { type Plan, plan } from "./plan";

/** What a run of random programs has come to. */
export interface Summary extends Tally {
  date: string;
  engine: string;
  /** Program `n` has the seed `seed + n`. */
  seed: number;
  /** Played so far. */
  programs: number;
  violations: { seed: number; problem: string; plan: Plan; log: string[] }[];
}

export interface Runs extends EngineAndHost {
  seed: number;
  programs: number;
  /** Programs at a time. */
  atOnce: number;
  /** After each program. */
  report(summary: Summary): void;
}

export const planOf = (seed: number): Plan => fc.sample(plan, { seed, numRuns: 1 })[0]!;

/** Runs random programs, each with a seed of its own, and reports every broken promise. */
export async function playPrograms({ engine, host, seed, programs, atOnce, report }: Runs): Promise<Summary> {
  const summary: Summary = {
    date: new Date().toISOString(),
    engine: withHost(engine.title, host),
    seed,
    programs: 0,
    commands: 0,
    kills: 0,
    interrupts: 0,
    struck: 0,
    rivals: 0,
    violations: [],
  };
  const seeds = Array.from({ length: programs }, (_, index) => seed + index);

  async function play(): Promise<void> {
    for (let next = seeds.shift(); next !== undefined; next = seeds.shift()) {
      const log: string[] = [];
      const drawn = planOf(next);
      try {
        await perform(drawn, { engine, host }, summary, (text) => void log.push(text));
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        summary.violations.push({ seed: next, problem, plan: drawn, log });
      }
      summary.programs += 1;
      report(summary);
    }
  }

  await Promise.all(Array.from({ length: atOnce }, play));
  return summary;
}

export function writeSummary(file: string, summary: Summary): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(summary, undefined, 2)}\n`);
}

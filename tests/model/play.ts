import fc from "fast-check";
import { play } from "./run";
import { scenario } from "./scenario";

/** Scenarios of a seed: so many from that number on. */
export interface Scenarios {
  seed: number;
  from?: number;
  count: number;
}

/**
 * Plays random scenarios, the same ones for the same seed and number, and shrinks the first that breaks a promise to
 * its shortest form. The error says the seed and the path that play it again, as `SEED=… PATH_=…`; with `TRACE=1` each
 * command tells what it does.
 */
export async function playScenarios({ seed, from = 0, count }: Scenarios): Promise<void> {
  const { SEED = seed, PATH_ = String(from), TRACE } = process.env;
  const log = TRACE === undefined ? undefined : (line: string) => void process.stdout.write(`${line}\n`);
  await fc.assert(
    fc.asyncProperty(scenario, (each) => play(each, log)),
    { numRuns: count, seed: Number(SEED), path: PATH_ },
  );
}

/** What one scenario breaks; undefined where it keeps every promise. */
export async function brokenBy(seed: number, number: number): Promise<unknown> {
  const { failed, errorInstance } = await fc.check(
    fc.asyncProperty(scenario, (each) => play(each)),
    { numRuns: 1, seed, path: String(number), endOnFailure: true },
  );
  return failed ? errorInstance : undefined;
}

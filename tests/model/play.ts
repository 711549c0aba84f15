import fc from "fast-check";
import { play } from "./run";
import { scenario } from "./scenario";

/**
 * Plays so many random scenarios, the same ones for the same `seed`, and shrinks the first that breaks a
 * promise to its shortest form. The error says the seed and the path that play it again, as `SEED=… PATH_=…`;
 * with `TRACE=1` each command tells what it does.
 */
export async function playScenarios(count: number, seed?: number): Promise<void> {
  const { SEED = seed, PATH_, TRACE } = process.env;
  const log = TRACE === undefined ? undefined : (line: string) => void process.stdout.write(`${line}\n`);
  await fc.assert(
    fc.asyncProperty(scenario, (each) => play(each, log)),
    {
      numRuns: count,
      ...(SEED !== undefined && { seed: Number(SEED) }),
      ...(PATH_ !== undefined && { path: PATH_ }),
    },
  );
}

import fc from "fast-check";
import { record } from "../random/figures";
import { play } from "./run";
import { scenario } from "./scenario";

/**
 * Runs so many random scenarios, the same ones for the same `seed`, and shrinks the first that breaks a
 * promise to its shortest form. The error says the seed and the path that play it again, as `SEED=… PATH_=…`;
 * with `TRACE=1` each command tells what it does.
 */
export async function playScenarios(count: number, seed?: number): Promise<void> {
  const { SEED = seed ?? Math.floor(Math.random() * 1e9), PATH_, TRACE } = process.env;
  const log = TRACE === undefined ? undefined : (line: string) => void process.stdout.write(`${line}\n`);
  const begun = Date.now();
  await fc.assert(
    fc.asyncProperty(scenario, (each) => play(each, log)),
    {
      numRuns: count,
      seed: Number(SEED),
      ...(PATH_ !== undefined && { path: PATH_ }),
    },
  );
  record({
    ...{ engine: "a model of it in one process", date: new Date(begun).toISOString(), seed: Number(SEED) },
    ...{ scenarios: count, minutes: Math.ceil((Date.now() - begun) / 60_000), violations: 0, counts: {} },
  });
}

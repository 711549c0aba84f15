import fc from "fast-check";
import { play } from "./run";
import { scenario } from "./scenario";

const env = process.env;
const runs = Number(env["RUNS"] ?? 200);

test("whatever happens to a stack, one command brings the account to what is declared", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, (each) => play(each, env["TRACE"] ? console.log : undefined)),
    {
      numRuns: runs,
      ...(env["SEED"] !== undefined && { seed: Number(env["SEED"]) }),
      ...(env["PATH_"] !== undefined && { path: env["PATH_"] }),
    },
  );
});

// Nightly: each case starts a program and a provider for the CLI. `plans.test.ts` runs them in one process.
import { cliPath, skipReason } from "./judge";
import { cases, Plans } from "./plans";
import { runWithCli } from "./runners";

const plans = new Plans();
beforeAll(() => plans.begin());
afterAll(plans.end);

const judged = cliPath === undefined ? describe.skip : describe;

judged(`on the Pulumi CLI${skipReason}`, () => {
  test.each(Object.keys(cases))("%s", async (title) => {
    const { then, refused, deeds } = cases[title]!;
    const { told, output } = await plans.outcome(runWithCli, then);
    expect({ ...told, output }).toMatchObject({ fails: refused !== undefined, ...(!refused && { deeds }), output });
  });
});

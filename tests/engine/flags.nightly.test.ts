// Nightly: each case starts a program and a provider, and the CLI. `flags.test.ts` runs them in one process.
import { tonight } from "../nightly";
import { cases, expected, Flags } from "./flags";
import { cliPath, skipReason } from "./judge";
import { runHere, runWithCli } from "./runners";

const flags = new Flags();
beforeAll(() => flags.begin());
afterAll(flags.end);

describe("on the built-in engine", () => {
  test.each(tonight(16, Object.keys(cases)))("%s", async (title) => {
    const each = cases[title]!;
    const { told, output } = await flags.outcome(each, runHere);
    expect({ ...told, output }).toEqual({ ...expected(each), output });
  });
});

const judged = cliPath === undefined ? describe.skip : describe;

judged(`on the Pulumi CLI, whose calls and state are the same${skipReason}`, () => {
  test.each(Object.keys(cases))("%s", async (title) => {
    const each = cases[title]!;
    const [our, their] = [await flags.outcome(each, runHere), await flags.outcome(each, runWithCli)];
    expect({ ...their.told, output: their.output }).toEqual({ ...expected(each), output: their.output });
    expect(our.exact).toEqual(their.exact);
  });
});

// Nightly: the CLI, beside processes of the built-in engine. `state-edits.test.ts` runs that in one process.
import { cliPath, comparable, skipReason } from "./judge";
import { runHere, runWithCli } from "./runners";
import { cases, expected, StateEdits, stateOf } from "./state-edits";

const edits = new StateEdits();
beforeAll(() => edits.begin());
afterAll(edits.end);

const judged = cliPath === undefined ? describe.skip : describe;

judged(`by the Pulumi CLI's commands, which leave the same state${skipReason}`, () => {
  test.each(Object.keys(cases))("%s", async (title) => {
    const each = cases[title]!;
    const [our, their] = [await edits.outcome(each, runHere), await edits.outcome(each, runWithCli)];
    expect({ ...their.told, output: their.output }).toEqual({ ...expected(each), output: their.output });
    expect(our.exact).toEqual(their.exact);
  });

  test("a stack is renamed", async () => {
    const [ours, theirs] = [edits.copy(), edits.copy()];
    try {
      const line = ["stack", "rename", "live", "--stack", "dev"];
      const [our, their] = [await runHere(ours, line), await runWithCli(theirs, line)];
      expect([our.code, their.code]).toEqual([0, 0]);
      expect(comparable(stateOf(ours, "live"))).toEqual(comparable(stateOf(theirs, "live")));
    } finally {
      for (const workshop of [ours, theirs]) workshop.remove();
    }
  });
});

// First, so that the engine is read with its processes replaced.
import "../inline/processes";
import { cases, expected, Flags } from "./flags";
import { playBoxes } from "./inline-boxes";
import { runHere } from "./runners";

const flags = new Flags(playBoxes);
beforeAll(() => flags.begin());
afterAll(flags.end);

describe("on the built-in engine, in one process", () => {
  test.each(Object.keys(cases))("%s", async (title) => {
    const each = cases[title]!;
    const { told, output } = await flags.outcome(each, runHere);
    expect({ ...told, output }).toEqual({ ...expected(each), output });
  });
});

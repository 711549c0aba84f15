import { playScenarios } from "./play";
import { namedSeeds } from "./seeds";

jest.setTimeout(36_000_000);

test("whatever happens to a stack, one command restores what is declared, 10,000 times", () => playScenarios(10_000));

// `SCENARIOS` plays fewer of each seed, where a night is not long enough.
test.each(namedSeeds)("the scenarios of seed %i keep every promise", (seed, count) =>
  playScenarios(Math.min(count, Number(process.env["SCENARIOS"] ?? count)), seed),
);

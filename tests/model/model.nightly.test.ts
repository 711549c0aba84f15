import { playScenarios } from "./play";

jest.setTimeout(3_600_000);

test("whatever happens to a stack, one command brings the account to what is declared, ten thousand times", () =>
  playScenarios(10_000));

import { playScenarios } from "./play";

jest.setTimeout(3_600_000);

test("whatever happens to a stack, one command restores what is declared, 10,000 times", () => playScenarios(10_000));

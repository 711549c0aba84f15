import { isNightly } from "../nightly";
import { playScenarios } from "./play";

// The same scenarios in each run: a change fails for its own faults only. New ones are for the nightly run.
test("whatever happens to a stack, one command brings the account to what is declared", () =>
  playScenarios(isNightly ? 300 : 50, 20261122));

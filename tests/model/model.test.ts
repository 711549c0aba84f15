import { playScenarios } from "./play";

test("whatever happens to a stack, one command brings the account to what is declared", () => playScenarios(300));

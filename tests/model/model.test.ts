import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../rooms";
import { openQuestions } from "./open-questions";
import { playScenarios } from "./play";
import { scenarios } from "./seeds";

// The same scenarios in each run: a change fails for its own faults only.
test("whatever happens to a stack, one command brings the account to what is declared", () =>
  playScenarios({ seed: 20261122, count: 50 }));

test.each(openQuestions)("the open question of seed $seed, scenario $number, is recorded", (question) => {
  expect(question.number).toBeLessThan(scenarios);
  expect(existsSync(join(root, "docs/decisions", `${question.decision}.md`))).toBe(true);
});

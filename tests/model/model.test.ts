import { existsSync } from "node:fs";
import { join } from "node:path";
import { nightly } from "../nightly";
import { root } from "../rooms";
import { openQuestions } from "./open-questions";
import { playScenarios } from "./play";
import { namedSeeds } from "./seeds";

const seed = 20261122;
const short = 50;

// The same scenarios in each run: a change fails for its own faults only.
test("whatever happens to a stack, one command brings the account to what is declared", () =>
  playScenarios({ seed, count: short }));

nightly("a run of every change plays the first of them", () =>
  test("the scenarios after them keep every promise", () => playScenarios({ seed, from: short, count: 250 })),
);

test.each(openQuestions)("the open question of seed $seed, scenario $number, is recorded", (question) => {
  const named = namedSeeds.find(([seed]) => seed === question.seed);
  expect(named?.[1]).toBeGreaterThan(question.number);
  expect(existsSync(join(root, "docs/decisions", `${question.decision}.md`))).toBe(true);
});

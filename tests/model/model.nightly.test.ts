import { runsOf } from "../nightly";
import { isBroken, openOf, openQuestions } from "./open-questions";
import { brokenBy, playScenarios } from "./play";
import { scenarios, seedsOfTonight } from "./seeds";

jest.setTimeout(36_000_000);

/** Scenarios of one test, so that none takes long. */
const most = 100;

/** The scenarios of a seed without those that an open question is about, some at a time. */
function runsOfSeed(seed: number): (readonly [seed: number, first: number, last: number])[] {
  const ends = [...openOf(seed), scenarios];
  return ends.flatMap((end, index) => {
    const begin = index === 0 ? 0 : ends[index - 1]! + 1;
    return runsOf(end - begin, most).map(({ from, count }) => [seed, begin + from, begin + from + count - 1] as const);
  });
}

test.each(seedsOfTonight.flatMap(runsOfSeed))(
  "whatever happens, one command restores what is declared: seed %i, %i to %i",
  (seed, first, last) => playScenarios({ seed, from: first, count: last - first + 1 }),
);

test.each(openQuestions.map(({ seed, number, ...rest }) => [seed, number, rest] as const))(
  "of seed %i, scenario %i breaks the promise of its open question, and no other",
  async (seed, number, question) => {
    const broken = await brokenBy(seed, number);
    if (!isBroken(question, broken)) throw broken ?? new Error("it keeps every promise");
  },
);

import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { root } from "../rooms";
import { asked, UsageError } from "./asked";
import { added, countsIn, partOfCommit, sentenceOf } from "./counts";
import { type NightRecord, partCount, partsOf, type Recorded, sharesIn, unitsOf } from "./plan";
import { readRecord } from "./record";
import { nightSuites } from "./suites";

const recorded: fc.Arbitrary<Recorded> = fc.record({
  seconds: fc.integer({ min: 1, max: 3000 }),
  tests: fc.integer({ min: 1, max: 60 }),
});
const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 12 });

test("all parts together have each test of each suite once, recorded or not", () => {
  fc.assert(
    fc.property(names, fc.array(recorded), fc.integer({ min: 1, max: 20 }), (suites, records, count) => {
      const record: NightRecord = Object.fromEntries(records.map((each, index) => [suites[index] ?? "gone", each]));
      const parts = partsOf(unitsOf(suites, record), count).map(sharesIn);
      expect(parts).toHaveLength(count);
      // An expectation for each of 60 tests would take longer than what it judges.
      const numbers = Array.from({ length: 60 }, (_, number) => number);
      const playersOf = (suite: string, number: number): number =>
        parts.filter((part) => {
          const shares = part.get(suite);
          return shares?.mine.includes(number % shares.of);
        }).length;
      for (const suite of suites)
        expect({ suite, not: numbers.filter((number) => playersOf(suite, number) !== 1) }).toEqual({ suite, not: [] });
    }),
  );
});

test("a suite without a record is taken for the longest", () => {
  const record = { short: { seconds: 5, tests: 3 }, long: { seconds: 900, tests: 30 } };
  const seconds = (suite: string): number => unitsOf([suite], record).reduce((sum, unit) => sum + unit.seconds, 0);
  expect([seconds("short"), seconds("long"), seconds("new")]).toEqual([5, 900, 900]);
});

test("a long suite is divided by its tests, not into more shares than those", () => {
  expect(unitsOf(["a"], { a: { seconds: 960, tests: 30 } }).map(({ share, of }) => `${share}/${of}`)).toEqual([
    "0/4",
    "1/4",
    "2/4",
    "3/4",
  ]);
  expect(unitsOf(["a"], { a: { seconds: 960, tests: 2 } })).toHaveLength(2);
});

test("parts take about the same time", () => {
  const suites = Array.from({ length: 40 }, (_, index) => `s${index}`);
  const record = Object.fromEntries(suites.map((suite, index) => [suite, { seconds: 10 + index, tests: 1 }]));
  const seconds = partsOf(unitsOf(suites, record), 4).map((part) => part.reduce((sum, unit) => sum + unit.seconds, 0));
  expect(Math.max(...seconds) - Math.min(...seconds)).toBeLessThanOrEqual(10);
});

test("there are as few parts as keep each below a quarter of an hour of two cores", () => {
  const count = (seconds: number): number => partCount(unitsOf(["a"], { a: { seconds, tests: 1000 } }));
  expect([count(1500), count(1800), count(15_000)]).toEqual([1, 2, 11]);
});

test("the record is of suites that there are, and has its number of parts from them", () => {
  const { parts, suites } = readRecord();
  const names = Object.keys(suites);
  const known = new Set(nightSuites());
  expect(names.filter((suite) => !known.has(suite))).toEqual([]);
  expect(parts).toBe(partCount(unitsOf(names, suites)));
});

test("suites that mark tests as nightly are found, through whatever module they do", () => {
  expect(nightSuites()).toEqual(
    expect.arrayContaining([
      "tests/model/model.nightly.test.ts",
      "tests/e2e/exchange.test.ts",
      // By `security/pairs`, and by `lifecycle/contract/hosts`.
      "tests/security/hostile-service.test.ts",
      "tests/lifecycle/contract/updates.test.ts",
    ]),
  );
  expect(nightSuites()).not.toContain("tests/core/wire.test.ts");
});

test("a suite that asks how long it is marks its tests as longer at night", () => {
  const texts = nightSuites().map((suite) => [suite, readFileSync(join(root, suite), "utf8")] as const);
  const asking = texts.filter(([, text]) => /\bisNightly\b/.test(text));
  expect(asking.length).toBeGreaterThan(10);
  expect(asking.filter(([, text]) => !text.includes("longerAtNight(")).map(([suite]) => suite)).toEqual([]);
});

test.each(["9/4", "x", "0/4", "1/0", "-1/4", "1", "1/4/2", "1.5/2", ""])("`--part %s` is refused", (part) => {
  expect(() => asked(["--part", part])).toThrow(UsageError);
});

test.each([
  [["--parts", "1/2"]],
  [["--record", "--fresh"]],
  [["--record", "--part", "1/2"]],
  [["--share", "2"]],
  [["--record", "--share", "x"]],
])("%j is refused", (args) => {
  expect(() => asked(args)).toThrow(UsageError);
});

test("without a part, a night is the whole; what follows `--` is for jest", () => {
  const whole = { part: 1, of: 1, isFresh: false, patterns: [], jest: [] };
  expect(asked([])).toEqual(whole);
  expect(asked(["--part", "2/3", "--fresh", "tests/e2e", "--", "-t", "a"])).toEqual({
    ...{ part: 2, of: 3, isFresh: true, patterns: ["tests/e2e"], jest: ["-t", "a"] },
  });
});

test("a record is of all suites that have none, or of those named; of some, by a share", () => {
  expect(asked(["--record"])).toEqual({ record: [], share: 1 });
  expect(asked(["--record", "--share", "20", "tests/a.test.ts"])).toEqual({ record: ["tests/a.test.ts"], share: 20 });
});

const results = (counts: object) => ({
  ...{ numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, numRuntimeErrorTestSuites: 0 },
  ...counts,
});

test("a landing counts both stages, and a stage that fails without a test", () => {
  const day = countsIn(results({ numPassedTests: 7, numPendingTests: 2 }), true);
  const night = countsIn(results({ numPassedTests: 1, numFailedTests: 1, numRuntimeErrorTestSuites: 2 }), false);
  expect(sentenceOf(added(day, night))).toBe("8 passed, 3 failed, 2 skipped");
  expect(sentenceOf(countsIn(results({ numPassedTests: 7 }), false))).toBe("7 passed, 1 failed, 0 skipped");
  expect(sentenceOf(countsIn(undefined, false))).toBe("0 passed, 1 failed, 0 skipped");
});

test("commits one after the other run all parts; without a history the id decides", () => {
  expect(["11", "12", "13", "14"].map((count) => partOfCommit({ count }, 3))).toEqual([3, 1, 2, 3]);
  expect(partOfCommit({ id: "ffffffffffffffffffffffffffffffffffffffff" }, 16)).toBe(16);
  expect(partOfCommit({ id: "0000000000000000000000000000000000000000" }, 16)).toBe(1);
});

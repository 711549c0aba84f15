const { nightTitle } = require("./night/selection.cjs") as { nightTitle: string };

/** Which night this is: a landing has none. */
const night = Number(process.env["NIGHT_SEED"] ?? 0);

/** Whether this is the nightly run, which runs what a normal run leaves out; a normal run takes minutes. */
export const isNightly = process.env["NIGHTLY"] === "true";

/** Tests of the nightly run alone: a normal run shows them as skipped, with the reason, and has a short form. */
export function nightly(reason: string, tests: () => void): void {
  (isNightly ? describe : describe.skip)(nightTitle + reason, tests);
}

/** Tests that ask `isNightly` how long they are: a normal run runs the short form, the nightly run the long one. */
export function longerAtNight(tests: () => void): void {
  if (isNightly) nightly("its long form", tests);
  else tests();
}

/**
 * The seed of what a suite draws. A landing has the same each time, so that a failure is one of its change; a night
 * draws others each day of the year, which `NIGHT_SEED` repeats.
 */
export const seedOf = (fixed: number): number => (fixed + night * 1_000_003) % 2 ** 31;

/** One in `nth` of the cases at night, others each night and at each `place`; all of them by day. */
export const tonight = <T>(nth: number, cases: readonly T[], place = 0): readonly T[] =>
  isNightly ? cases.filter((_, index) => (index + night + place) % nth === 0) : cases;

/** The numbers from 0 to `count`, divided into runs of `most` at a time, so that no test takes long. */
export const runsOf = (count: number, most: number): { from: number; count: number }[] =>
  Array.from({ length: Math.ceil(count / most) }, (_, index) => ({
    from: index * most,
    count: Math.min(most, count - index * most),
  }));

/**
 * The same tests with every `nth` of the cases in each run, beginning elsewhere at each `place`, and with the others at
 * night.
 */
export function everyNth<T>(
  nth: number,
  place: number,
  cases: readonly T[],
  tests: (cases: readonly T[]) => void,
): void {
  const isNow = (_: T, index: number): boolean => (index + place) % nth === 0;
  const [now, later] = [cases.filter(isNow), cases.filter((each, index) => !isNow(each, index))];
  if (now.length > 0) tests(now);
  if (later.length > 0)
    nightly(`each run covers one in ${nth} of these cases here, and others beside it`, () => tests(later));
}

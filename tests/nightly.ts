/** Whether this is the nightly run, which runs everything at full length; a normal run takes minutes. */
export const isNightly = process.env["NIGHTLY"] === "true";

/** Tests of the nightly run alone: a normal run shows them as skipped, with the reason, and has a short form. */
export function nightly(reason: string, tests: () => void): void {
  if (isNightly) tests();
  else describe.skip(`in the nightly run: ${reason}`, tests);
}

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

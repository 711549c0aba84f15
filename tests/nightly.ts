/** Whether this is the nightly run, which plays everything at full length; a normal run takes minutes. */
export const isNightly = process.env["NIGHTLY"] === "true";

/** Tests of the nightly run alone: a normal run shows them as skipped, with the reason, and has a short form. */
export function nightly(reason: string, tests: () => void): void {
  if (isNightly) tests();
  else describe.skip(`in the nightly run: ${reason}`, tests);
}

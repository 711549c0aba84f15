/** What a stage of a landing has come to. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Of what jest writes with `--json`. */
export interface Results {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  /** Suites that could not be read. */
  numRuntimeErrorTestSuites: number;
}

/** A stage that fails without a failed test, of lint or types for example, has one failure. */
export function countsIn(results: Results | undefined, isGood: boolean): Counts {
  const failed = (results?.numFailedTests ?? 0) + (results?.numRuntimeErrorTestSuites ?? 0);
  return {
    passed: results?.numPassedTests ?? 0,
    failed: isGood ? failed : Math.max(1, failed),
    skipped: (results?.numPendingTests ?? 0) + (results?.numTodoTests ?? 0),
  };
}

export const added = (one: Counts, other: Counts): Counts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
});

export const sentenceOf = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

/**
 * The part of the night that a commit runs: the next one for each commit of a branch. Where the history is cut off, its
 * length is unknown, and the commit's id decides.
 */
export const partOfCommit = (commit: { count: string } | { id: string }, parts: number): number =>
  Number(("count" in commit ? BigInt(commit.count) : BigInt(`0x${commit.id}`)) % BigInt(parts)) + 1;

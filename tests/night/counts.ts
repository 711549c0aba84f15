/** Into how many parts the night is divided; `.github/workflows/nightly.yml` has as many. */
export const nightParts = 8;

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
  testResults: readonly {
    name: string;
    assertionResults: readonly { status: string; fullName: string }[];
  }[];
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

/** Suites that judged nothing although they were there, each with the reason that its first test gives. */
export const unjudged = (results: Results | undefined, nightTitle: string): { suite: string; reason: string }[] =>
  (results?.testResults ?? []).flatMap(({ name, assertionResults: tests }) => {
    const isUnjudged = tests.length > 0 && tests.every(({ status }) => status === "pending" || status === "todo");
    const here = tests.find(({ fullName }) => !fullName.includes(nightTitle));
    return isUnjudged && here ? [{ suite: name, reason: here.fullName }] : [];
  });

/**
 * The part of the night that a commit begins with: the next one for each commit of a branch. Where the history is cut
 * off, its length is unknown, and the commit's id decides.
 */
export const partOfCommit = (commit: { count: string } | { id: string }, parts: number): number =>
  Number(("count" in commit ? BigInt(commit.count) : BigInt(`0x${commit.id}`)) % BigInt(parts)) + 1;

import type { DriftReport, Finding, Verdict } from "./document";
import { exitCodeOf, isDrift } from "./exit-code";
import { withGroups } from "./groups";

/** What a report says beyond an earlier one: findings that are new or changed, and those that are resolved. */
export function sinceEarlier(report: DriftReport, earlier: DriftReport, failOn: readonly Verdict[]): DriftReport {
  const before = new Map(earlier.findings.map((finding) => [finding.fingerprint, finding]));
  const now = new Set(report.findings.filter(isOpen).map(({ fingerprint }) => fingerprint));
  const read = new Set(report.accounts.map(({ account }) => account));
  const findings = report.findings.filter((finding) => !isSame(finding, before.get(finding.fingerprint)));
  const over = earlier.findings.filter(
    (finding) => isOpen(finding) && read.has(finding.account) && !now.has(finding.fingerprint),
  );
  const drifted = isDrift(findings, failOn);
  const resolved = over.map(({ fingerprint, verdict, type, name }) => ({ fingerprint, verdict, type, name }));
  return withGroups({
    ...report,
    drifted,
    exitCode: exitCodeOf({ complete: report.complete, drifted }),
    findings,
    resolved,
  });
}

const isOpen = ({ suppressed, verdict }: Finding): boolean => !suppressed && verdict !== "in-sync";

const isSame = (finding: Finding, other: Finding | undefined): boolean =>
  other !== undefined && essence(finding) === essence(other);

/** Times, and reasons with counts or request ids, do not count as changes. */
const essence = ({ verdict, changes, suppressed }: Finding): string =>
  JSON.stringify([verdict, suppressed === undefined, changes.map(({ path, live }) => [path, live])]);

import type { DriftReport, Finding } from "./document";

/** What a report says beyond an earlier one: findings that are new or other than they were, and what is found no more. */
export function sinceEarlier(findings: readonly Finding[], earlier: DriftReport, accounts: ReadonlySet<string>): Required<Pick<DriftReport, "findings" | "resolved">> {
  const before = new Map(earlier.findings.map((finding) => [finding.fingerprint, finding]));
  const now = new Set(findings.filter(({ suppressed }) => !suppressed).map(({ fingerprint }) => fingerprint));
  const over = earlier.findings.filter(({ fingerprint, account, suppressed, verdict }) => !suppressed && verdict !== "in-sync" && accounts.has(account) && !now.has(fingerprint));
  return {
    findings: findings.filter((finding) => !isSame(finding, before.get(finding.fingerprint))),
    resolved: over.map(({ fingerprint, verdict, type, name }) => ({ fingerprint, verdict, type, name })),
  };
}

const isSame = (finding: Finding, other: Finding | undefined): boolean => other !== undefined && essence(finding) === essence(other);

/** Times, and reasons that hold counts or request ids, are no news. */
const essence = ({ verdict, changes, suppressed }: Finding): string => JSON.stringify([verdict, suppressed === undefined, changes.map(({ path, live }) => [path, live])]);

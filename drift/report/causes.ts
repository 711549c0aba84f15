import type { DriftReport } from "../scan/document";
import type { Finding, FindingGroup } from "../scan/finding-schema";
import { byWeight, weightOf, weightOfGroup } from "../scan/weight";
import { readingOrder } from "./wording";

/** Findings of one cause. */
export interface SharedCause {
  group: FindingGroup;
  members: readonly Finding[];
}

/** What is shown as one: a cause that findings share, or a finding with something that it shares with no other. */
export type Cause = SharedCause | { finding: Finding };

/** Everything that was found, each cause once, in reading order. */
export function causesIn({ findings, groups = [] }: Pick<DriftReport, "findings" | "groups">): Cause[] {
  const byFingerprint = new Map(findings.map((finding) => [finding.fingerprint, finding]));
  const shared = new Map<Finding, number>();
  const causes = groups.map((group): Cause => {
    const members = group.members.flatMap((member) => byFingerprint.get(member) ?? []);
    for (const member of members) shared.set(member, (shared.get(member) ?? 0) + Math.max(1, group.changes.length));
    return { group, members };
  });
  const single = findings.filter((finding) => (shared.get(finding) ?? 0) < Math.max(1, finding.changes.length));
  return [...causes, ...single.map((finding): Cause => ({ finding }))].sort(inReading);
}

/** Findings in reading order, each alone. */
export const inReadingOrder = (findings: readonly Finding[]): Finding[] =>
  findings
    .map((finding): Cause & { finding: Finding } => ({ finding }))
    .sort(inReading)
    .map(({ finding }) => finding);

/** What counts comes first; of that the severe, the costly, what much depends on, and what is old. */
function inReading(one: Cause, other: Cause): number {
  const [left, right] = [headOf(one), headOf(other)];
  return (
    Number(left.suppressed !== undefined) - Number(right.suppressed !== undefined) ||
    byWeight(left.weight, right.weight) ||
    right.size - left.size ||
    readingOrder.indexOf(left.verdict) - readingOrder.indexOf(right.verdict)
  );
}

/** What a cause is placed by. */
export function headOf(cause: Cause) {
  if ("finding" in cause) return { ...cause.finding, weight: weightOf(cause.finding), size: 1 };
  return { ...cause.group, weight: weightOfGroup(cause.group), size: cause.members.length };
}

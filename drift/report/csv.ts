import { type CsvColumns, csvText } from "../../io/text/markup";
import { withoutAccount } from "../scan/finding";
import type { Change, Finding, FindingGroup } from "../scan/finding-document";
import { causesIn, type SharedCause } from "./causes";
import type { ReportWriter } from "./context";
import { valueText } from "./values";

type Row = { finding: Finding; group?: FindingGroup | undefined; change?: Change | undefined };

const list = (texts: readonly string[]): string => texts.join("; ");

const columns: CsvColumns<Row> = {
  fingerprint: ({ finding }) => finding.fingerprint,
  ruleId: ({ finding }) => finding.ruleId,
  verdict: ({ finding }) => finding.verdict,
  severity: ({ finding }) => finding.severity,
  account: ({ finding }) => finding.account,
  origin: ({ finding }) => finding.origin,
  type: ({ finding }) => finding.type,
  name: ({ finding }) => finding.name,
  urn: ({ finding }) => finding.urn,
  stacks: ({ finding }) => list(finding.stacks),
  owner: ({ finding }) => finding.owner,
  reason: ({ finding }) => finding.reason,
  updateTime: ({ finding }) => finding.updateTime,
  unverified: ({ finding }) => list(finding.unverified),
  suppressedBy: ({ finding }) => finding.suppressed?.by,
  suppressedOwner: ({ finding }) => finding.suppressed?.owner,
  suppressedReason: ({ finding }) => finding.suppressed?.reason,
  suppressedUntil: ({ finding }) => finding.suppressed?.expires,
  firstSeen: ({ finding }) => finding.firstSeen,
  timesSeen: ({ finding }) => finding.timesSeen?.toString(),
  changedAfter: ({ finding }) => finding.changedBetween?.after,
  changedBefore: ({ finding }) => finding.changedBetween?.before,
  hourlyCostChange: ({ finding }) => finding.hourlyCostChange,
  dependents: ({ finding }) => String(finding.dependents?.length ?? 0),
  group: ({ group }) => group?.id,
  path: ({ change }) => change?.path,
  kind: ({ change }) => change?.kind,
  recorded: ({ change }) => change && valueText(change.recorded),
  live: ({ change }) => change && valueText(change.live),
  pathSeverity: ({ change }) => change?.severity,
  managed: ({ change }) => change && String(change.managed),
};

/**
 * For spreadsheets, by RFC 4180: a row per changed field, and one for a finding without any. What has one cause stands
 * together.
 */
export const csv: ReportWriter = (report) => {
  const written = new Set<Change | Finding>();
  const rows = causesIn(report)
    .flatMap((cause) => ("finding" in cause ? rowsOf(cause.finding) : membersOf(cause)))
    .filter(({ finding, change }) => !written.has(change ?? finding) && written.add(change ?? finding));
  return csvText(columns, rows);
};

const rowsOf = (finding: Finding): Row[] =>
  finding.changes.length === 0 ? [{ finding }] : finding.changes.map((change) => ({ finding, change }));

/** Of each member, what it shares with the others. */
const membersOf = ({ group, members }: SharedCause): Row[] =>
  members.flatMap((finding) =>
    rowsOf(finding)
      .filter(({ change }) => change === undefined || isShared(group, finding, change))
      .map((row) => ({ ...row, group })),
  );

const isShared = ({ changes }: FindingGroup, { account }: Finding, { path }: Change): boolean =>
  changes.some((change) => change.path === withoutAccount(path, account));

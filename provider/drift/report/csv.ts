import { csvText } from "../../text/csv";
import type { Change, Finding } from "../document";
import type { ReportFormat } from "./format";
import { valueText } from "./values";

type Row = { finding: Finding; change?: Change | undefined };

const list = (texts: readonly string[]): string => texts.join("; ");

/** The columns. A field without a value is empty. */
const columns: Readonly<Record<string, (row: Row) => string | null | undefined>> = {
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
  path: ({ change }) => change?.path,
  kind: ({ change }) => change?.kind,
  recorded: ({ change }) => change && valueText(change.recorded),
  live: ({ change }) => change && valueText(change.live),
  pathSeverity: ({ change }) => change?.severity,
  managed: ({ change }) => change && String(change.managed),
};

/** For spreadsheets, by RFC 4180: a row per changed field, and one for a finding without any. */
export const csv: ReportFormat = {
  extension: "csv",
  render({ findings }) {
    const rows = findings.flatMap((finding): Row[] =>
      finding.changes.length === 0 ? [{ finding }] : finding.changes.map((change) => ({ finding, change })),
    );
    return csvText([Object.keys(columns), ...rows.map((row) => Object.values(columns).map((read) => read(row) ?? ""))]);
  },
};

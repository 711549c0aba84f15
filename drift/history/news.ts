import { omitUndefined } from "../../provider/core/values/values";
import type { AccountReport, DriftReport, MissingPart } from "../scan/document";
import { shortHash, withGroups } from "../scan/finding";
import { type Finding, isInformational, natureOf } from "../scan/finding-document";
import { severities } from "../scan/verdicts";
import { coveredBy, type History } from "./history";
import {
  type FindingChange,
  type FindingRecord,
  findingLine,
  historyVersion,
  type Occurrence,
  type ScanRecord,
} from "./records";

/** What a scan says beyond the history before it. What is accepted is in none of the lists. */
export interface HistoryDelta {
  /** Reported for the first time, or again after it was resolved. */
  found: readonly Finding[];
  /** More severe than before, with fields that did not differ, deleted since, or accepted no longer. */
  worse: readonly Finding[];
  /** No longer reported by this scan, which read the object. */
  resolved: readonly Occurrence[];
  /** Of what this scan could not read, what is news: nothing, where the history has had the scan before. */
  missing?: readonly MissedPart[] | undefined;
  /** Open as before, and now another team's; `from`: whose it was, undefined where it was nobody's. */
  handedOver: readonly { finding: Finding; from: string | undefined }[];
}

/** What a scan has not read. */
export interface MissedPart extends MissingPart {
  /** End of the scan. */
  at: string;
}

/** What there is to tell somebody. */
export type News = Omit<HistoryDelta, "handedOver">;

/** A line that a scan adds. */
interface Movement {
  change: Exclude<FindingChange, "kept">;
  before: Occurrence | undefined;
  /** Absent once it is resolved. */
  finding?: Finding;
}

type ScanFacts = Omit<ScanRecord, "sequence" | "open">;

/** What a scan has read, by its report. */
export function scanOf(report: DriftReport, { open }: Pick<History, "open">): ScanFacts {
  const unknown = report.findings
    .filter((finding) => isUnknown(finding) && open.has(finding.fingerprint))
    .map(({ fingerprint }) => fingerprint);
  const failed = new Set(report.failedPolicies?.map(({ name }) => `policy/${name}`));
  for (const { ruleId, fingerprint } of open.values()) if (failed.has(ruleId)) unknown.push(fingerprint);
  return omitUndefined<ScanFacts>({
    schemaVersion: historyVersion,
    record: "scan",
    scan: scanId(report),
    scannedAt: report.finishedAt,
    startedAt: report.startedAt,
    run: report.scope.run,
    audit: report.policies && true,
    stacks: report.scope.stacks,
    unmanaged: report.findings.filter(({ verdict }) => verdict === "unmanaged").length === report.summary.unmanaged,
    services: servicesOf(report),
    missing: missingIn(report),
    complete: report.complete,
    unknown: unknown.length > 0 ? unknown : undefined,
  });
}

/** Accounts, and what a list would have shown, are missing where no service has them. */
function missingIn({ missing = [] }: DriftReport): ScanFacts["missing"] {
  const others = missing
    .filter(({ part }) => part === "shard" || part === "stack")
    .map(({ part, name }) => ({ part, name }));
  return others.length > 0 ? others : undefined;
}

/** The same for each copy of a report, and another one for each scan. */
const scanId = ({ tool, startedAt, finishedAt, scope, accounts, findings }: DriftReport): string =>
  shortHash(
    JSON.stringify([
      tool.version,
      startedAt,
      finishedAt,
      scope,
      accounts.map(({ origin, account, status, requests }) => [origin, account, status, requests]),
      findings.map(({ fingerprint, verdict }) => [fingerprint, verdict]),
    ]),
  );

function servicesOf({ accounts }: DriftReport): ScanRecord["services"] {
  const origins = [...new Set(accounts.map(({ origin }) => origin))];
  return origins.map((origin) => {
    const of = accounts.filter((each) => each.origin === origin);
    const partial = of
      .filter(({ status }) => status === "partial")
      .map(({ account, collections }) => ({
        account,
        unread: collections.filter(({ status }) => status !== "read").map(({ name }) => name),
      }));
    const refused = of.filter(({ status }) => status === "forbidden").map(({ account }) => account);
    return omitUndefined({
      origin,
      accounts: of.filter(({ status }) => status === "read").map(({ account }) => account),
      partial: partial.length > 0 ? partial : undefined,
      refused: refused.length > 0 ? refused : undefined,
    });
  });
}

/** Accounts whose key is refused, and was not when a scan of this kind last got an answer for it. */
export function newlyRefused(report: DriftReport, { scans }: Pick<History, "scans">): MissedPart[] {
  const isAudit = report.policies !== undefined;
  const services = scans.filter(({ audit = false }) => audit === isAudit).flatMap((scan) => scan.services);
  const wasRefused = (place: Pick<AccountReport, "account" | "origin">): boolean => {
    const last = services.findLast(
      ({ origin, accounts, partial = [], refused = [] }) =>
        origin === place.origin &&
        [...accounts, ...partial.map(({ account }) => account), ...refused].includes(place.account),
    );
    return last?.refused?.includes(place.account) === true;
  };
  return report.accounts
    .filter((place) => place.status === "forbidden" && !wasRefused(place))
    .map(({ account }) => ({ part: "account", name: account, reason: "its key is refused", at: report.finishedAt }));
}

/** It could not be read, or is changing right now: it may still be as it was. */
const isUnknown = (finding: Finding): boolean =>
  natureOf[finding.verdict] === "unknown" || (finding.verdict === "in-flight" && isInformational(finding));

/** Whether the history keeps it: it differs, or a rule says more of it than its verdict. */
const isRecorded = (finding: Finding): boolean => natureOf[finding.verdict] !== "unknown" && !isInformational(finding);

/** Open findings that a scan, which the history has, says nothing of: it has not read them. */
export function unreadFindings(
  { findings, policies }: Pick<DriftReport, "findings" | "policies">,
  { open }: Pick<History, "open">,
): Occurrence[] {
  const read = new Set(findings.filter((finding) => !isUnknown(finding)).map(({ fingerprint }) => fingerprint));
  return [...open.values()].filter(
    ({ acceptedBy, verdict, fingerprint }) =>
      acceptedBy === null && (verdict === "breach") === (policies !== undefined) && !read.has(fingerprint),
  );
}

/** How the findings of a report, whose scan read `facts`, differ from those that are open. */
export function historyChanges(report: DriftReport, facts: ScanFacts, { open }: Pick<History, "open">): Movement[] {
  const openFindings = new Map(report.findings.filter(isRecorded).map((finding) => [finding.fingerprint, finding]));
  const unread = report.findings.filter(isUnknown).map(({ fingerprint }) => fingerprint);
  const unknown = new Set([...unread, ...(facts.unknown ?? [])]);
  const isCovered = coveredBy(facts);
  const resolvedOccurrences = [...open.values()].filter(
    (before) => !openFindings.has(before.fingerprint) && !unknown.has(before.fingerprint) && isCovered(before),
  );
  return [
    ...[...openFindings.values()].flatMap((finding) => movementOf(finding, open.get(finding.fingerprint)) ?? []),
    ...resolvedOccurrences.map((before) => ({ change: "gone" as const, before })),
  ];
}

function movementOf(finding: Finding, before: Occurrence | undefined): Movement | undefined {
  if (before === undefined) return { change: "found", before, finding };
  const now = factsOf(finding);
  const essence = ({ ruleId, verdict, severity, fields, acceptedBy }: Essence): string =>
    JSON.stringify([ruleId, verdict, severity, fields, acceptedBy]);
  if (essence(now) === essence(before) && !isHandedOver(finding, before)) return undefined;
  return { change: isWorse(now, before) ? "worse" : "better", before, finding };
}

/** What of a finding makes it another one for those who know of it. */
type Essence = Pick<Occurrence, "ruleId" | "verdict" | "severity" | "fields" | "acceptedBy">;

/** A scan that knows no owners says nothing of them. */
const isHandedOver = ({ owner }: Finding, before: Occurrence | undefined): boolean =>
  owner !== undefined && before !== undefined && owner !== before.owner;

function isWorse(now: ReturnType<typeof factsOf>, before: Occurrence): boolean {
  if (now.acceptedBy !== null) return false;
  return (
    before.acceptedBy !== null ||
    severities.indexOf(now.severity) < severities.indexOf(before.severity) ||
    (now.verdict === "missing" && before.verdict !== "missing") ||
    now.fields.some((field) => !before.fields.includes(field))
  );
}

/** What of a finding is written down: names, and no values. */
const factsOf = (finding: Finding) => {
  const { fingerprint, ruleId, verdict, severity, account, origin, type, name, stacks } = finding;
  const { owner, suppressed, changes } = finding;
  return {
    ...omitUndefined({ owner }),
    ...{ fingerprint, ruleId, verdict, severity, account, origin, type, name, stacks },
    fields: changes.map(({ path }) => path).sort(),
    acceptedBy: suppressed?.by ?? null,
  };
};

export const deltaOf = (movements: readonly Movement[]): HistoryDelta => {
  const findings = (change: "found" | "worse"): Finding[] =>
    movements.flatMap((each) =>
      each.change === change && each.finding && !each.finding.suppressed ? [each.finding] : [],
    );
  return {
    found: findings("found"),
    worse: findings("worse"),
    resolved: movements.flatMap(({ change, before }) =>
      change === "gone" && before && before.acceptedBy === null ? [before] : [],
    ),
    handedOver: movements.flatMap(({ change, before, finding }) =>
      change === "better" && finding && !finding.suppressed && isHandedOver(finding, before)
        ? [{ finding, from: before?.owner }]
        : [],
    ),
  };
};

/** The report, with what the history knows of each finding. */
export const withDates = (report: DriftReport, { open }: Pick<History, "open">): DriftReport =>
  withGroups({
    ...report,
    findings: report.findings.map((finding) => {
      const known = isRecorded(finding) ? open.get(finding.fingerprint) : undefined;
      return known ? withTimes(finding, known) : finding;
    }),
  });

function withTimes(finding: Finding, { firstSeen, timesSeen, verdictSince }: Occurrence): Finding {
  const { verdict, changedBetween } = finding;
  // Nothing is left that could tell when it was deleted.
  const window = verdict === "missing" ? deletedBetween(changedBetween?.after, verdictSince) : changedBetween;
  return omitUndefined({ ...finding, firstSeen, timesSeen, changedBetween: window });
}

/** Two clocks may disagree: a time of recording that is not before the scan that missed the object says nothing. */
const deletedBetween = (after: string | undefined, before: string): Finding["changedBetween"] =>
  after !== undefined && Date.parse(after) < Date.parse(before) ? { after, before } : { before };

/** What a scan writes: a line for each movement, and last its own. */
export function linesOf(
  facts: ScanFacts,
  before: History,
  movements: readonly Movement[],
): { findings: FindingRecord[]; scan: ScanRecord } {
  const line = findingLine(facts);
  const timesByFingerprint = occurrenceCounts(before);
  const findings = movements.map(
    (movement): FindingRecord => ({
      ...line,
      change: movement.change,
      ...describeMovement(movement, facts.scannedAt, timesByFingerprint),
    }),
  );
  const sequence = (before.scans.at(-1)?.sequence ?? 0) + 1;
  return { findings, scan: { ...facts, sequence, open: openAfter(before, findings) } };
}

type DescribedFinding = Omit<FindingRecord, "schemaVersion" | "record" | "scan" | "scannedAt" | "change">;

function describeMovement(
  { before, finding }: Movement,
  at: string,
  timesByFingerprint: ReadonlyMap<string, number>,
): DescribedFinding {
  if (!finding) {
    const { recordedAt: _, resolvedAt: __, ...facts } = before!;
    return facts;
  }
  return {
    ...omitUndefined({ owner: before?.owner }),
    ...factsOf(finding),
    firstSeen: before?.firstSeen ?? at,
    lastSeen: at,
    timesSeen: (before?.timesSeen ?? 0) + 1,
    occurrence: before?.occurrence ?? (timesByFingerprint.get(finding.fingerprint) ?? 0) + 1,
    verdictSince: before?.verdict === finding.verdict ? before.verdictSince : at,
  };
}

/** How many scans had reported what is resolved. */
function occurrenceCounts({ ended }: History): Map<string, number> {
  const times = new Map<string, number>();
  for (const { fingerprint, occurrence } of ended)
    times.set(fingerprint, Math.max(occurrence, times.get(fingerprint) ?? 0));
  return times;
}

function openAfter({ open }: History, findings: readonly FindingRecord[]): ScanRecord["open"] {
  const after = new Map<string, Pick<FindingRecord, "severity" | "acceptedBy">>(open);
  for (const record of findings)
    if (record.change === "gone") after.delete(record.fingerprint);
    else after.set(record.fingerprint, record);
  const counts = { error: 0, warning: 0, note: 0 };
  for (const { severity, acceptedBy } of after.values()) if (acceptedBy === null) counts[severity]++;
  return counts;
}

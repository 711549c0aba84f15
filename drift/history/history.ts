import { ascending, dayMs, dayOf, groupBy } from "../../provider/core/values/grouping";
import { omitUndefined } from "../../provider/core/values/values";
import { specOf } from "../../provider/resources/index";
import type { DriftReport } from "../scan/document";
import { originKey } from "../scan/finding";
import type { Finding, Severity } from "../scan/finding-document";
import { severities } from "../scan/verdicts";
import type { FindingRecord, HistoryRecord, Occurrence, ScanRecord } from "./records";

/** What a history says of how findings come and go. What is accepted does not count, unless it was not at its end. */
export interface HistoryFigures {
  schemaVersion: 1;
  /** Ends of the first and the last scan; absent where there is none. */
  from?: string;
  to?: string;
  scans: number;
  accepted: number;
  bySeverity: RemedyFigures[];
  byAccount: RemedyFigures[];
  /** Repeated findings, the most frequent first. */
  recurring: Recurrence[];
  timeline: HistoryDay[];
}

/** Seconds from the scan that first reported a finding to the scan that no longer did. */
export interface RemedyFigures {
  /** A severity, or an account. */
  key: string;
  open: number;
  /** `firstSeen` of what is open longest. */
  oldest?: string;
  remedied: number;
  median?: number;
  longest?: number;
}

interface Recurrence {
  fingerprint: string;
  account: string;
  type: string;
  name: string;
  severity: Severity;
  times: number;
  open: boolean;
  /** When a scan reported it last. */
  lastFound: string;
}

/** One day of the timeline, UTC. */
export interface HistoryDay {
  day: string;
  /** After the day's last scan; of a day without one, as before. */
  open: Record<Severity, number>;
  found: number;
  gone: number;
}

export function figuresOf({ scans, open, ended }: History): HistoryFigures {
  const counted = [...ended, ...open.values()].filter(({ acceptedBy }) => acceptedBy === null);
  const times = scans.map(({ scannedAt }) => scannedAt).sort();
  const accounts = [...new Set(counted.map(({ account }) => account))].sort();
  return omitUndefined({
    schemaVersion: 1 as const,
    from: times[0],
    to: times.at(-1),
    scans: scans.length,
    accepted: [...open.values()].filter(({ acceptedBy }) => acceptedBy !== null).length,
    bySeverity: severities.map((severity) =>
      remedies(
        severity,
        counted.filter((each) => each.severity === severity),
      ),
    ),
    byAccount: accounts.map((account) =>
      remedies(
        account,
        counted.filter((each) => each.account === account),
      ),
    ),
    recurring: recurrences([...ended, ...open.values()]),
    timeline: timelineOf({ scans, open, ended }),
  });
}

/** The same for the findings of one severity in one account. */
export interface RemedyTimes extends Omit<RemedyFigures, "key"> {
  account: string;
  severity: Severity;
}

/** By the findings of the report's kind: breaches are an audit's. */
export function remedyTimesOf(
  { open, ended }: Pick<History, "open" | "ended">,
  { policies }: Pick<DriftReport, "policies">,
): RemedyTimes[] {
  const counting = [...ended, ...open.values()].filter(
    ({ acceptedBy, verdict }) => acceptedBy === null && (verdict === "breach") === (policies !== undefined),
  );
  const places = groupBy(counting, ({ account, severity }) => JSON.stringify([account, severity]));
  return [...places.entries()].sort().map(([place, occurrences]) => {
    const [{ account, severity }] = occurrences as [Occurrence];
    const { key: _, ...figures } = remedies(place, occurrences);
    return { account, severity, ...figures };
  });
}

function remedies(key: string, occurrences: readonly Occurrence[]): RemedyFigures {
  const open = occurrences.filter(({ resolvedAt }) => resolvedAt === undefined);
  const times = occurrences.flatMap((each) => remedySeconds(each) ?? []).sort((left, right) => left - right);
  return omitUndefined({
    key,
    open: open.length,
    oldest: open.map(({ firstSeen }) => firstSeen).sort()[0],
    remedied: times.length,
    median: medianOf(times),
    longest: times.at(-1),
  });
}

/** Of sorted numbers; undefined where there are none. */
function medianOf(sorted: readonly number[]): number | undefined {
  const last = sorted.length - 1;
  return last < 0 ? undefined : (sorted[Math.floor(last / 2)]! + sorted[Math.ceil(last / 2)]!) / 2;
}

/** Undefined while it is open. Never negative: a clock may have been wrong. */
const remedySeconds = ({ firstSeen, resolvedAt }: Occurrence): number | undefined =>
  resolvedAt === undefined ? undefined : Math.max(0, (Date.parse(resolvedAt) - Date.parse(firstSeen)) / 1000);

function recurrences(occurrences: readonly Occurrence[]): Recurrence[] {
  const latest = new Map<string, Occurrence>();
  for (const each of occurrences)
    if (each.occurrence > (latest.get(each.fingerprint)?.occurrence ?? 0)) latest.set(each.fingerprint, each);
  return [...latest.values()]
    .filter(({ occurrence }) => occurrence > 1)
    .sort((left, right) => right.occurrence - left.occurrence || (left.name < right.name ? -1 : 1))
    .map(({ fingerprint, account, type, name, severity, occurrence, resolvedAt, firstSeen }) => ({
      ...{ fingerprint, account, type, name, severity, times: occurrence },
      open: resolvedAt === undefined,
      lastFound: firstSeen,
    }));
}

/** A clock that was wrong by decades does not make a longer one. */
const longestTimeline = 400;

export function timelineOf({ scans, open, ended }: History): HistoryDay[] {
  const ends = new Map(scans.map(({ scannedAt, open: counts }) => [dayOf(scannedAt), counts]));
  const days = [...ends.keys()].sort();
  if (days.length === 0) return [];
  const occurrences = [...ended, ...open.values()];
  const newByDay = countByDay(occurrences.map(({ firstSeen }) => firstSeen));
  const resolvedByDay = countByDay(occurrences.flatMap(({ resolvedAt }) => resolvedAt ?? []));
  const last = Date.parse(days.at(-1)!);
  const first = Math.max(Date.parse(days[0]!), last - (longestTimeline - 1) * dayMs);
  let counts: HistoryDay["open"] = { error: 0, warning: 0, note: 0 };
  return Array.from({ length: (last - first) / dayMs + 1 }, (_, index) => {
    const day = dayOf(first + index * dayMs);
    counts = ends.get(day) ?? counts;
    return { day, open: counts, found: newByDay.get(day) ?? 0, gone: resolvedByDay.get(day) ?? 0 };
  });
}

function countByDay(times: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const time of times) counts.set(dayOf(time), (counts.get(dayOf(time)) ?? 0) + 1);
  return counts;
}

/** When what was read last. */
export interface LastScans {
  /** By account: the end of the last scan that read all of it. */
  accounts: ReadonlyMap<string, string>;
  /** End of the last scan whose run read everything. */
  complete: string | undefined;
}

/** By the scans of the report's kind: an audit reads for itself alone, and so does a scan for drift. */
export function lastScansOf(
  { scans: all }: Pick<History, "scans">,
  { policies }: Pick<DriftReport, "policies">,
): LastScans {
  const scans = all.filter(({ audit = false }) => audit === (policies !== undefined));
  const read = scans.flatMap(({ services, scannedAt }) =>
    services.flatMap(({ accounts }) => accounts.map((account) => [account, scannedAt] as const)),
  );
  return { accounts: new Map(read), complete: scans.findLast(({ complete }) => complete)?.scannedAt };
}

/** What the lines of a history say together. Each map and list is in the order of the scans. */
export interface History {
  scans: readonly ScanRecord[];
  /** By fingerprint, accepted ones included. */
  open: ReadonlyMap<string, Occurrence>;
  ended: readonly Occurrence[];
}

const none: History = { scans: [], open: new Map(), ended: [] };

/** Puts lines together, whatever their order, after what `base` has. Lines that are there twice count once. */
export function historyOf(records: readonly HistoryRecord[], base: History = none): History {
  const scans = new Map<string, ScanRecord>();
  for (const record of records) if (record.record === "scan") scans.set(record.scan, record);
  const findings = groupBy(
    records.filter((record) => record.record !== "scan"),
    ({ scan }) => scan,
  );
  const open = new Map(base.open);
  const ended = new Map(base.ended.map((occurrence) => [keyOf(occurrence), occurrence]));
  const inOrder = [...scans.values()].sort(bySequence);
  for (const scan of inOrder) {
    const recorded = findings.get(scan.scan) ?? [];
    for (const record of recorded) apply(record, open, ended);
    count(scan, new Set(recorded.map(({ fingerprint }) => fingerprint)), open);
  }
  return { scans: [...base.scans, ...inOrder], open, ended: [...ended.values()] };
}

/** Two scans have the same number only where a lock was lost: the later one comes second. */
const bySequence = (left: ScanRecord, right: ScanRecord): number =>
  left.sequence - right.sequence || ascending(left.scannedAt, right.scannedAt) || ascending(left.scan, right.scan);

function apply(record: FindingRecord, open: Map<string, Occurrence>, ended: Map<string, Occurrence>): void {
  const { schemaVersion: _, record: __, scan: ___, scannedAt, change, ...facts } = record;
  const before = open.get(facts.fingerprint);
  if (change !== "gone") {
    // Two scans at once may both find the same for the first time.
    const since = change === "found" && before ? { firstSeen: before.firstSeen, occurrence: before.occurrence } : {};
    open.set(facts.fingerprint, { ...facts, ...since, recordedAt: scannedAt });
    return;
  }
  open.delete(facts.fingerprint);
  const key = keyOf(facts);
  if (!ended.has(key)) ended.set(key, { ...facts, recordedAt: scannedAt, resolvedAt: scannedAt });
}

const keyOf = ({ fingerprint, firstSeen }: Pick<Occurrence, "fingerprint" | "firstSeen">): string =>
  `${fingerprint} ${firstSeen}`;

/** A scan that read an object, and wrote no line about an open finding, has seen it as it was. */
function count(scan: ScanRecord, recorded: ReadonlySet<string>, open: Map<string, Occurrence>): void {
  const isCovered = coveredBy(scan);
  const unknown = new Set(scan.unknown);
  for (const [fingerprint, occurrence] of open)
    if (!recorded.has(fingerprint) && !unknown.has(fingerprint) && isCovered(occurrence))
      open.set(fingerprint, { ...occurrence, lastSeen: scan.scannedAt, timesSeen: occurrence.timesSeen + 1 });
}

type Subject = Pick<Finding, "origin" | "account" | "type" | "name" | "stacks" | "verdict">;

/**
 * Whether a scan would have found something if it were still there: it has read the object's collection, and compared
 * it with a stack that records it. A scan that lists what is in no stack has seen every live object, but says nothing
 * of a stack that only other shards of its run knew. An audit has seen every object that it read.
 */
export function coveredBy(
  scan: Pick<ScanRecord, "services" | "stacks" | "unmanaged" | "missing" | "audit">,
): (subject: Subject) => boolean {
  const stacks = new Set(scan.stacks);
  const missed = new Set(scan.missing?.map(({ part, name }) => `${part} ${name}`));
  const isUnknown = (stack: string): boolean => missed.has(`stack ${stack}`);
  const unread = new Map<string, ReadonlySet<string>>();
  for (const { origin, accounts, partial = [] } of scan.services) {
    for (const account of accounts) unread.set(accountKey(origin, account), new Set());
    for (const { account, unread: names } of partial) unread.set(accountKey(origin, account), new Set(names));
  }
  return ({ origin, account, type, name, stacks: recordedIn, verdict }) => {
    const unreadCollections = unread.get(accountKey(origin, account));
    if (verdict === "breach" ? !scan.audit : scan.audit) return false;
    if (unreadCollections === undefined || unreadCollections.has(collectionOf(type, name))) return false;
    if (recordedIn.some((stack) => stacks.has(stack))) return true;
    if (scan.audit) return true;
    return scan.unmanaged && verdict !== "missing" && !recordedIn.some(isUnknown);
  };
}

const accountKey = (origin: string, account: string): string => `${originKey(origin)} ${account}`;

const collectionOf = (type: string, name: string): string => specOf(type)?.collection ?? name.split("/")[2] ?? "";

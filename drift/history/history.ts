import { groupBy } from "../../provider/core/values/group-by";
import { ascending } from "../../provider/core/values/order";
import { specOf } from "../../provider/resources/index";
import { originKey } from "../scan/finding";
import type { Finding } from "../scan/finding-schema";
import type { FindingRecord, HistoryRecord, ScanRecord } from "./records";

/** A finding from the scan that found it to the one that found it gone. */
export interface Occurrence extends Omit<FindingRecord, "schemaVersion" | "record" | "scan" | "scannedAt" | "change"> {
  /** Time of the last line about it. */
  recordedAt: string;
  /** End of the scan that found it gone; absent while it is open. */
  resolvedAt?: string;
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
 * it with a stack that records it. A scan that lists what is in no stack has seen every live object.
 */
export function coveredBy(scan: Pick<ScanRecord, "services" | "stacks" | "unmanaged">): (subject: Subject) => boolean {
  const stacks = new Set(scan.stacks);
  const unread = new Map<string, ReadonlySet<string>>();
  for (const { origin, accounts, partial = [] } of scan.services) {
    for (const account of accounts) unread.set(accountKey(origin, account), new Set());
    for (const { account, unread: names } of partial) unread.set(accountKey(origin, account), new Set(names));
  }
  return ({ origin, account, type, name, stacks: recordedIn, verdict }) => {
    const missed = unread.get(accountKey(origin, account));
    if (missed === undefined || missed.has(collectionOf(type, name))) return false;
    return recordedIn.some((stack) => stacks.has(stack)) || (scan.unmanaged && verdict !== "missing");
  };
}

const accountKey = (origin: string, account: string): string => `${originKey(origin)} ${account}`;

const collectionOf = (type: string, name: string): string => specOf(type)?.collection ?? name.split("/")[2] ?? "";

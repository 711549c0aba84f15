import { join } from "node:path";
import { UnsafeFileError } from "../../io/files/disk-error";
import { makePrivateFolder } from "../../io/files/folders";
import { appendLines } from "../../io/files/line-files";
import { underLock } from "../../io/files/lock";
import { removeFile } from "../../io/files/write";
import { printableJson } from "../../io/text/printable";
import { dayMs, dayOf } from "../../provider/core/values/grouping";
import type { DriftReport } from "../scan/document";
import { type History, historyOf } from "./history";
import { deltaOf, type HistoryDelta, historyChanges, linesOf, newlyRefused, scanOf, withDates } from "./news";
import {
  dayFile,
  type FindingRecord,
  findingLine,
  HistoryReader,
  type HistoryRecord,
  type ScanRecord,
} from "./records";

/**
 * Findings of scans over time. `openHistory(folder, …)` opens the history of a folder; `record(report)` adds a scan and
 * returns what is new, worse or resolved since the last one; `read()` returns every open or ended finding.
 */

export type { History } from "./history";
export {
  figuresOf,
  type HistoryDay,
  type HistoryFigures,
  type LastScans,
  lastScansOf,
  type RemedyFigures,
  type RemedyTimes,
  remedyTimesOf,
  timelineOf,
} from "./history";
export type { HistoryDelta, MissedPart, News } from "./news";
export { unreadFindings, withDates } from "./news";
export { HistoryVersionError, type Occurrence } from "./records";

/**
 * What the scans of a folder have found, in a file of lines per day. Scans that run at once share a folder: each reads
 * and adds under a lock, so that it knows what the others have written.
 */
export interface HistoryStore {
  /** What was recorded until now. Throws `HistoryVersionError`, or what the disk refuses. */
  read(): History;
  /**
   * Adds what a scan says beyond the history. A report that the history has already adds nothing. Rejects with
   * `HistoryVersionError`, or with what the disk refuses; nothing is added then. `foresee` is called before anything is
   * added, under the history's lock.
   */
  record(report: DriftReport, foresee?: (recorded: Foreseen) => void): Promise<RecordResult>;
}

/** What a scan is about to add, so that it can be kept for others first: once it is added, it is no news. */
export type Foreseen = Pick<RecordResult, "delta" | "history">;

export interface RecordResult {
  /** The report, with `firstSeen` and `timesSeen` of each finding. */
  report: DriftReport;
  /** What is new, worse or resolved since the last scan; empty if the history already has this scan. */
  delta: HistoryDelta;
  /** With this scan. */
  history: History;
  /** Whether the history did not have this scan. */
  isNew: boolean;
}

export interface HistoryOptions {
  /** Days for which a line is kept; what is open stays longer. Default: 400. */
  days?: number | undefined;
  /** Milliseconds since 1970. */
  now(): number;
  sleep(ms: number): Promise<unknown>;
  /** Called about lines that do not count, and a clock that was wrong. */
  warn(warning: string): void;
}

const defaultHistoryDays = 400;

export function openHistory(folder: string, options: HistoryOptions): HistoryStore {
  const reader = new HistoryReader(folder, options.warn);
  const ledger = new HistoryLedger(reader);
  return {
    read: () => ledger.read(),
    record: async (report, foresee) => {
      if (report.resolved !== undefined) throw new PartialReportError();
      makePrivateFolder(folder);
      // The most of it before the lock is taken: others wait for that.
      ledger.read();
      const { written, outdated, ...recorded } = await underHistoryLock(folder, options, () =>
        add(report, { folder, reader, ledger, options, foresee }),
      );
      await written;
      for (const path of outdated) removeFile(path);
      return recorded;
    },
  };
}

/** A report of `--since` leaves out earlier findings, which may still be open. */
export class PartialReportError extends Error {
  override readonly name = "PartialReportError";
  constructor() {
    super("a report of --since names only what is new. Scan without --since, or give --history to the scan itself.");
  }
}

interface AddResult extends RecordResult {
  /** Resolves once the lines, which others can read already, are on the disk. */
  written: Promise<void>;
  /** Files that nothing is kept of any more. */
  outdated: string[];
}

interface StoreDeps {
  folder: string;
  reader: HistoryReader;
  ledger: HistoryLedger;
  options: HistoryOptions;
  foresee: ((recorded: Foreseen) => void) | undefined;
}

function add(report: DriftReport, { folder, reader, ledger, options, foresee }: StoreDeps): AddResult {
  const before = ledger.read();
  const facts = scanOf(report, before);
  if (before.scans.some(({ scan }) => scan === facts.scan))
    return { ...outcome(report, before, deltaOf([])), isNew: false, written: Promise.resolve(), outdated: [] };
  const last = before.scans.at(-1);
  // Scans that run at once need not end in the order in which they are recorded.
  if (last !== undefined && last.startedAt > report.finishedAt) options.warn(clockWarning(folder, last, report));
  const movements = historyChanges(report, facts, before);
  const { findings, scan } = linesOf(facts, before, movements);
  const after = historyOf([...findings, scan], before);
  const oldest = oldestDay({ days: options.days ?? defaultHistoryDays, now: options.now(), last: last?.scannedAt });
  const kept = linesToKeep(after, scan, oldest);
  const delta = { ...deltaOf(movements), missing: newlyRefused(report, before) };
  foresee?.({ delta, history: after });
  return {
    ...outcome(report, after, delta),
    isNew: true,
    written: appendLines(dayFile(folder, scan.scannedAt), textOf([...findings, ...kept, scan])),
    outdated: reader.filesBefore(oldest),
  };
}

const outcome = (report: DriftReport, history: History, delta: HistoryDelta): Omit<RecordResult, "isNew"> => ({
  report: withDates(report, history),
  delta,
  history,
});

const clockWarning = (folder: string, last: ScanRecord, { finishedAt }: DriftReport): string =>
  `the last scan in ${folder} ended at ${last.scannedAt}, and this one at ${finishedAt}: a clock was wrong. Both are kept, in the order in which they were added, but the time between them says nothing`;

const textOf = (records: readonly HistoryRecord[]): string =>
  records.map((record) => `${printableJson(record)}\n`).join("");

const tries = 10;
const pauseMs = 300;

/** How a lock is waited for. */
export type LockWait = Pick<HistoryOptions, "sleep">;

/** A lock that others hold is waited for, as long as many scans that end at once may take. */
export async function underHistoryLock<T>(folder: string, { sleep }: LockWait, work: () => T): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return underLock(join(folder, "history"), work);
    } catch (error) {
      if (!(error instanceof UnsafeFileError) || count === tries) throw error;
    }
    await sleep(pauseMs);
  }
}

/**
 * What the lines of a folder say together. What has been read is not put together again while the folder only grows, so
 * that little is left to do under a lock.
 */
class HistoryLedger {
  private known = historyOf([]);
  /** Findings of a scan whose own line has not been read yet. */
  private waiting: HistoryRecord[] = [];

  constructor(private readonly reader: HistoryReader) {}

  read(): History {
    const { added, isGrown } = this.reader.read();
    const last = this.known.scans.at(-1)?.sequence ?? 0;
    const isNext = (record: HistoryRecord): boolean => record.record !== "scan" || record.sequence > last;
    if (isGrown && added.every(isNext)) this.applyRecords([...this.waiting, ...added], this.known);
    else this.applyRecords(this.reader.records());
    return this.known;
  }

  private applyRecords(records: readonly HistoryRecord[], base?: History): void {
    if (records.length === 0 && base) return;
    this.known = historyOf(records, base);
    const scans = new Set(this.known.scans.map(({ scan }) => scan));
    this.waiting = records.filter(({ scan }) => !scans.has(scan));
  }
}

/**
 * The first day that is kept. A clock that is ahead for one scan removes nothing: days count from the scan before where
 * that was earlier.
 */
const oldestDay = ({ days, now, last }: { days: number; now: number; last: string | undefined }): string =>
  dayOf(Math.min(now, last === undefined ? now : Date.parse(last)) - days * dayMs);

/** Lines that repeat what is open and was last written before `oldest`, so that its files can go. */
function linesToKeep({ open }: History, scan: ScanRecord, oldest: string): FindingRecord[] {
  const line = { ...findingLine(scan), change: "kept" } as const;
  return [...open.values()]
    .filter(({ recordedAt, lastSeen }) => dayOf(recordedAt) < oldest && dayOf(lastSeen) >= oldest)
    .map(({ recordedAt: _, resolvedAt: __, ...facts }) => ({ ...line, ...facts }));
}

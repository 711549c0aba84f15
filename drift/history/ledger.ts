import type { HistoryReader } from "./files";
import { type History, historyOf } from "./history";
import type { HistoryRecord } from "./records";

/**
 * What the lines of a folder say together. What has been read is not put together again while the folder only grows, so
 * that little is left to do under a lock.
 */
export class HistoryLedger {
  private known = historyOf([]);
  /** Findings of a scan whose own line has not been read yet. */
  private waiting: HistoryRecord[] = [];

  constructor(private readonly reader: HistoryReader) {}

  read(): History {
    const { added, isGrown } = this.reader.read();
    const last = this.known.scans.at(-1)?.sequence ?? 0;
    const isNext = (record: HistoryRecord): boolean => record.record !== "scan" || record.sequence > last;
    if (isGrown && added.every(isNext)) this.take([...this.waiting, ...added], this.known);
    else this.take(this.reader.records());
    return this.known;
  }

  private take(records: readonly HistoryRecord[], base?: History): void {
    if (records.length === 0 && base) return;
    this.known = historyOf(records, base);
    const scans = new Set(this.known.scans.map(({ scan }) => scan));
    this.waiting = records.filter(({ scan }) => !scans.has(scan));
  }
}

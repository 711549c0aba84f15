import { dayMs, dayOf } from "../../provider/core/values/day";
import type { History } from "./history";
import { type FindingRecord, findingLine, type ScanRecord } from "./records";

/**
 * The first day that is kept. A clock that is ahead for one scan removes nothing: days count from the scan before where
 * that was earlier.
 */
export const oldestDay = ({ days, now, last }: { days: number; now: number; last: string | undefined }): string =>
  dayOf(Math.min(now, last === undefined ? now : Date.parse(last)) - days * dayMs);

/** Lines that repeat what is open and was last written before `oldest`, so that its files can go. */
export function keptLines({ open }: History, scan: ScanRecord, oldest: string): FindingRecord[] {
  const line = { ...findingLine(scan), change: "kept" } as const;
  return [...open.values()]
    .filter(({ recordedAt, lastSeen }) => dayOf(recordedAt) < oldest && dayOf(lastSeen) >= oldest)
    .map(({ recordedAt: _, goneAt: __, ...facts }) => ({ ...line, ...facts }));
}

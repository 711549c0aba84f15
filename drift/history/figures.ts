import { dayMs, dayOf } from "../../provider/core/values/day";
import { groupBy } from "../../provider/core/values/group-by";
import { omitUndefined } from "../../provider/core/values/values";
import { type Severity, severities } from "../scan/finding-schema";
import type { History, Occurrence } from "./history";

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
  /** What was found more than once, the most frequent first. */
  recurring: Recurrence[];
  timeline: HistoryDay[];
}

/** Times are seconds from the scan that found something to the one that found it gone. */
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
  /** When it was found last. */
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

export function remedyTimesOf({ open, ended }: Pick<History, "open" | "ended">): RemedyTimes[] {
  const counting = [...ended, ...open.values()].filter(({ acceptedBy }) => acceptedBy === null);
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

/** Undefined while it is open. Nothing is remedied before it is found: there a clock was wrong. */
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

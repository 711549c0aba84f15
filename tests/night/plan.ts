/** How the suites of the night are divided into parts. Decision 190. */

/** What the nightly tests of a suite took, alone, in seconds of processor time; `tests` counts them. */
export interface Recorded {
  seconds: number;
  tests: number;
}

export type NightRecord = Readonly<Record<string, Recorded>>;

/** One of the shares of a suite: its tests whose number, modulo `of`, is `share`. */
export interface Unit {
  suite: string;
  share: number;
  of: number;
  seconds: number;
}

/** What one part plays of a suite. */
export interface Shares {
  of: number;
  mine: readonly number[];
}

/** A suite is divided into shares of so many seconds at most, as far as it has tests. */
const longestShare = 240;
/** Seconds of processor time in a part: on two cores half as many pass, and a quarter of an hour may. */
const longestPart = 1500;

/** A suite that nobody has recorded is taken for the longest, and for one that can be divided like it. */
const unrecorded = (record: NightRecord): Recorded =>
  Object.values(record).reduce((one, other) => (other.seconds > one.seconds ? other : one), { seconds: 1, tests: 1 });

export function unitsOf(suites: readonly string[], record: NightRecord): Unit[] {
  const longest = unrecorded(record);
  return suites.flatMap((suite) => {
    const { seconds, tests } = record[suite] ?? longest;
    const of = Math.max(1, Math.min(tests, Math.ceil(seconds / longestShare)));
    return Array.from({ length: of }, (_, share) => ({ suite, share, of, seconds: seconds / of }));
  });
}

const sum = (units: readonly Unit[]): number => units.reduce((total, { seconds }) => total + seconds, 0);

/** `count` parts that take about the same time: the longest units first, each to the part that has least. */
export function partsOf(units: readonly Unit[], count: number): Unit[][] {
  const parts = Array.from({ length: count }, (): Unit[] => []);
  const byLength = (one: Unit, other: Unit): number =>
    other.seconds - one.seconds || one.suite.localeCompare(other.suite, "en") || one.share - other.share;
  for (const unit of [...units].sort(byLength))
    parts.reduce((least, part) => (sum(part) < sum(least) ? part : least)).push(unit);
  return parts;
}

/** Least number of parts of which none takes longer than a part may. */
export function partCount(units: readonly Unit[]): number {
  for (let count = 1; count < units.length; count += 1)
    if (Math.max(...partsOf(units, count).map(sum)) <= longestPart) return count;
  return Math.max(1, units.length);
}

/** The shares of each suite in a part. */
export function sharesIn(part: readonly Unit[]): Map<string, Shares> {
  const shares = new Map<string, { of: number; mine: number[] }>();
  for (const { suite, share, of } of part) {
    const entry = shares.get(suite) ?? { of, mine: [] };
    shares.set(suite, entry);
    entry.mine.push(share);
  }
  return shares;
}

/** Seconds that a part takes of a suite. */
export const secondsOf = (part: readonly Unit[], suite: string): number =>
  sum(part.filter((unit) => unit.suite === suite));

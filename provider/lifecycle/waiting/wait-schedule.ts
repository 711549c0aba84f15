import type { ObjectCollection } from "../ports";

/** What waits for the objects of a collection have shown so far, by what moves them. */
const estimates = new WeakMap<object, Map<string, DurationEstimate>>();

/**
 * The estimate for waits of one motion, which all take about as long. `usual` and `rarest` are for the first of them.
 */
export function estimateOf(
  objects: Pick<ObjectCollection, "poll">,
  motion: string,
  usual: number | undefined,
  rarest: number,
): DurationEstimate {
  const byMotion = estimates.get(objects) ?? new Map<string, DurationEstimate>();
  estimates.set(objects, byMotion);
  const estimate = byMotion.get(motion) ?? new DurationEstimate(usual, rarest);
  byMotion.set(motion, estimate);
  return estimate;
}

/** A poll to come, by the age of what is waited for, in milliseconds. */
interface NextPoll {
  at: number;
  /** How long after another poll it is due at the earliest, so that both are one. */
  apart: number;
}

/**
 * Pauses between two polls where an end is near: as a share of the age, so that the lag is half of that on average, at
 * least and at most. The constants here are the best of those that `npm run bench -- waits` has tried.
 */
const nearEnd = { share: 0.08, least: 50, most: 4500 };

/** Growth of age from poll to poll while nothing is expected, in case something has gone wrong. */
const growth = 2;

/** Fraction of the time until anything is expected; a poll that would come later waits until then. */
const skipRatio = 0.75;

/** The first early poll once waits were observed, and the minimum time between them. */
const earlyPoll = 1000;
const earlyApart = 1000;

/** How far a bound moves to the end of a wait that lies within. */
const narrowing = 0.5;

/** Differences in age that do not matter: as a share, at least and at most. */
const tolerance = { share: 0.03, least: 10, most: 1000 };

/** The pause that keeps the lag small against the wait. */
const pauseAt = (age: number): number => Math.min(Math.max(age * nearEnd.share, nearEnd.least), nearEnd.most);
const toleranceAt = (age: number): number => Math.min(Math.max(age * tolerance.share, tolerance.least), tolerance.most);

/**
 * How long objects take from one state to another: the bounds between which waits of this process have ended, and
 * before the first the usual time of the declaration. Polls are close to each other from the lower bound on, and rare
 * elsewhere.
 */
class DurationEstimate {
  /** No recent wait has ended before `low`, and none after `high`. */
  private bounds: { low: number; high: number } | undefined;

  /** `usual`: of the declaration; `rarest`: the longest pause between two polls. In milliseconds. */
  constructor(
    private readonly usual: number | undefined,
    private readonly rarest: number,
  ) {}

  /** The goal was not reached at the age `from`, and was at the age `to`. */
  noteReached(from: number, to: number): void {
    const { low, high } = this.bounds ?? { low: from, high: to };
    this.bounds = {
      low: narrowEstimate(low, high, from, to),
      high: from >= high ? to : Math.min(high, (high + to) / 2),
    };
  }

  /** The poll after one at this age; 0 is the beginning. */
  after(age: number): NextPoll {
    const { usual = 0 } = this;
    const { low, high } = this.bounds ?? { low: usual, high: usual };
    const at = Math.min(age + this.rarest, age < low ? this.untilExpected(age, low, high) : onceExpected(age, high));
    if (at >= low) return { at, apart: pauseAt(at) };
    return { at, apart: Math.max(nearEnd.least, Math.min(Math.max(earlyApart, pauseAt(at) / 2), low - at)) };
  }

  /** Before an end is expected. The last poll before it leaves a pause, so that both are not merged. */
  private untilExpected(age: number, low: number, high: number): number {
    const within = Math.max(toleranceAt(low), Math.min(pauseAt(low), (high - low) / 2));
    const first = Math.max(age + nearEnd.least, Math.min(high, low + within));
    const early = Math.max(age * growth, this.bounds ? earlyPoll : age + nearEnd.least);
    if (early <= first * skipRatio) return early;
    const last = first - pauseAt(first);
    return first <= age + this.rarest || age >= last ? first : last;
  }
}

/** From the lower bound on. */
const onceExpected = (age: number, high: number): number =>
  age < high
    ? Math.max(age + nearEnd.least, Math.min(age + pauseAt(age), high))
    : age + Math.max(pauseAt(age), (age - high) / 2);

/** An end before the bound moves it there, one after it moves it up; a little, where there was no poll in between. */
function narrowEstimate(low: number, high: number, from: number, to: number): number {
  if (to <= low) return from;
  if (from >= low) return low + (Math.min(from, high) - low) * narrowing;
  return Math.max(from, Math.min(low, to - toleranceAt(to)));
}

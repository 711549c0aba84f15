import type { Concurrency } from "../ports/concurrency";

/** Longest delay of a batch for those who are still arriving, in milliseconds (decision 117). */
const longestDelay = 300;
/** Shortest and longest silence that ends a burst of arrivals, in milliseconds. */
const silence = { least: 20, most: 250 };
/** A burst has ended when nobody has come for so many times the usual time between two. */
const silentGaps = 3;
/** Arrivals further apart are not one burst, in milliseconds. */
const sameBurst = 200;

/** Tracks arriving waiters: an engine starts many operations in a row, and one batch can serve them all. */
export class Arrivals {
  private last = Number.NEGATIVE_INFINITY;
  /** Usual time between two, in milliseconds. */
  private between = silence.least;

  constructor(private readonly concurrency: Concurrency) {}

  note(now: number): void {
    const since = now - this.last;
    if (since < sameBurst) this.between += (since - this.between) / 4;
    this.last = now;
  }

  /** When to answer what is due at `due`, if `waiting` would share the answer. */
  after(due: number, waiting: number): number {
    if (waiting >= this.concurrency.limit) return due;
    const pause = Math.min(Math.max(silentGaps * this.between, silence.least), silence.most);
    return Math.min(Math.max(due, this.last + pause), due + longestDelay);
  }
}

import type { Concurrency } from "../ports/concurrency";

/** Longest delay of a look for waiters that are still arriving, in milliseconds. */
const patience = 300;
/** Shortest and longest silence that ends a burst of arrivals, in milliseconds. */
const quiet = { least: 20, most: 250 };
/** A burst has ended when nobody has come for so many times the usual time between two. */
const patient = 3;
/** Arrivals further apart are not one burst, in milliseconds. */
const apart = 200;

/** Ends a pause that someone's arrival cuts short. Created once: an error for each would take longer than the look. */
export const woken = new Error("somebody has arrived");

/** Tracks arriving waiters: an engine starts many operations in a row, and one look can serve them all. */
export class Arrivals {
  private last = Number.NEGATIVE_INFINITY;
  /** Usual time between two, in milliseconds. */
  private between = quiet.least;

  constructor(private readonly concurrency: Concurrency) {}

  note(now: number): void {
    const since = now - this.last;
    if (since < apart) this.between += (since - this.between) / 4;
    this.last = now;
  }

  /** When to make a look that is due at `due`, if `waiting` would share it. */
  after(due: number, waiting: number): number {
    if (waiting >= this.concurrency.limit) return due;
    const silence = Math.min(Math.max(patient * this.between, quiet.least), quiet.most);
    return Math.min(Math.max(due, this.last + silence), due + patience);
  }
}

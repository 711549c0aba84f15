/**
 * How far a read waits for others that are about to come, in usual gaps between calls of the engine; the longest gap
 * that belongs to one burst, and the longest wait, in milliseconds.
 */
const pace = { gaps: 4, longestGap: 2500, most: 4000 };

/**
 * The rhythm of an engine's calls on this machine, for any resource. What is on its way decides how long reads are
 * gathered, and not the clock: a slow machine sends as few requests as a fast one.
 */
export class EngineActivity {
  /** How many calls have come in. */
  calls = 0;
  private last = Number.NEGATIVE_INFINITY;
  private usual = 0;

  constructor(private readonly now: () => number) {}

  /** A call has come in. */
  note(): void {
    const now = this.now();
    const gap = now - this.last;
    if (gap <= pace.longestGap) this.usual += (gap - this.usual) / 8;
    this.last = now;
    this.calls += 1;
  }

  /** When no further call is expected, in milliseconds since 1970. */
  get overAt(): number {
    return this.last + Math.min(pace.gaps * this.usual, pace.longestGap);
  }

  /** How long it may take until so many operations are where one is that has come first, in milliseconds. */
  timeFor(operations: number, gap: number): number {
    return Math.min(1.5 * operations * Math.max(this.usual, gap), pace.most);
  }
}

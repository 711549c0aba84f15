import type { Time } from "../time";

/** What a process waits for: answers, the service's limit, and objects on their way to a state. */
const parts = ["requests", "limit", "states"] as const;
type TimePart = (typeof parts)[number];

/** Milliseconds in which at least one of a part was under way: parts overlap, and no part is longer than the run. */
export interface TimeSpent extends Record<TimePart, number> {
  /** Requests that were sent. */
  sent: number;
}

/** Reports how long a process has waited, and for what. */
export class Stopwatch {
  private readonly going: Record<TimePart, number> = { requests: 0, limit: 0, states: 0 };
  private readonly since: Record<TimePart, number> = { requests: 0, limit: 0, states: 0 };
  private readonly spent: TimeSpent = { requests: 0, limit: 0, states: 0, sent: 0 };

  constructor(private readonly now: Time["now"]) {}

  async during<T>(part: TimePart, work: Promise<T>): Promise<T> {
    if (part === "requests") this.spent.sent += 1;
    if (this.going[part]++ === 0) this.since[part] = this.now();
    try {
      return await work;
    } finally {
      if (--this.going[part] === 0) this.spent[part] += this.now() - this.since[part];
    }
  }

  /** Up to now, with what is still under way. */
  read(): TimeSpent {
    const now = this.now();
    const upToNow = (part: TimePart): number => this.spent[part] + (this.going[part] > 0 ? now - this.since[part] : 0);
    return {
      requests: upToNow("requests"),
      limit: upToNow("limit"),
      states: upToNow("states"),
      sent: this.spent.sent,
    };
  }
}

import { setTimeout as pause } from "node:timers/promises";

/** What this layer needs from outside besides the network. Tests pass their own. */
export interface Time {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`, or rejects as soon as `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** At least 0, below 1. */
  random(): number;
}

export const systemTime: Time = {
  now: () => Date.now(),
  sleep: (ms, signal) => pause(ms, undefined, signal && { signal }),
  random: () => Math.random(),
};

/** Longer timers overflow. */
const longestTimer = 2 ** 31 - 1;

/** A signal that aborts at the deadline, in milliseconds since 1970, unless `ended` aborts before. */
export function abortingAt(deadline: number, { now, sleep }: Time, ended: AbortSignal): AbortSignal {
  const expired = new AbortController();
  sleep(Math.min(Math.max(0, deadline - now()), longestTimer), ended).then(
    () => expired.abort(new Error("the deadline passed")),
    () => {},
  );
  return expired.signal;
}

/** Settles as the work does, or rejects with the signal's reason: what is waited for may never look at a signal. */
export async function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true, signal: ended.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    ended.abort();
  }
}

/** Runs work whose signal aborts after so many milliseconds. */
export async function within<T>(ms: number, time: Time, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  try {
    return await work(abortingAt(time.now() + ms, time, ended.signal));
  } finally {
    ended.abort();
  }
}

/** Responses have whole seconds. */
const dateStepMs = 1000;

/** No clock is ahead by more: time zones reach fourteen hours. */
const longestLeadMs = 86_400_000;

/** The clocks of services, read from their responses: only those can show whether an object is older than a request. */
export class ServiceClock {
  /**
   * By origin: how far it is ahead of this machine's; up to a second too little, because responses have whole seconds.
   */
  private readonly ahead = new Map<string, number>();

  /** By origin: the longest that what it wrote of the past was ahead of that. A service has more clocks than one. */
  private readonly leads = new Map<string, number>();

  constructor(private readonly now: Time["now"]) {}

  /** `date`: the header of a response. */
  learn(origin: string, date: string | undefined): void {
    const time = Date.parse(date ?? "");
    if (Number.isFinite(time)) this.ahead.set(origin, time - this.now());
  }

  /** In milliseconds since 1970; undefined before the first response of that origin. */
  at(origin: string): number | undefined {
    const difference = this.ahead.get(origin);
    return difference === undefined ? undefined : this.now() + difference;
  }

  /** The latest time that has passed by any of its clocks. `past`: times that it wrote of what has happened. */
  latest(origin: string, past: readonly unknown[]): number {
    const now = this.at(origin) ?? this.now();
    const leads = past.map((time) => Date.parse(String(time)) - now).filter((lead) => lead < longestLeadMs);
    const lead = Math.max(this.leads.get(origin) ?? 0, ...leads);
    this.leads.set(origin, lead);
    return now + dateStepMs + lead;
  }
}

/** What a process waits for: responses, the service's limit, and objects on their way to a state. */
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

  /** Up to now, including what is still under way. */
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

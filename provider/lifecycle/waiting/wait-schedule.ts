import type { Clock, Concurrency, LiveObject, ObjectCollection, RequestOptions } from "../ports";

/** A read of one object. */
export interface ReadRequest {
  name: string;
  options: RequestOptions;
  /** When it is due, in milliseconds since 1970; `atOnce` is sooner than anything. */
  due: number;
  /** Minimum time after another batch, in milliseconds. */
  apart?: number;
  /** As in `ReadHints`. */
  deleted?: boolean | undefined;
}

/** A read, and how its result reaches the caller. */
export type PendingRead<Q extends ReadRequest = ReadRequest> = Q & {
  resolve(object: LiveObject | undefined): void;
  reject(error: unknown): void;
};

/** Not delayed for others to join. */
export const immediately = Number.NEGATIVE_INFINITY;

/** Ends a pause on an arrival. Created once: an error for each would take longer than the request. */
const woken = new Error("somebody has arrived");

/**
 * Gathers reads of the objects of one collection, so that a few requests serve many. One batch at a time: a request
 * meanwhile is in the next.
 */
export class ReadBatcher<Q extends ReadRequest> {
  private readonly waiting = new Set<PendingRead<Q>>();
  private readonly bursts: BurstDetector;
  private running = false;
  private lastAnsweredAt = immediately;
  private wake = new AbortController();
  private sleepsUntil = immediately;

  /** From `togetherFrom` reads on, all are served if one is due; of fewer, those that are. */
  constructor(
    private readonly batching: { concurrency: Concurrency; clock: Clock; togetherFrom: number },
    private readonly respond: (batch: readonly PendingRead<Q>[]) => Promise<void>,
  ) {
    this.bursts = new BurstDetector(batching.concurrency);
  }

  /** Resolves to the result. Rejects if the signal aborts before the request is sent. */
  request(read: Q): Promise<LiveObject | undefined> {
    const { signal } = read.options;
    // A signal that has already aborted fires no event.
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", this.dropAborted, { once: true });
      this.waiting.add({ ...read, resolve, reject });
      this.bursts.note(this.batching.clock.now());
      if (this.nextAt() < this.sleepsUntil) this.wake.abort(woken);
      void this.run();
    });
  }

  /** One listener for all reads of a signal. */
  private readonly dropAborted = (): void => {
    for (const { options, reject } of this.remove(({ options }) => options.signal.aborted))
      reject(options.signal.reason);
    this.wake.abort(woken);
  };

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    for (;;) {
      // Requests in the same tick share a batch.
      await undefined;
      if (this.waiting.size === 0) break;
      const pause = this.nextAt() - this.batching.clock.now();
      if (pause > 0) await this.sleep(pause);
      else {
        const batch = this.takeDue();
        // Nobody waits for the batch itself: its failure rejects each of its reads.
        await this.respond(batch).catch((error: unknown) => batch.forEach(({ reject }) => reject(error)));
      }
    }
    this.running = false;
  }

  private async sleep(ms: number): Promise<void> {
    const { clock } = this.batching;
    this.wake = new AbortController();
    this.sleepsUntil = clock.now() + ms;
    await clock.sleep(ms, this.wake.signal).catch(() => undefined);
    this.sleepsUntil = immediately;
  }

  private nextAt(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { due, apart } of this.waiting)
      first = Math.min(first, apart === undefined ? due : Math.max(due, this.lastAnsweredAt + apart));
    return this.bursts.after(first, this.waiting.size);
  }

  private takeDue(): PendingRead<Q>[] {
    const { concurrency, clock, togetherFrom } = this.batching;
    const now = clock.now();
    this.lastAnsweredAt = now;
    const isShared = this.waiting.size >= togetherFrom;
    const batch = this.remove(({ due }) => isShared || due <= now);
    if (!batch.some(({ due }) => due === immediately)) concurrency.waited(batch.length);
    return batch;
  }

  private remove(isMeant: (pending: PendingRead<Q>) => boolean): PendingRead<Q>[] {
    const removed = [...this.waiting].filter(isMeant);
    for (const read of removed) this.waiting.delete(read);
    const left = new Set([...this.waiting].map(({ options }) => options.signal));
    for (const { options } of removed)
      if (!left.has(options.signal)) options.signal.removeEventListener("abort", this.dropAborted);
    return removed;
  }
}

/** Longest delay of a batch for reads that are still arriving, in milliseconds (decision 117). */
const longestDelay = 300;
/** Shortest and longest idle gap that ends a burst of arrivals, in milliseconds. */
const idleGap = { least: 20, most: 250 };
/** A burst has ended after a gap of so many times the usual one. */
const idleFactor = 3;
/** Arrivals further apart are not one burst, in milliseconds. */
const sameBurst = 200;

/** Tracks arriving waiters: an engine starts many operations in a row, and one batch can serve them all. */
class BurstDetector {
  private last = Number.NEGATIVE_INFINITY;
  /** Usual time between two, in milliseconds. */
  private between = idleGap.least;

  constructor(private readonly concurrency: Concurrency) {}

  note(now: number): void {
    const since = now - this.last;
    if (since < sameBurst) this.between += (since - this.between) / 4;
    this.last = now;
  }

  /** When to serve reads that are due at `due`, if `waiting` reads would share the response. */
  after(due: number, waiting: number): number {
    if (waiting >= this.concurrency.limit) return due;
    const pause = Math.min(Math.max(idleFactor * this.between, idleGap.least), idleGap.most);
    return Math.min(Math.max(due, this.last + pause), due + longestDelay);
  }
}

/** From this many waiting objects on, all are polled where one is due, because a list shows them all (A096). */
const listFrom = 3;

/**
 * Observes the objects of one collection for everyone who waits for one of them: a few by reads, many by list pages.
 * What a list does not show is read on its own, since tombstones are hidden from lists (A042, A072).
 */
export class WaitSchedule {
  private readonly estimates = new Map<string, DurationEstimate>();
  private readonly polls: ReadBatcher<ReadRequest>;

  constructor(
    { concurrency, poll }: Pick<ObjectCollection, "concurrency" | "poll">,
    private readonly clock: Clock,
  ) {
    this.polls = new ReadBatcher({ concurrency, clock, togetherFrom: listFrom }, async (batch) => {
      await Promise.all(
        batch.map(({ name, options, deleted, resolve, reject }) =>
          poll(name, options, { deleted, now: true }).then(resolve, reject),
        ),
      );
    });
  }

  /**
   * The estimate for waits of one motion, which all take about as long. `usual` and `rarest` are for the first of them.
   */
  estimateOf(motion: string, usual: number | undefined, rarest: number): DurationEstimate {
    const estimate = this.estimates.get(motion) ?? new DurationEstimate(usual, rarest);
    this.estimates.set(motion, estimate);
    return estimate;
  }

  /** The object about `at` milliseconds from now, or undefined if it is deleted. Rejects when the signal aborts. */
  next(
    name: string,
    { at, apart }: NextPoll,
    options: RequestOptions,
    deleted?: boolean,
  ): Promise<LiveObject | undefined> {
    return this.polls.request({ name, due: this.clock.now() + at, apart, deleted, options });
  }
}

/** A poll to come, by the age of what is waited for, in milliseconds. */
interface NextPoll {
  at: number;
  /** How long after another poll it is due at the earliest, so that both are one. */
  apart: number;
}

/**
 * Pauses between two polls where an end is near: at least and at most, and by age, so that the lag is half of that on
 * average. The constants here are the best of those that `npm run bench -- waits` has tried.
 */
const shortest = 50;
const longest = 4500;
const share = 0.08;

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
const pauseAt = (age: number): number => Math.min(Math.max(age * share, shortest), longest);
const toleranceAt = (age: number): number => Math.min(Math.max(age * tolerance.share, tolerance.least), tolerance.most);

/**
 * How long objects take from one state to another: the bounds between which waits of this process have ended, and
 * before the first the usual time of the declaration. Polls are close to each other from the lower bound on, and rare
 * elsewhere.
 */
export class DurationEstimate {
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
    return { at, apart: Math.max(shortest, Math.min(Math.max(earlyApart, pauseAt(at) / 2), low - at)) };
  }

  /** Before an end is expected. The last poll before it leaves a pause, so that both are not merged. */
  private untilExpected(age: number, low: number, high: number): number {
    const within = Math.max(toleranceAt(low), Math.min(pauseAt(low), (high - low) / 2));
    const first = Math.max(age + shortest, Math.min(high, low + within));
    const early = Math.max(age * growth, this.bounds ? earlyPoll : age + shortest);
    if (early <= first * skipRatio) return early;
    const last = first - pauseAt(first);
    return first <= age + this.rarest || age >= last ? first : last;
  }
}

/** From the lower bound on. */
const onceExpected = (age: number, high: number): number =>
  age < high
    ? Math.max(age + shortest, Math.min(age + pauseAt(age), high))
    : age + Math.max(pauseAt(age), (age - high) / 2);

/** An end before the bound moves it there, one after it moves it up; a little, where there was no poll in between. */
function narrowEstimate(low: number, high: number, from: number, to: number): number {
  if (to <= low) return from;
  if (from >= low) return low + (Math.min(from, high) - low) * narrowing;
  return Math.max(from, Math.min(low, to - toleranceAt(to)));
}

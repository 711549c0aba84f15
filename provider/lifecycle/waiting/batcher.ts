import type { Concurrency } from "../ports/learned";
import type { LiveObject, RequestOptions } from "../ports/objects";
import type { Clock } from "../ports/ports";

/** A read of one object. */
export interface ReadRequest {
  name: string;
  options: RequestOptions;
  /** When it is to be answered, in milliseconds since 1970; `atOnce` is sooner than anything. */
  due: number;
  /** How long after another batch it is due at the earliest, in milliseconds. */
  apart?: number;
  /** As in `ReadHints`. */
  deleted?: boolean | undefined;
}

/** A read, and how its answer reaches the caller. */
export type PendingRead<Q extends ReadRequest = ReadRequest> = Q & {
  resolve(object: LiveObject | undefined): void;
  reject(error: unknown): void;
};

/** Not delayed for anybody to join. */
export const immediately = Number.NEGATIVE_INFINITY;

/** Ends a pause that an arrival cuts short. Created once: an error for each would take longer than the request. */
const woken = new Error("somebody has arrived");

/**
 * Gathers reads of the objects of one collection, so that a few requests answer many. One batch at a time: what is
 * requested while one is answered is in the next.
 */
export class ReadBatcher<Q extends ReadRequest> {
  private readonly waiting = new Set<PendingRead<Q>>();
  private readonly bursts: BurstDetector;
  private running = false;
  private lastAnsweredAt = immediately;
  private wake = new AbortController();
  private sleepsUntil = immediately;

  /** From `togetherFrom` reads on, all are answered where one is due; of fewer, those that are. */
  constructor(
    private readonly batching: { concurrency: Concurrency; clock: Clock; togetherFrom: number },
    private readonly respond: (batch: readonly PendingRead<Q>[]) => Promise<void>,
  ) {
    this.bursts = new BurstDetector(batching.concurrency);
  }

  /** Resolves to the answer. Rejects when the signal aborts before that is requested. */
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
        // Nobody waits for the batch itself: what goes wrong there is the answer of each of its reads.
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

  /** When to answer what is due at `due`, if `waiting` would share the answer. */
  after(due: number, waiting: number): number {
    if (waiting >= this.concurrency.limit) return due;
    const pause = Math.min(Math.max(idleFactor * this.between, idleGap.least), idleGap.most);
    return Math.min(Math.max(due, this.last + pause), due + longestDelay);
  }
}

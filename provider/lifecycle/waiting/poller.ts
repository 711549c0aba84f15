import type { LiveObject, Objects, RequestOptions } from "../ports/objects";
import type { Clock } from "../ports/ports";
import { Arrivals, woken } from "./arrivals";
import { DurationEstimate, type NextPoll } from "./poll-schedule";

interface Waiter {
  name: string;
  /** Milliseconds since 1970. */
  due: number;
  apart: number;
  deleted: boolean;
  options: RequestOptions;
  resolve(object: LiveObject | undefined): void;
  reject(error: unknown): void;
  /** Stops listening to the signal. */
  leave(): void;
}

/** From this many waiting objects on, all are looked at where one is due, because a list shows them all (A096). */
const listFrom = 3;

/**
 * Observes the objects of one collection for everyone who waits for one of them: a few by reads, many by list pages.
 * What a list does not show is read on its own, since tombstones are hidden from lists (A042, A072).
 */
export class Poller {
  private readonly waiting = new Set<Waiter>();
  private readonly estimates = new Map<string, DurationEstimate>();
  private readonly arrivals: Arrivals;
  private running = false;
  private lookedAt = Number.NEGATIVE_INFINITY;
  /** Ends the pause before the next look. */
  private wake = new AbortController();

  constructor(
    private readonly objects: Objects,
    private readonly clock: Clock,
  ) {
    this.arrivals = new Arrivals(objects.concurrency);
  }

  /**
   * What is known about waits of one motion, which all take about as long. `usual` and `rarest` are for the first of
   * them.
   */
  estimateOf(motion: string, usual: number | undefined, rarest: number): DurationEstimate {
    const estimate = this.estimates.get(motion) ?? new DurationEstimate(usual, rarest);
    this.estimates.set(motion, estimate);
    return estimate;
  }

  /**
   * The object as it is about `at` milliseconds from now, or undefined where it is gone. Rejects when the signal
   * aborts.
   */
  next(
    name: string,
    { at, apart }: NextPoll,
    options: RequestOptions,
    deleted = false,
  ): Promise<LiveObject | undefined> {
    // A signal that has already aborted fires no event.
    if (options.signal.aborted) return Promise.reject(options.signal.reason);
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.waiting.delete(waiter);
        reject(options.signal.reason);
        this.wake.abort(woken);
      };
      const now = this.clock.now();
      const waiter: Waiter = {
        name,
        due: now + at,
        apart,
        deleted,
        options,
        resolve,
        reject,
        leave: () => options.signal.removeEventListener("abort", abort),
      };
      options.signal.addEventListener("abort", abort, { once: true });
      this.waiting.add(waiter);
      this.arrivals.note(now);
      this.wake.abort(woken);
      void this.run();
    });
  }

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    while (this.waiting.size > 0) {
      const pause = this.nextLook() - this.clock.now();
      if (pause > 0) await this.sleep(pause);
      else await this.observe();
    }
    this.running = false;
  }

  /** Ends early when a waiter joins, whose look may be due first, or leaves. */
  private async sleep(ms: number): Promise<void> {
    this.wake = new AbortController();
    await this.clock.sleep(ms, this.wake.signal).catch(() => undefined);
  }

  private nextLook(): number {
    const due = Math.min(...[...this.waiting].map((waiter) => Math.max(waiter.due, this.lookedAt + waiter.apart)));
    return this.arrivals.after(due, this.waiting.size);
  }

  private async observe(): Promise<void> {
    const now = this.clock.now();
    this.lookedAt = now;
    const batch =
      this.waiting.size >= listFrom ? [...this.waiting] : [...this.waiting].filter((waiter) => waiter.due <= now);
    this.objects.concurrency.waited(batch.length);
    for (const waiter of batch) {
      this.waiting.delete(waiter);
      waiter.leave();
    }
    await Promise.all(batch.map((waiter) => this.answer(waiter)));
  }

  private async answer({ name, options, deleted, resolve, reject }: Waiter): Promise<void> {
    await this.objects.look(name, options, { deleted, now: true }).then(resolve, reject);
  }
}

import type { Values } from "./types";
import type { Clock, Objects, RequestOptions } from "./world";

interface Waiter {
  name: string;
  due: number;
  options: RequestOptions;
  resolve(object: Values | undefined): void;
  reject(error: unknown): void;
  /** Stops listening to the signal. */
  leave(): void;
}

/** From this many waiting objects on, one list costs less than a read each (A096). */
const listFrom = 3;

/**
 * Observes the objects of one collection for everyone who waits for one of them: a few by reads, many by list pages.
 * What a list does not show is read on its own, since tombstones are hidden from lists (A042, A072).
 */
export class Poller {
  private readonly waiting = new Set<Waiter>();
  private running = false;

  constructor(
    private readonly objects: Objects,
    private readonly clock: Clock,
  ) {}

  /**
   * The object as it is about `delay` milliseconds from now, or undefined where
   * it is gone. Rejects when the signal aborts.
   */
  next(name: string, delay: number, options: RequestOptions): Promise<Values | undefined> {
    // A signal that has aborted tells nobody who comes later.
    if (options.signal.aborted) return Promise.reject(options.signal.reason);
    return new Promise((resolve, reject) => {
      const abort = () => void (this.waiting.delete(waiter) && reject(options.signal.reason));
      const waiter: Waiter = {
        name,
        due: this.clock.now() + delay,
        options,
        resolve,
        reject,
        leave: () => options.signal.removeEventListener("abort", abort),
      };
      options.signal.addEventListener("abort", abort, { once: true });
      this.waiting.add(waiter);
      void this.run();
    });
  }

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    while (this.waiting.size > 0) {
      const due = Math.min(...[...this.waiting].map((waiter) => waiter.due));
      const pause = due - this.clock.now();
      if (pause > 0) await this.clock.sleep(pause, anyOf(this.waiting)).catch(() => undefined);
      await this.observe();
    }
    this.running = false;
  }

  private async observe(): Promise<void> {
    const now = this.clock.now();
    const batch =
      this.waiting.size >= listFrom ? [...this.waiting] : [...this.waiting].filter((waiter) => waiter.due <= now);
    for (const waiter of batch) {
      this.waiting.delete(waiter);
      waiter.leave();
    }
    const listed = batch.length >= listFrom ? await this.listed(batch) : new Map<string, Values>();
    await Promise.all(batch.map((waiter) => this.answer(waiter, listed.get(waiter.name))));
  }

  private async answer(waiter: Waiter, listed: Values | undefined): Promise<void> {
    try {
      waiter.resolve(listed ?? (await this.objects.find(waiter.name, waiter.options)));
    } catch (error) {
      waiter.reject(error);
    }
  }

  /** A list that fails tells nothing: everyone then reads on their own, and learns the reason for their own object. */
  private async listed(batch: readonly Waiter[]): Promise<Map<string, Values>> {
    const wanted = new Set(batch.map((waiter) => waiter.name));
    const found = new Map<string, Values>();
    try {
      for await (const object of this.objects.list(batch[0]!.options)) {
        if (wanted.has(String(object["name"]))) found.set(String(object["name"]), object);
        if (found.size === wanted.size) break;
      }
    } catch {
      found.clear();
    }
    return found;
  }
}

/** Aborts when any of the waiters does; the pause then ends early and the others are observed a little sooner. */
const anyOf = (waiting: ReadonlySet<Waiter>): AbortSignal =>
  AbortSignal.any([...new Set([...waiting].map((waiter) => waiter.options.signal))]);

import type { Clock, LiveObject, ReadHints, RequestOptions } from "../ports";

/** A read of one object, and how its result reaches the caller. */
export interface QueuedRead extends Pick<ReadHints, "deleted" | "wait"> {
  name: string;
  options: RequestOptions;
  /** The list that contains it is read to its end, so that it can serve later callers. */
  whole: boolean;
  resolve(object: LiveObject | undefined): void;
  reject(error: unknown): void;
}

interface PendingRead extends QueuedRead {
  /** In milliseconds since 1970. */
  due: number;
}

/**
 * How long reads are gathered, in milliseconds: an engine starts many operations in a row, and one batch can serve them
 * all. While reads arrive at most `gap` apart, up to `most` (decision 117).
 */
const gathering = { least: 10, gap: 20, most: 300 };

/** From this many on, all that wait are served if one is due, because a list contains them all (A096). */
const togetherFrom = 3;

/** Ends a pause on an arrival. Created once: an error for each would take longer than the request. */
const woken = new Error("a read has arrived");

/**
 * Gathers reads of the objects of one collection, so that a few requests serve many. One batch at a time: a read that
 * arrives meanwhile is in the next.
 */
export class ReadQueue {
  private readonly pending = new Set<PendingRead>();
  private running = false;
  private wake = new AbortController();
  private sleepsUntil = Number.NEGATIVE_INFINITY;
  /** When the last read arrived that does not wait for a change. */
  private lastArrival = Number.NEGATIVE_INFINITY;
  /** When the last batch with a wait was sent. */
  private lastPoll = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly serve: (reads: readonly QueuedRead[]) => Promise<void>,
  ) {}

  /** Resolves to the result. Rejects if the signal aborts before the request is sent. */
  request(read: Omit<QueuedRead, "resolve" | "reject">): Promise<LiveObject | undefined> {
    const { signal } = read.options;
    // A signal that has already aborted fires no event.
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const now = this.clock.now();
      if (!read.wait) this.lastArrival = now;
      this.pending.add({ ...read, due: now + (read.wait?.ms ?? gathering.least), resolve, reject });
      signal.addEventListener("abort", this.dropAborted, { once: true });
      if (this.nextDue() < this.sleepsUntil) this.wake.abort(woken);
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
      if (this.pending.size === 0) break;
      const pause = this.nextDue() - this.clock.now();
      if (pause > 0) await this.sleep(pause);
      else {
        const batch = this.takeDue();
        // Nobody waits for the batch itself: its failure rejects each of its reads.
        await this.serve(batch).catch((error: unknown) => batch.forEach(({ reject }) => reject(error)));
      }
    }
    this.running = false;
  }

  private async sleep(ms: number): Promise<void> {
    this.wake = new AbortController();
    this.sleepsUntil = this.clock.now() + ms;
    await this.clock.sleep(ms, this.wake.signal).catch(() => undefined);
    this.sleepsUntil = Number.NEGATIVE_INFINITY;
  }

  private dueAt({ due, wait }: PendingRead): number {
    if (wait) return Math.max(due, this.lastPoll + wait.apart);
    // A read alone waits for no more: programs often run one operation at a time.
    return this.pending.size === 1
      ? due
      : Math.min(Math.max(due, this.lastArrival + gathering.gap), due + gathering.most);
  }

  private nextDue(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const read of this.pending) first = Math.min(first, this.dueAt(read));
    return first;
  }

  /** What is due, and what the same list can serve. */
  private takeDue(): PendingRead[] {
    const now = this.clock.now();
    const due = new Set([...this.pending].filter((read) => this.dueAt(read) <= now));
    const [polls, reads] = [[...due].some(({ wait }) => wait), [...due].some(({ wait }) => !wait)];
    const isShared = this.pending.size >= togetherFrom;
    if (polls) this.lastPoll = now;
    return this.remove((read) => due.has(read) || (isShared && (read.wait ? polls : reads)));
  }

  private remove(isMeant: (read: PendingRead) => boolean): PendingRead[] {
    const removed = [...this.pending].filter(isMeant);
    for (const read of removed) this.pending.delete(read);
    const left = new Set([...this.pending].map(({ options }) => options.signal));
    for (const { options } of removed)
      if (!left.has(options.signal)) options.signal.removeEventListener("abort", this.dropAborted);
    return removed;
  }
}

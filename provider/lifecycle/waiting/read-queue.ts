import type { EngineActivity } from "../memory/engine-activity";
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
 * all. A batch is complete once as many wait as the engine runs at once, or once none has arrived for three times the
 * usual gap.
 */
const gathering = { least: 10, most: 300 };
/** Shortest and longest gap that ends a batch, in milliseconds. */
const endingGap = { least: 20, most: 250 };
/** Arrivals further apart do not count for the usual gap, in milliseconds. */
const sameBurst = 200;

/** Until the queue has learned how many operations the engine runs at once: a batch waits for no more than these. */
const expectedBatch = 8;
/** Equal observations in a row after which the number counts as known. */
const observations = 3;

/** From this many on, all polls are sent if one is due, because a list contains them all (A096). */
const listFrom = 3;

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
  private lastArrival = Number.NEGATIVE_INFINITY;
  /** Usual time between two arrivals, in milliseconds. */
  private usualGap = endingGap.least;
  /** Operations under way on the collection. */
  private underWay = 0;
  /** How many waited, the last times that all operations under way waited and no other arrived. */
  private complete: number[] = Array<number>(observations).fill(expectedBatch);
  /** More have begun than ever ran at once, and no batch has waited in vain for still others since. */
  private isGrowing = false;
  /** When the last batch with a wait was sent. */
  private lastPoll = Number.NEGATIVE_INFINITY;
  /** Calls of the engine when the last operation began. */
  private callsAtBegin = 0;
  /** The last batch was of the only operation, and nothing else came. */
  private wasAlone = false;

  constructor(
    private readonly clock: Clock,
    private readonly activity: EngineActivity,
    private readonly serve: (reads: readonly QueuedRead[]) => Promise<void>,
  ) {}

  /** Counts the operation as under way until it ends. */
  async during<T>(operation: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    this.activity.note();
    this.callsAtBegin = this.activity.calls;
    this.isGrowing = this.underWay > Math.max(...this.complete);
    if (this.isGrowing) this.complete.fill(Math.max(this.underWay, expectedBatch));
    try {
      return await operation();
    } finally {
      this.underWay -= 1;
      if (this.nextDue() < this.sleepsUntil) this.wake.abort(woken);
    }
  }

  /** Resolves to the result. Rejects if the signal aborts before the request is sent. */
  request(read: Omit<QueuedRead, "resolve" | "reject">): Promise<LiveObject | undefined> {
    const { signal } = read.options;
    // A signal that has already aborted fires no event.
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const now = this.clock.now();
      const gap = now - this.lastArrival;
      if (gap < sameBurst) this.usualGap += (gap - this.usualGap) / 4;
      this.lastArrival = now;
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
    const at = wait ? Math.max(due, this.lastPoll + wait.apart) : due;
    const isComplete = !this.isGrowing && this.pending.size >= Math.max(...this.complete);
    if (isComplete || (this.wasAlone && this.isAlone)) return at;
    const gap = Math.min(Math.max(3 * this.usualGap, endingGap.least), endingGap.most);
    const ends = Math.min(Math.max(at, this.lastArrival + gap), at + gathering.most);
    return wait && wait.ms > 0 ? ends : Math.max(ends, this.companyUntil(at));
  }

  /**
   * Until when a read that could be sent waits for those that are about to come: of operations under way, or of calls
   * that keep coming in. One that has been alone, as in a chain of dependent resources, waits for nobody.
   */
  private companyUntil(at: number): number {
    const most = at + this.activity.timeFor(Math.max(...this.complete), this.usualGap);
    return Math.min(this.underWay > this.pending.size ? most : Math.max(this.activity.overAt, at), most);
  }

  /** One operation is under way, and the engine has done nothing else since it began. */
  private get isAlone(): boolean {
    return this.underWay === 1 && this.activity.calls === this.callsAtBegin;
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
    if (polls) this.lastPoll = now;
    const isList = polls && this.pending.size >= listFrom;
    const batch = this.remove((read) => isList || due.has(read) || (reads && !read.wait));
    const { length } = batch;
    this.wasAlone = length === 1 && this.isAlone;
    if (length + this.pending.size === this.underWay) this.isGrowing = false;
    if (length === this.underWay && length < Math.max(...this.complete))
      this.complete = [...this.complete.slice(1), length];
    return batch;
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

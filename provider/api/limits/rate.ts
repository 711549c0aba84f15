import { randomUUID } from "node:crypto";
import { stillWaits, take, waitFor } from "./bucket";
import { type InitialTraffic, nothingYet, wentWell } from "./initial-traffic";
import { firstRefusal, isOldNews, join, type RateEstimate, wasRefused, wentThrough } from "./rate-estimate";

/** Where what is learned about a limit is kept: in the process, or shared with others. */
export interface RateStore {
  /** What is known, maybe a moment old. */
  read(): RateEstimate | undefined;
  /** Replaces the state with what `work` makes of it. Nobody else changes it meanwhile. */
  change(work: (learnt: RateEstimate | undefined) => RateEstimate | undefined): void;
}

export function ownStore(): RateStore {
  let known: RateEstimate | undefined;
  return {
    read: () => known,
    change: (work) => {
      known = work(known);
    },
  };
}

/** Initial concurrency; it grows with each answer, so that few requests meet a low limit at once. */
const firstWindow = 4;
/** A waiter checks again after a turn, since others may have learned by then, but not sooner: milliseconds. */
const soonest = 20;

/**
 * Learns how fast an account may send from the answers alone (A096), in three steps. Until a first refusal
 * nothing is known, and more and more requests are sent at once. Then the limit is searched for among all that
 * are possible, much as a number is guessed by halves. Once it is known to within 2.5 % the rate is used, and
 * raised a little whenever it has gone well for long.
 *
 * What this costs are the pauses after refusals. A service that says how many milliseconds to wait, or nothing at
 * all, is used to within 5 % of its limit; one that rounds up to whole seconds as well, unless a second is long
 * against the work: 10 s of work at 100 requests per second then take 13. Processes that share a store learn together,
 * and take turns. Of a limit that others use as well, as many requests are sent as they leave; with a bucket of few
 * tokens much of it goes unused then, so give each its part as `requestsPerSecond`.
 */
export class Rate {
  /** Of this process alone: tokens per millisecond that are never exceeded, the tokens, and when they were counted. */
  private readonly ceiling: number;
  private tokens = 1;
  private countedAt = 0;

  private width = firstWindow;
  private beginning = nothingYet();
  private readonly who = randomUUID();

  /** `perSecond` is never exceeded. */
  constructor(
    perSecond = Infinity,
    private readonly store: RateStore = ownStore(),
  ) {
    this.ceiling = perSecond / 1000;
  }

  /** Allowed concurrency: low at first, unlimited once a rate is known. */
  get window(): number {
    return this.store.read() ? Infinity : Math.floor(this.width);
  }

  /** Milliseconds until a request may start, as far as known; 0 is now. */
  waitFrom(now: number): number {
    const learnt = this.store.read();
    return Math.max(this.ceilingWait(now), learnt ? waitFor({ ...learnt }, now) : 0);
  }

  /** Starts a request if it returns 0; otherwise returns how many milliseconds to wait before asking again. */
  start(now: number): number {
    const wait = this.ceilingWait(now) || this.waitInLine(now);
    if (wait > 0) return wait;
    this.tokens -= 1;
    return 0;
  }

  /** The service accepted a request. `busy`: others are waiting, so the rate is the bottleneck. */
  accepted(startedAt: number, now: number, busy: boolean): void {
    if (!this.store.read()) {
      wentWell(this.beginning, startedAt, now);
      this.width += 2 / this.width;
      return;
    }
    this.change((learnt) => {
      const isHeldUp = busy || learnt.line.length > 0;
      wentThrough(learnt, startedAt, now, isHeldUp && learnt.perMs < this.ceiling);
    });
  }

  /** The service refused a request, and asked for a `pause` if it gave one. */
  refused(startedAt: number, now: number, pause?: number): void {
    const seen = this.store.read();
    if (seen && isOldNews(seen, startedAt)) return;
    const first = (): RateEstimate => firstRefusal(startedAt, this.takeBeginning());
    this.change((learnt) => wasRefused(learnt, this.who, startedAt, now, pause), first);
  }

  private waitInLine(now: number): number {
    const seen = this.store.read();
    if (!seen) return 0;
    let wait = stillWaits(seen, this.who, now) ?? 0;
    if (wait === 0)
      this.change((learnt) => {
        wait = take(learnt, this.who, now);
      });
    return Math.min(wait, Math.max(soonest, Math.ceil(1 / seen.perMs)));
  }

  /** Changes what is known, or what `first` makes of it, once it has what this process had seen before. */
  private change(work: (learnt: RateEstimate) => void, first?: () => RateEstimate): void {
    this.store.change((known) => {
      const learnt = known ?? first?.();
      if (!learnt) return undefined;
      if (this.beginning.through > 0) join(learnt, this.takeBeginning());
      work(learnt);
      return learnt;
    });
  }

  private takeBeginning(): InitialTraffic {
    const { beginning } = this;
    this.beginning = nothingYet();
    return beginning;
  }

  private ceilingWait(now: number): number {
    if (this.ceiling === Infinity) return 0;
    this.tokens = Math.min(1, this.tokens + Math.max(0, now - this.countedAt) * this.ceiling);
    this.countedAt = Math.max(this.countedAt, now);
    return this.tokens >= 1 - 1e-9 ? 0 : Math.max(1, Math.ceil((1 - this.tokens) / this.ceiling));
  }
}

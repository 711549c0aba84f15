import { PossibleLimits } from "./possible-limits";

/** Requests under way at first; more with each answer, so that a low limit is met by few requests at once. */
const firstWindow = 4;
/** Rates between which a limit is looked for, per millisecond: from one request in 10 s on. */
const slowest = 0.0001;
const fastest = 1;
/**
 * A rate is raised after this many requests that went well, or after this long where that is less; but not before a
 * full bucket could have shown that the rate is too high.
 */
const patience = { requests: 32, ms: 8000, perToken: 3, mostForTokens: 64 };
/**
 * How many times that long at most, when raising turned out wrong; and requests that
 * must go well for each that a refusal costs.
 */
const mostCaution = 64;
const worth = 50;
/** What is told from a rate, up or down. */
const justBeside = 1.01;
/** First raise of a rate that went well, and the largest. */
const firstRaise = 1.04;
const largestRaise = 2;
/** How far down a rate that was good and no longer is may have gone, at first and at most. */
const firstDrop = 0.9;
const largestDrop = 0.25;

/**
 * Learns how fast an account may send from the answers alone (A096), in three steps. Until a first refusal
 * nothing is known, and more and more requests are sent at once. Then the limit is searched for among all that
 * are possible, much as a number is guessed by halves. Once it is known to within 2.5 % the rate is used, and
 * raised a little whenever it has gone well for long.
 *
 * What this costs are the pauses after refusals. A service that says how many milliseconds to wait, or nothing at
 * all, is used to within 5 % of its limit; one that rounds up to whole seconds as well, unless a second is long
 * against the work: 10 s of work at 100 requests per second then take 13. Of a limit that other processes share,
 * as many requests are sent as the others leave; with a bucket of few tokens much of it goes unused then, so give
 * each process its part as `requestsPerSecond`.
 */
export class Rate {
  /** Tokens per millisecond: the ceiling, and what is used. */
  private readonly ceiling: number;
  private perMs: number;
  private capacity = 1;
  private tokens = 1;
  private countedAt = 0;

  private width = firstWindow;
  private begunAt: number | undefined;
  /** Requests that went through: before the first refusal, then since the limit was last lost. */
  private through = 0;
  private limits: PossibleLimits | undefined;
  private refusedAt = -Infinity;
  /** Milliseconds of pause after the last refusal. */
  private pause = 0;

  /** Requests in a row that went well at the rate in use. */
  private calm = 0;
  private caution = 1;
  private raiseBy = firstRaise;
  /** The rate before it was raised, as long as no refusal came. */
  private proven: number | undefined;
  private dropTo = firstDrop;

  /** `perSecond` is never exceeded. */
  constructor(perSecond = Infinity) {
    this.ceiling = perSecond / 1000;
    this.perMs = this.ceiling;
  }

  /** How many requests may be under way: few at first, any number once there is a rate. */
  get window(): number {
    return Math.floor(this.width);
  }

  /** Milliseconds until the next request may start; 0 is now. */
  waitFrom(now: number): number {
    this.refill(now);
    return this.perMs === Infinity || this.tokens >= 1 - 1e-9
      ? 0
      : Math.max(1, Math.ceil((1 - this.tokens) / this.perMs));
  }

  started(now: number): void {
    this.begunAt ??= now;
    this.refill(now);
    this.tokens -= 1;
  }

  /** The service took a request. `busy`: others are waiting for their turn, so that the rate is what holds them up. */
  accepted(startedAt: number, busy: boolean): void {
    this.through += 1;
    if (!this.limits) this.width += 2 / this.width;
    else if (!this.isNews(startedAt)) this.tokens -= 1;
    else this.confirmed(this.limits, startedAt, busy);
  }

  /**
   * Whether a refusal of a request that started at `startedAt` is news: of
   * requests sent before the last refusal it is not.
   */
  isNews(startedAt: number): boolean {
    return startedAt > this.refusedAt;
  }

  /** The service refused a request, which is news, and asked for a `pause`, if it said for how long. */
  refused(startedAt: number, now: number, pause?: number): void {
    if (!this.limits) this.limits = this.firstLimits(startedAt);
    else if (!this.limits.refused(startedAt)) this.lost(this.limits);
    this.limits.emptied(startedAt, now);
    this.proven = undefined;
    this.raiseBy = firstRaise;
    this.calm = 0;
    this.pause = pause ?? 0;
    this.refusedAt = now;
    this.use(this.limits);
    this.tokens = pause === undefined ? 0 : Math.min(1, 1 - pause * this.perMs);
    this.countedAt = now;
  }

  private refill(now: number): void {
    if (this.perMs !== Infinity)
      this.tokens = Math.min(this.capacity, this.tokens + Math.max(0, now - this.countedAt) * this.perMs);
    this.countedAt = Math.max(this.countedAt, now);
  }

  private firstLimits(startedAt: number): PossibleLimits {
    const burst = Math.max(1, this.through);
    const limits = new PossibleLimits(burst, startedAt - this.begunAt!);
    limits.consider(slowest, Math.min(fastest, this.ceiling));
    this.width = Infinity;
    return limits;
  }

  private confirmed(limits: PossibleLimits, startedAt: number, busy: boolean): void {
    const before = this.perMs;
    if (!limits.accepted(startedAt)) limits.consider(before, before * firstRaise);
    if (busy && ++this.calm >= this.enough(limits) && before < this.ceiling) this.raise(limits);
    this.use(limits);
    if (this.perMs !== before) this.calm = 0;
  }

  /** Requests that must go well at the rate in use before it is raised. */
  private enough(limits: PossibleLimits): number {
    const usual = Math.max(
      2,
      Math.min(patience.requests, patience.ms * this.perMs),
      Math.min(patience.perToken * limits.burst, patience.mostForTokens),
    );
    return Math.max(this.caution * usual, worth * this.pause * this.perMs);
  }

  /** The rate has gone well for long: what is slower is not of interest any more, and a little more may be possible. */
  private raise(limits: PossibleLimits): void {
    this.calm = 0;
    this.proven = this.perMs;
    limits.consider(this.perMs * justBeside, Math.max(limits.fastest, this.perMs * this.raiseBy));
    this.raiseBy = Math.min(this.raiseBy ** 2, largestRaise);
  }

  /** A refusal that no limit explains: raising was wrong, or the limit is lower than it was, or shared. */
  private lost(limits: PossibleLimits): void {
    if (this.proven !== undefined) {
      limits.consider(this.proven, this.proven);
      this.caution = Math.min(this.caution * 2, mostCaution);
      return;
    }
    this.dropTo = this.through === 0 ? Math.max(largestDrop, this.dropTo ** 2) : firstDrop;
    this.through = 0;
    this.caution = Math.max(1, this.caution * 0.75);
    limits.share();
    limits.consider(Math.max(slowest / 2, this.perMs * this.dropTo), this.perMs / justBeside);
  }

  private use(limits: PossibleLimits): void {
    const { perMs, burst } = limits.best;
    this.perMs = Math.min(perMs, this.ceiling);
    this.capacity = burst;
  }
}

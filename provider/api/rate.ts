/** Part of the measured rate that is used, so that uneven travel times do not overdraw the bucket. */
const margin = 0.99;
/** Requests under way at first; more with each answer, so that a low limit is met by few requests at once. */
const firstWindow = 4;
/** Requests that must go well before a higher rate is tried, and by how much it is raised. */
const leastPatience = 2;
const mostPatience = 256;
const smallestStep = 0.02;
const largestStep = 1;

/** A moment at which the service's bucket was empty. */
interface Epoch {
  at: number;
  /** When it was to give its next token. */
  openAt: number;
  /** Requests let through since. */
  accepted: number;
}

/**
 * Learns how fast an account may send from the answers alone (A096). It keeps a copy of the service's token bucket: an answer 429 says
 * that the bucket is empty now, and two of them with the requests let through in between say how fast it fills.
 */
export class Rate {
  /** Tokens per millisecond: the ceiling, and what is used. */
  private readonly ceiling: number;
  private perMs: number;
  private capacity = 1;
  private tokens = 1;
  private countedAt = 0;
  /** Since the first refusal, until the second. */
  private measuring = false;
  private width = firstWindow;
  private epoch: Epoch | undefined;
  private calm = 0;
  private patience = leastPatience;
  private step = smallestStep;
  /** The rate before the last raise: it is known to be good. */
  private proven = 0;

  /** `perSecond` is never exceeded. */
  constructor(perSecond = Infinity) {
    this.ceiling = perSecond / 1000;
    this.perMs = this.ceiling;
  }

  /** How many requests may be under way: few at first and while the rate is being measured. */
  get window(): number {
    return Math.floor(this.width);
  }

  /** Milliseconds until the next request may start; 0 is now. */
  waitFrom(now: number): number {
    this.refill(now);
    return this.perMs === Infinity || this.tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - this.tokens) / this.perMs));
  }

  started(now: number): void {
    this.refill(now);
    this.tokens -= 1;
  }

  /** The service took a request. `busy`: others are waiting for their turn, so that the rate is what holds them up. */
  accepted(busy: boolean): void {
    if (!this.epoch) {
      this.width += 2 / this.width;
      return;
    }
    this.epoch.accepted += 1;
    if (this.measuring) this.width += 1 / this.width;
    else if (busy && this.perMs < this.ceiling && ++this.calm >= this.patience) this.raise();
  }

  /** Whether a refusal of a request that started at `startedAt` is news: of requests sent before the last refusal it is not. */
  isNews(startedAt: number): boolean {
    return !this.epoch || startedAt > this.epoch.at;
  }

  /** The service refused a request, which is news; nothing is to be sent before `until`. */
  refused(now: number, until: number): void {
    this.refill(now);
    if (!this.epoch) {
      this.measuring = true;
      this.width = 1;
    } else if (this.epoch.accepted > 0) this.learn(now, until, this.epoch);
    this.tokens = this.perMs === Infinity ? 1 : Math.max(0, 1 - (until - now) * this.perMs);
    this.epoch = { at: now, openAt: until, accepted: 0 };
    this.calm = 0;
  }

  private refill(now: number): void {
    if (this.perMs !== Infinity) this.tokens = Math.min(this.capacity, this.tokens + Math.max(0, now - this.countedAt) * this.perMs);
    this.countedAt = Math.max(this.countedAt, now);
  }

  private raise(): void {
    this.calm = 0;
    this.proven = this.perMs;
    this.use(this.perMs * (1 + this.step));
    this.step = Math.min(this.step * 2, largestStep);
  }

  /** From one moment at which the bucket gives its next token to the next such moment, it gave exactly what was let through. */
  private learn(now: number, until: number, last: Epoch): void {
    const measured = last.accepted / Math.max(until - last.openAt, 1);
    if (this.measuring || this.perMs === this.ceiling) {
      this.capacity = Math.max(1, Math.floor(last.accepted - measured * (now - last.openAt)));
      this.patience = Math.min(Math.max(leastPatience, 2 * last.accepted), mostPatience);
      this.step = last.accepted < 4 ? largestStep : smallestStep;
      this.use(measured * margin);
    } else {
      this.patience = Math.min(this.patience * 2, mostPatience);
      this.step = smallestStep;
      this.use(Math.max(Math.min(measured, this.perMs * 0.95), this.proven) * margin);
    }
    this.proven = 0;
    this.measuring = false;
    this.width = Infinity;
  }

  private use(rate: number): void {
    this.perMs = Math.min(rate, this.ceiling);
  }
}

/** A rate that the service may allow, and how many tokens its bucket holds if it does. */
export interface Candidate {
  perMs: number;
  /** What the bucket holds at most, as far as is certain. */
  burst: number;
  /** Bounds of what it holds now. */
  least: number;
  most: number;
}

/** Plain data, so that it can be shared. */
export interface LimitsData {
  /** Requests accepted before the first refusal: the bucket holds at most that many, but one at least. */
  before: number;
  /** When the first of them was sent, and when the last one arrived at the latest. */
  since: number;
  until: number;
  candidates: Candidate[];
  at: number;
  /** The limit changed, or others use it as well: little is known about the bucket. */
  isShared: boolean;
}

/** Ratio of neighbouring candidates. */
const grain = 1.01;
/** Bounds this close to each other count as known, and the lower one is used. */
const close = 1.025;
/** Position of the next guess within the possible range: above the middle, since a low guess takes longer to detect. */
const guess = 0.6;
/** Parts of a token that come from counting in floating point. */
const blur = 0.002;

/**
 * The limits of a service that its answers leave possible. The service is taken for a token bucket; for every rate that
 * it might have, the bounds of what its bucket holds are kept. A request that went through found a token, one that was
 * refused found none: rates for which that cannot be are dropped. Times are those at which requests were sent.
 */
export class PossibleLimits {
  constructor(private readonly data: LimitsData) {}

  get fastest(): number {
    return this.data.candidates.at(-1)!.perMs;
  }

  /** What the bucket holds at most. */
  get burst(): number {
    return Math.max(1, this.data.before);
  }

  /** The rate to use, and the tokens that may be saved up for it. */
  get best(): { perMs: number; burst: number } {
    const isKnown = this.fastest / this.data.candidates[0]!.perMs <= close;
    return this.data.candidates[isKnown ? 0 : Math.floor((this.data.candidates.length - 1) * guess)]!;
  }

  /** Treats all rates between two as possible, whatever was learned before. */
  consider(from: number, to: number): void {
    this.data.candidates = [];
    for (let perMs = from; this.data.candidates.length === 0 || perMs <= to; perMs *= grain) {
      this.data.candidates.push({ perMs, burst: this.certainBurst(perMs), least: 0, most: this.burst });
    }
  }

  /**
   * That many more requests went through before the first refusal: of other processes, or answered after it. The bucket
   * may hold as many more.
   */
  alsoAccepted(count: number, since: number, until: number): void {
    const wasFull = this.burst;
    this.data.before += count;
    this.data.since = Math.min(this.data.since, since);
    this.data.until = Math.max(this.data.until, until);
    for (const candidate of this.data.candidates) {
      candidate.burst = this.certainBurst(candidate.perMs);
      if (candidate.most >= wasFull) candidate.most = this.burst;
    }
  }

  /** No constant limit of ours alone explains the answers. */
  share(): void {
    this.data.isShared = true;
  }

  /** A request succeeded, and arrived up to `late` milliseconds later than usual. False: no limit explains that. */
  accepted(sentAt: number, late: number): boolean {
    this.advance(sentAt);
    this.keep(({ perMs, most }) => most + perMs * late >= 1 - blur);
    for (const candidate of this.data.candidates) {
      const grown = candidate.perMs * late;
      candidate.least = Math.min(Math.max(candidate.least, 1), candidate.burst - grown) - 1;
      candidate.most = Math.max(candidate.most - 1, -grown);
    }
    return this.data.candidates.length > 0;
  }

  /** A request of before the last refusal went through: the token that it took may be one of those counted since. */
  mayHaveTaken(): void {
    for (const candidate of this.data.candidates) candidate.least = Math.max(0, candidate.least - 1);
  }

  /**
   * A request was refused, and `others` without an answer may have taken tokens before it. False: no limit
   * explains that.
   */
  refused(sentAt: number, others: number): boolean {
    this.advance(sentAt);
    this.keep(({ least }) => least - others < 1 - blur);
    return this.data.candidates.length > 0;
  }

  /** The bucket was empty at `sentAt`. What requests under way took until `now` is not known. */
  emptied(sentAt: number, now: number): void {
    for (const candidate of this.data.candidates) {
      candidate.least = 0;
      candidate.most = Math.min(this.burst, 1 + candidate.perMs * (now - sentAt));
    }
    this.data.at = now;
  }

  private certainBurst(perMs: number): number {
    const { isShared, before, since, until } = this.data;
    return Math.max(1, Math.floor(isShared ? before / 4 : before - perMs * (until - since)));
  }

  private keep(isPossible: (candidate: Candidate) => boolean): void {
    this.data.candidates = this.data.candidates.filter(isPossible);
  }

  private advance(to: number): void {
    const passed = Math.max(0, to - this.data.at);
    this.data.at += passed;
    for (const candidate of this.data.candidates) {
      candidate.least = Math.min(candidate.burst, candidate.least + candidate.perMs * passed);
      candidate.most = Math.min(this.burst, candidate.most + candidate.perMs * passed);
    }
  }
}

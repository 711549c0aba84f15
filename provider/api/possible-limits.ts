/** A rate that the service may allow, and how many tokens its bucket holds if it does. */
interface Candidate {
  perMs: number;
  /** What the bucket can hold, as far as is sure. */
  burst: number;
  /** Bounds of what it holds now. */
  least: number;
  most: number;
}

/** Ratio of neighbouring candidates. */
const grain = 1.01;
/** Bounds this close to each other count as known, and the lower one is used. */
const close = 1.025;
/**
 * Where in what is possible the next guess lies: above the middle, since a guess that is too low takes longer to show.
 */
const guess = 0.6;
/** Parts of a token that come from counting in floating point. */
const blur = 0.002;

/**
 * The limits of a service that its answers leave possible. The service is taken for a token bucket; for every rate that
 * it might have, the bounds of what its bucket holds are kept. A request that went through found a token, one that was
 * refused found none: rates for which that cannot be are dropped. Times are those at which requests were sent.
 */
export class PossibleLimits {
  private candidates: Candidate[] = [];
  private at = 0;
  /** The limit is not what it was, or others use it as well: of the bucket little can be counted on. */
  private isShared = false;

  /**
   * `burst`: what went through before the first refusal, and so the most that the bucket
   * can hold. `took`: over how many milliseconds.
   */
  constructor(
    readonly burst: number,
    private readonly took: number,
  ) {}

  get fastest(): number {
    return this.candidates.at(-1)!.perMs;
  }

  /** The rate to use, and the tokens that may be saved up for it. */
  get best(): { perMs: number; burst: number } {
    const isKnown = this.fastest / this.candidates[0]!.perMs <= close;
    return this.candidates[isKnown ? 0 : Math.floor((this.candidates.length - 1) * guess)]!;
  }

  /** Takes all rates between two for possible, whatever was learnt before. */
  consider(from: number, to: number): void {
    this.candidates = [];
    for (let perMs = from; this.candidates.length === 0 || perMs <= to; perMs *= grain) {
      const sure = this.isShared ? this.burst / 4 : this.burst - perMs * this.took;
      this.candidates.push({ perMs, burst: Math.max(1, Math.floor(sure)), least: 0, most: this.burst });
    }
  }

  /** The answers fit no limit that stays the same and is ours alone. */
  share(): void {
    this.isShared = true;
  }

  /** A request went through. False: no limit explains that. */
  accepted(sentAt: number): boolean {
    this.advance(sentAt);
    this.keep(({ most }) => most >= 1 - blur);
    for (const candidate of this.candidates) {
      candidate.least = Math.max(candidate.least, 1) - 1;
      candidate.most = Math.max(candidate.most - 1, 0);
    }
    return this.candidates.length > 0;
  }

  /** A request was refused. False: no limit explains that. */
  refused(sentAt: number): boolean {
    this.advance(sentAt);
    this.keep(({ least }) => least < 1 - blur);
    return this.candidates.length > 0;
  }

  /** The bucket was empty at `sentAt`. What requests under way took until `now` is not known. */
  emptied(sentAt: number, now: number): void {
    for (const candidate of this.candidates) {
      candidate.least = 0;
      candidate.most = Math.min(this.burst, 1 + candidate.perMs * (now - sentAt));
    }
    this.at = now;
  }

  private keep(isPossible: (candidate: Candidate) => boolean): void {
    this.candidates = this.candidates.filter(isPossible);
  }

  private advance(to: number): void {
    const passed = Math.max(0, to - this.at);
    this.at += passed;
    for (const candidate of this.candidates) {
      candidate.least = Math.min(candidate.burst, candidate.least + candidate.perMs * passed);
      candidate.most = Math.min(this.burst, candidate.most + candidate.perMs * passed);
    }
  }
}

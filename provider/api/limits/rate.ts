import {
  decreaseAfterRefusal,
  firstEstimate,
  increase,
  isAwaited,
  type RateEstimate,
  type Slot,
  takeSlot,
} from "./rate-estimate";

/** Where the estimate of a limit is kept: in the process, or shared with others. */
export interface RateStore {
  /** What is known, maybe a moment old. */
  read(): RateEstimate | undefined;
  /** Replaces the estimate with what `work` returns. Nobody else changes it meanwhile. */
  change(work: (estimate: RateEstimate | undefined) => RateEstimate | undefined): void;
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
/** A waiter checks this often whether its slot is still good, in milliseconds. */
const recheckMs = 250;
/** Milliseconds by which a request may be late for its slot. */
const grace = 50;

/**
 * Learns how fast an account may send from the answers alone (A096), by additive increase and multiplicative decrease:
 * nothing is known until the first refusal, and more and more requests are sent at once. From then on requests are
 * spaced evenly. A refusal lowers the rate by 15 %, or halves it if it comes at once; successful requests raise it
 * again: fast at first, slowly near the rate that was refused, and faster again beyond it, to find a raised limit.
 *
 * Processes that share a store keep to one rate, and take turns: each reserves the slot of its next request.
 */
export class Rate {
  /** Of this process alone: requests per millisecond that are never exceeded, and when the next one may start. */
  private readonly ceiling: number;
  private ownNextAt = 0;

  private width = firstWindow;
  /** Requests that went well since the last time when nothing waited, before anything was known. */
  private traffic = { accepted: 0, since: Number.POSITIVE_INFINITY };
  private slot: Slot | undefined;

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
    const known = this.store.read();
    const nextAt = known && (this.validSlot(known, now)?.at ?? known.nextAt);
    return Math.max(this.ownNextAt - now, (nextAt ?? 0) - now, 0);
  }

  /** Starts a request if it returns 0; otherwise returns how many milliseconds to wait before asking again. */
  start(now: number): number {
    const wait = Math.ceil(Math.max(this.ownNextAt - now, 0)) || this.waitForSlot(now);
    if (wait > 0) return wait;
    this.ownNextAt = now + 1 / this.ceiling;
    return 0;
  }

  /** The service accepted a request. `busy`: others are waiting, so the rate may be the bottleneck. */
  accepted(startedAt: number, now: number, busy: boolean): void {
    const seen = this.store.read();
    if (!seen) return this.beforeAnyRefusal(startedAt, busy);
    if (startedAt <= seen.refusedAt) return;
    this.change((known) => {
      const isBottleneck = (busy || isAwaited(known, now)) && known.perMs < this.ceiling;
      if (startedAt > known.refusedAt) increase(known, now, isBottleneck);
    });
  }

  /**
   * The service refused a request, and asked for a `pause` if it gave one. The request gets the first slot after it. A
   * request that was sent before the last refusal teaches nothing.
   */
  refused(startedAt: number, now: number, pause?: number): void {
    const { accepted, since } = this.traffic;
    const first = (): RateEstimate => firstEstimate(accepted, now - Math.min(since, startedAt));
    if (startedAt <= (this.store.read()?.refusedAt ?? Number.NEGATIVE_INFINITY)) return;
    this.change((known) => {
      if (startedAt <= known.refusedAt) return;
      decreaseAfterRefusal(known, now, pause);
      this.slot = takeSlot(known, now);
    }, first);
  }

  /** Without a queue the traffic says nothing about what the service would have let through. */
  private beforeAnyRefusal(startedAt: number, busy: boolean): void {
    this.width += 2 / this.width;
    const { accepted, since } = this.traffic;
    this.traffic = busy
      ? { accepted: accepted + 1, since: Math.min(since, startedAt) }
      : { accepted: 0, since: Number.POSITIVE_INFINITY };
  }

  private waitForSlot(now: number): number {
    const known = this.store.read();
    if (!known) return 0;
    let slot = this.validSlot(known, now);
    if (!slot)
      this.change((latest) => {
        slot = takeSlot(latest, now);
      });
    const wait = Math.max(0, Math.ceil(slot!.at - now));
    this.slot = wait > 0 ? slot : undefined;
    return Math.min(wait, recheckMs);
  }

  private validSlot({ epoch }: RateEstimate, now: number): Slot | undefined {
    const { slot } = this;
    return slot && slot.epoch === epoch && slot.at + grace >= now ? slot : undefined;
  }

  /** Changes what is known, or what `first` returns if nothing is. */
  private change(work: (estimate: RateEstimate) => void, first?: () => RateEstimate): void {
    this.store.change((known) => {
      const estimate = known ?? first?.();
      if (estimate) work(estimate);
      return estimate;
    });
  }
}

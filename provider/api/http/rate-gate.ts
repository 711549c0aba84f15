import { DeadlineError } from "../../core/errors";
import { Stopwatch, systemTime, type Time } from "../time";

/** What responses have taught about the rate that the service allows. Rates are requests per millisecond. */
interface Estimate {
  perMs: number;
  /** The rate at the last 429. */
  refusedPerMs: number;
  /** The rate right after that 429, from which it grows. */
  grownFrom: number;
  /** How far it has grown: 0 is where it began, 1 just below the rejected rate. */
  growth: number;
  /** Successful requests since the last 429. */
  accepted: number;
  refusedAt: number;
  /** When requests may start again after that 429. */
  resumedAt: number;
  nextAt: number;
}

/** Initial concurrency; it grows with each response, so that few requests meet a low limit at once. */
const firstWindow = 2;
/** Range in which a limit is searched, per millisecond: from one request per 20 s on. */
const slowest = 1 / 20_000;
const fastest = 1;
/** Maximum rate after the first 429: others may have come at the same moment. */
const cautious = 2 / 1000;
/**
 * The remaining share of the rate after a 429: little after one that comes at once, since the rate is then far too
 * high. The constants here are the best of those that `npm run bench -- rates` has tried.
 */
const decrease = { usual: 0.85, atOnce: 0.5 };
const atOnce = { requests: 4, ms: 250 };
/** By how much each success raises a rate far below the rejected one. */
const search = 2;
/** The rate comes close to the rejected one within so many requests, or within so long if that is more of them. */
const recovery = { requests: 16, ms: 11_000 };
const justBelow = 0.95;

/**
 * Learns how fast an account may send from the responses alone (A096), by additive increase and multiplicative
 * decrease: until the first 429 nothing is known, and more and more requests are sent at once. From then on requests
 * are spaced evenly. A 429 lowers the rate by 15 %, or halves it if it comes at once; successful requests raise it
 * again: fast at first, slowly near the rejected rate, and faster again beyond it, to find a raised limit.
 *
 * Other processes with the key learn for themselves. A random part of each pause keeps them from coming back together.
 */
class Rate {
  /** Requests per millisecond that are never exceeded, and when the next one may start. */
  private readonly ceiling: number;
  private belowCeilingAt = 0;

  private width = firstWindow;
  /** Successful requests since the queue was last empty, before anything was known. */
  private traffic = { accepted: 0, since: Number.POSITIVE_INFINITY };
  private known: Estimate | undefined;

  /** `perSecond` is never exceeded. `random` is at least 0 and below 1. */
  constructor(
    perSecond = Infinity,
    private readonly random: () => number,
  ) {
    this.ceiling = perSecond / 1000;
  }

  /** Allowed concurrency: low at first, unlimited once a rate is known. */
  get window(): number {
    return this.known ? Infinity : Math.floor(this.width);
  }

  /** Milliseconds until a request may start, as far as known; 0 is now. */
  waitFrom(now: number): number {
    return Math.ceil(Math.max(this.belowCeilingAt - now, (this.known?.nextAt ?? 0) - now, 0));
  }

  /** Starts a request if it returns 0; otherwise returns how many milliseconds to wait before asking again. */
  start(now: number): number {
    const wait = this.waitFrom(now);
    if (wait > 0) return wait;
    this.belowCeilingAt = now + 1 / this.ceiling;
    if (this.known) this.known.nextAt = now + 1 / this.known.perMs;
    return 0;
  }

  /** The service accepted a request. `busy`: others are waiting, so the rate may be the bottleneck. */
  accepted(startedAt: number, now: number, busy: boolean): void {
    const { known } = this;
    if (!known) return this.beforeAnyRefusal(startedAt, busy);
    if (startedAt <= known.refusedAt) return;
    known.accepted += 1;
    if (busy && known.perMs < this.ceiling) this.increase(known, now);
  }

  /**
   * The service rejected a request, and perhaps asked for a `pause`. A request that was sent before the last rejection
   * teaches nothing.
   */
  refused(startedAt: number, now: number, pause?: number): void {
    if (startedAt <= (this.known?.refusedAt ?? Number.NEGATIVE_INFINITY)) return;
    const known = (this.known ??= this.firstEstimate(startedAt, now));
    const isFarTooHigh = known.accepted < atOnce.requests || now < known.resumedAt + atOnce.ms;
    // Rejections in a row say nothing about the rates after the first of them.
    if (known.accepted > 0) known.refusedPerMs = known.perMs;
    known.accepted = 0;
    known.refusedAt = now;
    changeAtOnce(known, Math.max(slowest, known.perMs * (isFarTooHigh ? decrease.atOnce : decrease.usual)), now);
    if (pause !== undefined) known.nextAt = now + pause + this.random() / known.perMs;
    known.resumedAt = known.nextAt;
  }

  /** Without a queue, the traffic says nothing about what the service would have accepted. */
  private beforeAnyRefusal(startedAt: number, busy: boolean): void {
    this.width += 2 / this.width;
    const { accepted, since } = this.traffic;
    this.traffic = busy
      ? { accepted: accepted + 1, since: Math.min(since, startedAt) }
      : { accepted: 0, since: Number.POSITIVE_INFINITY };
  }

  /** The rate of successful requests up to the first rejection. */
  private firstEstimate(startedAt: number, now: number): Estimate {
    const { accepted, since } = this.traffic;
    const seen = Math.min(fastest, (accepted + 1) / Math.max(1, now - Math.min(since, startedAt)));
    const perMs = Math.min(seen, cautious);
    const times = { refusedAt: Number.NEGATIVE_INFINITY, resumedAt: 0, nextAt: 0 };
    return { perMs, refusedPerMs: 2 * seen, grownFrom: perMs, growth: 0, accepted: 0, ...times };
  }

  private increase(known: Estimate, now: number): void {
    const { perMs, refusedPerMs, grownFrom } = known;
    if (perMs < refusedPerMs / 2) return changeAtOnce(known, Math.min(search * perMs, refusedPerMs / 2), now);
    known.growth += Math.min(1 / recovery.requests, 1 / (recovery.ms * perMs));
    const target = justBelow * refusedPerMs;
    known.perMs = Math.min(fastest, target - (target - grownFrom) * (1 - known.growth) ** 3);
  }
}

function changeAtOnce(estimate: Estimate, perMs: number, now: number): void {
  estimate.perMs = perMs;
  estimate.grownFrom = perMs;
  estimate.growth = 0;
  estimate.nextAt = now + 1 / perMs;
}

interface GateOptions {
  /** Requests under way at once. Default: 16. */
  concurrency?: number | undefined;
  /** Ceiling of requests per second. Default: none. */
  requestsPerSecond?: number | undefined;
  /** Records how long requests wait because of the service's rate. */
  stopwatch?: Stopwatch;
  time?: Time;
}

interface EnterOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds since 1970. */
  deadline?: number;
  /** Retries go before requests that were never sent. */
  repeated?: boolean;
  /** Called when the service asks the account to wait: until when, and for what. */
  onPause?: ((until: number, why: string) => void) | undefined;
}

interface Waiter extends Pick<EnterOptions, "signal" | "onPause"> {
  grant(startedAt: number): void;
  reject(reason: unknown): void;
  /** When its signal aborts. */
  leave(): void;
  deadline: number;
}

/**
 * One gate per account: every request of a key passes it, so that what one request learns about the service's limits
 * applies to all (A092, A096). First come, first served.
 */
export class Gate {
  private readonly concurrency: number;
  private readonly rate: Rate;
  private readonly time: Time;
  private readonly stopwatch: Stopwatch;
  private readonly queue: Waiter[] = [];
  private inFlight = 0;
  private pausedUntil = 0;
  /** For what. */
  private pausedFor = "";
  private wakesAt = Infinity;

  constructor({ concurrency = 16, requestsPerSecond, time = systemTime, stopwatch }: GateOptions = {}) {
    this.concurrency = concurrency;
    this.rate = new Rate(requestsPerSecond, time.random);
    this.time = time;
    this.stopwatch = stopwatch ?? new Stopwatch(time.now);
  }

  /**
   * Waits for a turn, and resolves to when it began, in milliseconds since 1970; `releaseSlot` MUST be called once for
   * it, last. Rejects with the signal's reason when it aborts, and at once with a `DeadlineError` if the service asked
   * clients to back off beyond the deadline.
   */
  acquire({ signal, deadline = Infinity, repeated = false, onPause }: EnterOptions = {}): Promise<number> {
    return new Promise((grant, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (this.pausedUntil > deadline) return reject(this.deadlinePassedError());
      const leave = (): void => {
        this.dequeue(waiter);
        reject(signal!.reason);
      };
      const waiter: Waiter = { grant, reject, leave, deadline, signal, onPause };
      signal?.addEventListener("abort", leave, { once: true });
      if (repeated) this.queue.unshift(waiter);
      else this.queue.push(waiter);
      if (this.pausedUntil > this.time.now()) onPause?.(this.pausedUntil, this.pausedFor);
      this.pump();
    });
  }

  /** The service accepted the request of that turn, with any outcome. */
  accepted(startedAt: number): void {
    this.rate.accepted(startedAt, this.time.now(), this.queue.length > 0);
  }

  /**
   * The service rejected it because of its rate; `wait` is the requested backoff, in milliseconds. Without one, the
   * remaining rate decides when the next request starts. `why`: for those who wait.
   */
  refused(startedAt: number, wait?: number, why?: string): void {
    this.rate.refused(startedAt, this.time.now(), wait);
    if (wait !== undefined) this.pauseUntil(wait, why);
  }

  /** The service asked all clients to back off for so many milliseconds, for any reason. */
  pauseUntil(wait: number, why = ""): void {
    const until = this.time.now() + wait;
    if (until > this.pausedUntil) [this.pausedUntil, this.pausedFor] = [until, why];
    for (const waiter of this.queue.filter(({ deadline }) => deadline < this.pausedUntil)) {
      this.dequeue(waiter);
      waiter.reject(this.deadlinePassedError());
    }
    for (const { onPause } of this.queue) onPause?.(this.pausedUntil, this.pausedFor);
  }

  /** A turn is over. */
  releaseSlot(): void {
    this.inFlight -= 1;
    this.pump();
  }

  /** Milliseconds until the next request may start. */
  get pause(): number {
    const now = this.time.now();
    return Math.max(this.pausedUntil - now, this.rate.waitFrom(now), 0);
  }

  /** Admits every waiter that may start now; otherwise runs again when one may. */
  private pump(): void {
    while (this.queue.length > 0 && this.inFlight < this.concurrency && this.inFlight < this.rate.window) {
      const now = this.time.now();
      const wait = this.pausedUntil > now ? this.pausedUntil - now : this.rate.start(now);
      if (wait > 0) return this.wakeAt(now + wait);
      this.inFlight += 1;
      const waiter = this.queue[0]!;
      this.dequeue(waiter);
      waiter.grant(now);
    }
  }

  private dequeue(waiter: Waiter): void {
    waiter.signal?.removeEventListener("abort", waiter.leave);
    const index = this.queue.indexOf(waiter);
    if (index >= 0) this.queue.splice(index, 1);
  }

  private wakeAt(at: number): void {
    if (at >= this.wakesAt) return;
    this.wakesAt = at;
    void this.stopwatch.during("limit", this.time.sleep(at - this.time.now())).then(() => {
      if (this.wakesAt === at) this.wakesAt = Infinity;
      this.pump();
    });
  }

  private deadlinePassedError(): DeadlineError {
    return new DeadlineError(
      `the service asked clients to back off for ${Math.ceil((this.pausedUntil - this.time.now()) / 1000)} s, which is beyond the deadline`,
    );
  }
}

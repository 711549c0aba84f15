import { DeadlineError } from "../../core/errors";
import { Stopwatch, systemTime, type Time } from "../time";
import { Rate } from "./rate";

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
}

interface Waiter extends Pick<EnterOptions, "signal"> {
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
  private wakesAt = Infinity;

  constructor({ concurrency = 16, requestsPerSecond, time = systemTime, stopwatch }: GateOptions = {}) {
    this.concurrency = concurrency;
    this.rate = new Rate(requestsPerSecond, time.random);
    this.time = time;
    this.stopwatch = stopwatch ?? new Stopwatch(time.now);
  }

  /**
   * Waits for a turn, and resolves to when it began, in milliseconds since 1970; `leave` MUST be called once for it,
   * last. Rejects with the signal's reason when it aborts, and immediately with a `DeadlineError` if the service asked
   * clients to back off beyond the deadline.
   */
  acquire({ signal, deadline = Infinity, repeated = false }: EnterOptions = {}): Promise<number> {
    return new Promise((grant, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (this.pausedUntil > deadline) return reject(this.deadlinePassedError());
      const leave = (): void => {
        this.dequeue(waiter);
        reject(signal!.reason);
      };
      const waiter: Waiter = { grant, reject, leave, deadline, signal };
      signal?.addEventListener("abort", leave, { once: true });
      if (repeated) this.queue.unshift(waiter);
      else this.queue.push(waiter);
      this.pump();
    });
  }

  /** The service accepted the request of that turn, whatever the outcome. */
  accepted(startedAt: number): void {
    this.rate.accepted(startedAt, this.time.now(), this.queue.length > 0);
  }

  /**
   * The service refused it because of its rate; `wait` is the backoff that it asked for, in milliseconds. Without one,
   * the remaining rate decides when the next request starts.
   */
  refused(startedAt: number, wait?: number): void {
    this.rate.refused(startedAt, this.time.now(), wait);
    if (wait !== undefined) this.pauseUntil(wait);
  }

  /** The service asked all clients to back off for so many milliseconds, for whatever reason. */
  pauseUntil(wait: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, this.time.now() + wait);
    for (const waiter of this.queue.filter(({ deadline }) => deadline < this.pausedUntil)) {
      this.dequeue(waiter);
      waiter.reject(this.deadlinePassedError());
    }
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

  /** Admits whoever may start now; otherwise runs again when somebody may. */
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

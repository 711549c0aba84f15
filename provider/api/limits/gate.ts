import { DeadlineError } from "../../core/errors";
import { systemTime, type Time } from "../time";
import { Stopwatch } from "../trace/time-spent";
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
  signal?: AbortSignal;
  /** Milliseconds since 1970. */
  deadline?: number;
  /** Retries go before requests that were never sent. */
  repeated?: boolean;
}

/** A request in flight. `leave` MUST be called once, last. */
export interface Turn {
  /** The service accepted the request, whatever the outcome. */
  accepted(): void;
  /** The service refused it because of its rate; `wait` is the backoff that it asked for, in milliseconds. */
  refused(wait?: number): void;
  /** The service asked all clients to back off, for another reason than their rate. */
  hold(wait: number): void;
  leave(): void;
}

interface Waiter {
  admit(turn: Turn): void;
  refuse(reason: unknown): void;
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
  private underWay = 0;
  private heldUntil = 0;
  private wakesAt = Infinity;

  constructor({ concurrency = 16, requestsPerSecond, time = systemTime, stopwatch }: GateOptions = {}) {
    this.concurrency = concurrency;
    this.rate = new Rate(requestsPerSecond, time.random);
    this.time = time;
    this.stopwatch = stopwatch ?? new Stopwatch(time.now);
  }

  /**
   * Waits for a turn. Rejects with the signal's reason when it aborts, and immediately with a `DeadlineError` if the
   * service asked clients to back off beyond the deadline.
   */
  enter({ signal, deadline = Infinity, repeated = false }: EnterOptions = {}): Promise<Turn> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (this.heldUntil > deadline) return reject(this.tooLate());
      const leaveQueue = (): void => {
        this.drop(waiter);
        reject(signal!.reason);
      };
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          signal?.removeEventListener("abort", leaveQueue);
          settle(value);
        };
      const waiter: Waiter = { admit: settled(resolve), refuse: settled(reject), deadline };
      signal?.addEventListener("abort", leaveQueue, { once: true });
      if (repeated) this.queue.unshift(waiter);
      else this.queue.push(waiter);
      this.pump();
    });
  }

  /** Milliseconds until the next request may start. */
  get pause(): number {
    const now = this.time.now();
    return Math.max(this.heldUntil - now, this.rate.waitFrom(now), 0);
  }

  /** Admits whoever may start now; otherwise runs again when somebody may. */
  private pump(): void {
    while (this.queue.length > 0 && this.underWay < this.concurrency && this.underWay < this.rate.window) {
      const now = this.time.now();
      const wait = this.heldUntil > now ? this.heldUntil - now : this.rate.start(now);
      if (wait > 0) return this.wakeAt(now + wait);
      this.underWay += 1;
      this.queue.shift()!.admit(this.turnFrom(now));
    }
  }

  private turnFrom(startedAt: number): Turn {
    return {
      accepted: () => this.rate.accepted(startedAt, this.time.now(), this.queue.length > 0),
      refused: (wait) => this.refused(startedAt, wait),
      hold: (wait) => this.hold(this.time.now() + wait),
      leave: () => {
        this.underWay -= 1;
        this.pump();
      },
    };
  }

  /** Without a `wait`, the remaining rate decides when the next request starts. */
  private refused(startedAt: number, wait: number | undefined): void {
    const now = this.time.now();
    this.rate.refused(startedAt, now, wait);
    if (wait !== undefined) this.hold(now + wait);
  }

  private hold(until: number): void {
    this.heldUntil = Math.max(this.heldUntil, until);
    for (const waiter of this.queue.filter((candidate) => candidate.deadline < this.heldUntil)) {
      this.drop(waiter);
      waiter.refuse(this.tooLate());
    }
  }

  private drop(waiter: Waiter): void {
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

  private tooLate(): DeadlineError {
    return new DeadlineError(
      `the service asked clients to back off for ${Math.ceil((this.heldUntil - this.time.now()) / 1000)} s, which is beyond the deadline`,
    );
  }
}

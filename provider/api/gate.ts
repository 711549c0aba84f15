import { DeadlineError } from "../core/errors";
import { createRate } from "./rate";
import { systemTime, type Time } from "./time";

export interface GateOptions {
  /** Requests under way at once. Default: 16. */
  concurrency?: number;
  /** Ceiling of requests per second. Default: none. */
  requestsPerSecond?: number;
  time?: Time;
}

/**
 * One gate per account: every request of a key passes it, so that what one of them learns about the service's limits holds for all
 * (A092, A096). First come, first served; a request that is repeated goes first.
 */
export interface Gate {
  /**
   * Waits for a turn. Rejects with the signal's reason when it aborts, and with a `DeadlineError` at once when the service has asked
   * to be left alone beyond `deadline` (milliseconds since 1970).
   */
  enter(options?: { signal?: AbortSignal; deadline?: number; repeated?: boolean }): Promise<Turn>;
}

/** A request under way. `leave` MUST be called once, after one of the others at most. */
export interface Turn {
  /** The service took the request, whatever it made of it. */
  accepted(): void;
  /** The service refused it because of its rate; `wait` is how long it asked to be left alone, in milliseconds. */
  refused(wait?: number): void;
  /** The service asked all callers to wait, for another reason than their rate. */
  hold(wait: number): void;
  leave(): void;
}

interface Waiter {
  admit(turn: Turn): void;
  refuse(reason: unknown): void;
  deadline: number;
}

/** Pauses after refusals that do not say for how long, doubled as long as nothing gets through. */
const firstPause = 500;
const longestPause = 20_000;

export function createGate({ concurrency = 16, requestsPerSecond, time = systemTime }: GateOptions = {}): Gate {
  const rate = createRate(requestsPerSecond);
  const queue: Waiter[] = [];
  let underWay = 0;
  let heldUntil = 0;
  let refusals = 0;
  let wakesAt = Infinity;

  const hold = (until: number): void => {
    heldUntil = Math.max(heldUntil, until);
    for (const waiter of queue.filter((candidate) => candidate.deadline < heldUntil)) {
      queue.splice(queue.indexOf(waiter), 1);
      waiter.refuse(tooLate(heldUntil - time.now()));
    }
  };

  const turnFrom = (startedAt: number): Turn => ({
    accepted: () => {
      refusals = 0;
      rate.accepted(queue.length > 0);
    },
    refused: (wait) => {
      const now = time.now();
      const news = rate.isNews(startedAt);
      if (news) refusals += 1;
      const until = now + (wait ?? Math.min(firstPause * 2 ** (refusals - 1), longestPause));
      if (news) rate.refused(now, until);
      hold(until);
    },
    hold: (wait) => hold(time.now() + wait),
    leave: () => {
      underWay -= 1;
      pump();
    },
  });

  /** Admits whoever may start now; if nobody may yet, comes back when somebody may. */
  const pump = (): void => {
    while (queue.length > 0 && underWay < Math.min(concurrency, Math.floor(rate.window))) {
      const now = time.now();
      const wait = Math.max(heldUntil - now, rate.waitFrom(now));
      if (wait > 0) return wakeAt(now + wait);
      underWay += 1;
      rate.started(now);
      queue.shift()!.admit(turnFrom(now));
    }
  };

  const wakeAt = (at: number): void => {
    if (at >= wakesAt) return;
    wakesAt = at;
    void time.sleep(at - time.now()).then(() => {
      if (wakesAt === at) wakesAt = Infinity;
      pump();
    });
  };

  return {
    enter: ({ signal, deadline = Infinity, repeated = false } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        if (heldUntil > deadline) return reject(tooLate(heldUntil - time.now()));
        const leaveQueue = (): void => {
          const index = queue.indexOf(waiter);
          if (index >= 0) queue.splice(index, 1);
          reject(signal!.reason);
        };
        const settled = <T>(settle: (value: T) => void) => (value: T): void => {
          signal?.removeEventListener("abort", leaveQueue);
          settle(value);
        };
        const waiter: Waiter = { admit: settled(resolve), refuse: settled(reject), deadline };
        signal?.addEventListener("abort", leaveQueue, { once: true });
        if (repeated) queue.unshift(waiter);
        else queue.push(waiter);
        pump();
      }),
  };
}

const tooLate = (wait: number): DeadlineError =>
  new DeadlineError(`the service asks to be left alone for ${Math.ceil(wait / 1000)} s, which is beyond the deadline`);

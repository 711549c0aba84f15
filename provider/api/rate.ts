/**
 * Learns how fast an account may send from the answers alone (A096). It keeps a copy of the service's token bucket: an answer 429 says
 * that the bucket is empty now, and two of them with the requests let through in between say how fast it fills.
 */
export interface Rate {
  /** Milliseconds until the next request may start; 0 is now. */
  waitFrom(now: number): number;
  /** How many requests may be under way while the rate is being measured; no limit otherwise. */
  readonly window: number;
  started(now: number): void;
  /** The service took a request. `busy`: others are waiting for their turn, so that the rate is what holds them up. */
  accepted(busy: boolean): void;
  /** Whether a refusal of a request that started at `startedAt` is news: of requests sent before the last refusal it is not. */
  isNews(startedAt: number): boolean;
  /** The service refused a request, which is news; nothing is to be sent before `until`. */
  refused(now: number, until: number): void;
}

/** Part of the measured rate that is used, so that uneven travel times do not overdraw the bucket. */
const margin = 0.99;
/** Requests that must go well before a higher rate is tried, and by how much it is raised. */
const leastPatience = 2;
const mostPatience = 256;
const smallestStep = 0.02;
const largestStep = 1;

/** `ceiling`: requests per second that must never be exceeded. */
export function createRate(ceiling = Infinity): Rate {
  /** Tokens per millisecond. */
  const limit = ceiling / 1000;
  let perMs = limit;
  let capacity = 1;
  let tokens = 1;
  let countedAt = 0;
  let measuring = false;
  let window = Infinity;
  /** The last time the bucket was known to be empty, when it began to give again, and what it gave since. */
  let epoch: { at: number; openAt: number; accepted: number } | undefined;
  let calm = 0;
  let patience = leastPatience;
  let step = smallestStep;
  /** The rate before the last raise: it is known to be good. */
  let proven = 0;

  const refill = (now: number): void => {
    if (perMs !== Infinity) tokens = Math.min(capacity, tokens + Math.max(0, now - countedAt) * perMs);
    countedAt = Math.max(countedAt, now);
  };

  const use = (rate: number): void => {
    perMs = Math.min(rate, limit);
  };

  /** From one moment at which the bucket gives its next token to the next such moment, it gave exactly what was let through. */
  const learn = (now: number, until: number, last: { at: number; openAt: number; accepted: number }): void => {
    const measured = last.accepted / Math.max(until - last.openAt, 1);
    if (measuring || perMs === limit) {
      capacity = Math.max(1, Math.floor(last.accepted - measured * (now - last.openAt)));
      patience = Math.min(Math.max(leastPatience, 2 * last.accepted), mostPatience);
      step = last.accepted < 4 ? largestStep : smallestStep;
      use(measured * margin);
    } else {
      patience = Math.min(patience * 2, mostPatience);
      step = smallestStep;
      use(Math.max(Math.min(measured, perMs * 0.95), proven) * margin);
    }
    proven = 0;
    measuring = false;
    window = Infinity;
  };

  return {
    get window() {
      return window;
    },
    waitFrom: (now) => {
      refill(now);
      return perMs === Infinity || tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perMs));
    },
    started: (now) => {
      refill(now);
      tokens -= 1;
    },
    accepted: (busy) => {
      if (!epoch) return;
      epoch.accepted += 1;
      if (measuring) window += 1 / window;
      if (measuring || !busy || perMs >= limit) return;
      calm += 1;
      if (calm < patience) return;
      calm = 0;
      proven = perMs;
      use(perMs * (1 + step));
      step = Math.min(step * 2, largestStep);
    },
    isNews: (startedAt) => !epoch || startedAt > epoch.at,
    refused: (now, until) => {
      refill(now);
      if (epoch && epoch.accepted > 0) learn(now, until, epoch);
      else if (!epoch) {
        measuring = true;
        window = 1;
      }
      tokens = perMs === Infinity ? 1 : Math.max(0, 1 - (until - now) * perMs);
      epoch = { at: now, openAt: until, accepted: 0 };
      calm = 0;
    },
  };
}

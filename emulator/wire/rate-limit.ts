interface RateLimit {
  perSecond: number;
  burst: number;
}

export interface RateLimiter {
  /** Takes a token of the account; 0 if there was one, else the milliseconds until there is. */
  take(account: string, limit: RateLimit): number;
}

/**
 * A token bucket per account (A096). `now` is in milliseconds: a limit counts the seconds that clients wait, so on a
 * real clock this is the machine's time whatever the emulator's speed, and on a manual clock the emulator's.
 */
export function createRateLimiter(now: () => number): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    take: (account, { perSecond, burst }) => {
      const time = now();
      const bucket = buckets.get(account) ?? { tokens: burst, at: time };
      // A refilled token is a whole one even where floating point makes it a hair less.
      const tokens = Math.min(burst, bucket.tokens + (Math.max(0, time - bucket.at) / 1000) * perSecond + 1e-9);
      const taken = tokens >= 1;
      buckets.set(account, { tokens: taken ? tokens - 1 : tokens, at: time });
      return taken ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1000);
    },
  };
}

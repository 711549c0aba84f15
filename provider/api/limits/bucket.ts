/** A service's bucket of tokens, as it is counted here, and who waits for one: plain data. */
export interface Bucket {
  /** Tokens per millisecond that are used. */
  perMs: number;
  capacity: number;
  tokens: number;
  countedAt: number;
  /** Start times of requests that have no answer yet. */
  underWay: number[];
  /** Waiters for a token, first come, first served. */
  line: BucketMember[];
}

export interface BucketMember {
  who: string;
  /** Who has not come back by then is gone. */
  until: number;
}

/** Milliseconds by which a waiter may be late and keep its place. */
const grace = 50;
/** Milliseconds after which a request without an answer no longer counts. */
const forgotten = 60_000;

/** Milliseconds until that many tokens are available. */
export function waitFor(bucket: Bucket, now: number, tokens = 1): number {
  refill(bucket, now);
  return bucket.tokens >= tokens - 1e-9 ? 0 : Math.max(1, Math.ceil((tokens - bucket.tokens) / bucket.perMs));
}

/** How many milliseconds `who` still has to wait; undefined if it has no place in line, or may have a token. */
export function stillWaits(bucket: Bucket, who: string, now: number): number | undefined {
  const position = bucket.line.findIndex((place) => place.who === who && place.until > now);
  return position < 0 ? undefined : waitFor(bucket, now, 1 + position) || undefined;
}

/** Takes a token for `who` if there is one, else returns how many milliseconds to wait in line. */
export function take(bucket: Bucket, who: string, now: number): number {
  bucket.line = bucket.line.filter((place) => place.until > now || place.who === who);
  const found = bucket.line.findIndex((place) => place.who === who);
  const position = found < 0 ? bucket.line.length : found;
  const wait = waitFor(bucket, now, 1 + position);
  bucket.line.splice(position, 1, ...(wait > 0 ? [{ who, until: now + wait + grace }] : []));
  if (wait > 0) return wait;
  bucket.tokens -= 1;
  bucket.underWay = [...bucket.underWay.filter((startedAt) => startedAt > now - forgotten), now];
  return 0;
}

/** Gives `who` the next token: a request that was refused is sent again before others. */
export function giveFirstPlace(bucket: Bucket, who: string, now: number): void {
  const first = { who, until: now + waitFor(bucket, now) + grace };
  bucket.line = [first, ...bucket.line.filter((place) => place.who !== who)];
}

function refill(bucket: Bucket, now: number): void {
  const passed = Math.max(0, now - bucket.countedAt);
  bucket.tokens = Math.min(bucket.capacity, bucket.tokens + passed * bucket.perMs);
  bucket.countedAt = Math.max(bucket.countedAt, now);
}

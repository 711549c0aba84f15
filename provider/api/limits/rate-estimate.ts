/**
 * What the answers of a service have taught about the rate that it allows, and when the next request may start: plain
 * data, so that processes with one key can share it. Rates are requests per millisecond.
 */
export interface RateEstimate {
  perMs: number;
  /** The rate at which the service refused last. */
  refusedPerMs: number;
  /** The rate right after that refusal, from which it grows. */
  grownFrom: number;
  /** How far it has grown: 0 is where it began, 1 just below the rate that was refused. */
  growth: number;
  /** Successful requests since the last refusal. */
  accepted: number;
  refusedAt: number;
  /** When requests may start again after that refusal. */
  resumedAt: number;
  /** When the next request may start that has no slot yet. */
  nextAt: number;
  /** Slots of an earlier epoch are void: the rate has changed at once. */
  epoch: number;
  usedAt: number;
}

/** When a request may start. */
export interface Slot {
  at: number;
  epoch: number;
}

/** Range in which a limit is searched, per millisecond: from one request per 20 s on. */
export const slowest = 1 / 20_000;
export const fastest = 1;
/**
 * What remains of the rate after a refusal: little after one that comes at once, since the rate is then far too high.
 * The constants here are the best of those that `npm run bench -- rates` has tried.
 */
const decrease = { usual: 0.85, atOnce: 0.5 };
const atOnce = { requests: 4, ms: 250 };
/** The rate comes close to what was refused within so many requests, or within so long where that is more of them. */
const recovery = { requests: 32, ms: 10_000 };
const justBelow = 0.95;

/** The first estimate: the rate at which requests went through, of which the last one was refused. */
export function firstEstimate(accepted: number, ms: number): RateEstimate {
  const perMs = Math.min(fastest, (accepted + 1) / Math.max(1, ms));
  const times = { refusedAt: Number.NEGATIVE_INFINITY, resumedAt: 0, nextAt: 0, usedAt: 0 };
  return { perMs, refusedPerMs: 2 * perMs, grownFrom: perMs, growth: 0, accepted: 0, epoch: 0, ...times };
}

/** The next slot that nobody has. */
export function takeSlot(estimate: RateEstimate, now: number): Slot {
  const at = Math.max(now, estimate.nextAt);
  estimate.nextAt = at + 1 / estimate.perMs;
  estimate.usedAt = now;
  return { at, epoch: estimate.epoch };
}

/** Whether a request has a slot that is still to come. */
export const isAwaited = ({ nextAt, perMs }: RateEstimate, now: number): boolean => nextAt - 1 / perMs > now;

/** A request succeeded. `isBottleneck`: requests wait because of this rate. */
export function increase(estimate: RateEstimate, now: number, isBottleneck: boolean): void {
  estimate.accepted += 1;
  estimate.usedAt = now;
  if (!isBottleneck) return;
  const { perMs, refusedPerMs, grownFrom } = estimate;
  // Far below what was refused, after an outage or a search: each success doubles the rate.
  if (perMs < refusedPerMs / 2) return changeAtOnce(estimate, Math.min(2 * perMs, refusedPerMs / 2), now);
  estimate.growth += Math.min(1 / recovery.requests, 1 / (recovery.ms * perMs));
  const target = justBelow * refusedPerMs;
  estimate.perMs = Math.min(fastest, target - (target - grownFrom) * (1 - estimate.growth) ** 3);
}

/** The service refused a request. `pause`: for how long it asked clients to back off. */
export function decreaseAfterRefusal(estimate: RateEstimate, now: number, pause: number | undefined): void {
  const { accepted, resumedAt, perMs } = estimate;
  const isFarTooHigh = accepted < atOnce.requests || now < resumedAt + atOnce.ms;
  // Refusals in a row say nothing about the rates after the first of them.
  if (accepted > 0) estimate.refusedPerMs = perMs;
  estimate.accepted = 0;
  estimate.refusedAt = now;
  changeAtOnce(estimate, Math.max(slowest, perMs * (isFarTooHigh ? decrease.atOnce : decrease.usual)), now);
  if (pause !== undefined) estimate.nextAt = now + pause;
  estimate.resumedAt = estimate.nextAt;
}

function changeAtOnce(estimate: RateEstimate, perMs: number, now: number): void {
  estimate.perMs = perMs;
  estimate.grownFrom = perMs;
  estimate.growth = 0;
  estimate.epoch += 1;
  estimate.nextAt = now + 1 / perMs;
  estimate.usedAt = now;
}

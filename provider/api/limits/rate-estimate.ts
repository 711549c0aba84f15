import { type Bucket, giveFirstPlace } from "./bucket";
import type { InitialTraffic } from "./initial-traffic";
import { type LimitsData, PossibleLimits } from "./possible-limits";

/**
 * What the answers of a service have taught about the rate that it allows, and how much of it is used: plain data, so
 * that processes with one key can share it.
 */
export interface RateEstimate extends Bucket {
  limits: LimitsData;
  /** When the first request that was refused had been sent. */
  firstRefused: number;
  /** Requests that went through: before the first refusal, then since the limit was last lost. */
  through: number;
  refusedAt: number;
  /** Duration of the fastest recent answer, in milliseconds: a slower request may have arrived late. */
  quickest: number;
  /**
   * A request that arrives late at a full bucket leaves less in it than is counted. Most tokens that are held back for
   * that after one answer, and what was not after the last one.
   */
  heldBack: number;
  overlooked: number;
  /** Milliseconds of pause after the last refusal. */
  pause: number;
  /** Consecutive successful requests at the current rate. */
  calm: number;
  caution: number;
  raiseBy: number;
  /** The rate before it was raised, as long as no refusal came; 0: it was not. */
  proven: number;
  dropTo: number;
  /** Refusals since the last success. */
  refusals: number;
  /** The rate before so many of them that it was an outage, until it is reached again; 0: there was none. */
  fellFrom: number;
}

/** Range in which a limit is searched, per millisecond: from one request per 10 s on. */
export const slowest = 0.0001;
export const fastest = 1;
/**
 * A rate is raised after this many requests that went well, or after this long where that is less; but not before a
 * full bucket could have shown that the rate is too high.
 */
const patience = { requests: 32, ms: 8000, perToken: 3, mostForTokens: 64 };
/**
 * How many times that long at most, when raising turned out wrong; and requests that
 * must go well for each that a refusal costs.
 */
const mostCaution = 64;
const worth = 50;
/** What is told from a rate, up or down. */
const justBeside = 1.01;
/** First and largest raise of a rate that went well. */
const firstRaise = 1.04;
const largestRaise = 2;
/** How far a formerly good rate may have fallen, at first and at most. */
const firstDrop = 0.9;
const largestDrop = 0.25;
/** This many refusals in a row are an outage: they say nothing about the limit after it. */
const outage = 5;
/** What is held back for late requests: bounds, in tokens, and the part that remains after each. */
const leastHeldBack = 0.02;
const mostHeldBack = 0.25;
const heldBackStill = 0.99;

/** The first refusal: of a request sent at `startedAt`, after those of its process that went well. */
export function firstRefusal(startedAt: number, { through, since, until, quickest }: InitialTraffic): RateEstimate {
  const span = { since: Math.min(since, startedAt), until: Math.max(until, startedAt) };
  const limits = { before: through, ...span, isShared: false, at: 0, candidates: [] };
  new PossibleLimits(limits).consider(slowest, fastest);
  return {
    limits,
    firstRefused: startedAt,
    perMs: 0,
    capacity: 1,
    tokens: 0,
    countedAt: 0,
    through,
    refusedAt: 0,
    quickest,
    heldBack: leastHeldBack,
    overlooked: 0,
    underWay: [],
    pause: 0,
    calm: 0,
    caution: 1,
    raiseBy: firstRaise,
    proven: 0,
    dropTo: firstDrop,
    refusals: 0,
    fellFrom: 0,
    line: [],
  };
}

/** What another process had sent before it knew of the first refusal. */
export function join(learnt: RateEstimate, { through, since, until, quickest }: InitialTraffic): void {
  learnt.through += through;
  learnt.quickest = Math.min(learnt.quickest, quickest);
  new PossibleLimits(learnt.limits).alsoAccepted(through, since, until);
}

/**
 * Whether a refusal of a request that started at `startedAt` is new: it is not if the request was sent before the last
 * refusal.
 */
const isNews = ({ refusedAt }: RateEstimate, startedAt: number): boolean => startedAt > refusedAt;

/** Whether there is nothing to learn from the refusal of a request, of which nothing is kept either. */
export const isOldNews = (learnt: RateEstimate, startedAt: number): boolean =>
  !isNews(learnt, startedAt) && !learnt.underWay.includes(startedAt);

/** A request was answered. Returns how many milliseconds later than the fastest it may have arrived. */
function answered(learnt: RateEstimate, startedAt: number, now: number): number {
  const index = learnt.underWay.indexOf(startedAt);
  if (index >= 0) learnt.underWay.splice(index, 1);
  const took = Math.max(0, now - startedAt);
  learnt.quickest = Math.min(took, learnt.quickest + 1);
  return took - learnt.quickest;
}

/** A request succeeded. `busy`: others are waiting, so the rate is the bottleneck. */
export function wentThrough(learnt: RateEstimate, startedAt: number, now: number, busy: boolean): void {
  learnt.through += 1;
  const late = answered(learnt, startedAt, now);
  const limits = new PossibleLimits(learnt.limits);
  if (!isNews(learnt, startedAt)) {
    learnt.tokens -= 1;
    if (startedAt <= learnt.firstRefused) limits.alsoAccepted(1, startedAt, startedAt + late);
    else limits.mayHaveTaken();
    return;
  }
  const before = learnt.perMs;
  if (!limits.accepted(startedAt, late)) limits.consider(before, before * firstRaise);
  endOutage(learnt);
  if (learnt.fellFrom > 0) raise(learnt, limits, largestRaise);
  else if (busy && ++learnt.calm >= enough(learnt, limits)) raise(learnt, limits, learnt.raiseBy);
  use(learnt, limits);
  holdBack(learnt, late);
  if (learnt.perMs !== before) learnt.calm = 0;
}

/** The service refused a request of `who`, which comes first after the `pause` that the service asked for, if any. */
export function wasRefused(learnt: RateEstimate, who: string, startedAt: number, now: number, pause?: number): void {
  answered(learnt, startedAt, now);
  if (!isNews(learnt, startedAt)) return;
  const earlier = learnt.underWay.filter((other) => other <= startedAt).length;
  const before = learnt.perMs;
  const limits = new PossibleLimits(learnt.limits);
  if (learnt.refusedAt > 0 && !limits.refused(startedAt, earlier)) lost(learnt, limits);
  limits.emptied(startedAt, now);
  if (learnt.overlooked > 0) learnt.heldBack = Math.min(mostHeldBack, learnt.heldBack * 2);
  learnt.proven = 0;
  learnt.raiseBy = firstRaise;
  learnt.calm = 0;
  learnt.pause = pause ?? 0;
  learnt.refusedAt = now;
  use(learnt, limits);
  if (++learnt.refusals === 1) learnt.fellFrom = Math.max(before, learnt.perMs);
  learnt.tokens = pause === undefined ? 0 : Math.min(1, 1 - pause * learnt.perMs);
  learnt.countedAt = now;
  giveFirstPlace(learnt, who, now);
}

/** Fewer refusals for more waiting: as much as refusals have shown to be needed. */
function holdBack(learnt: RateEstimate, late: number): void {
  const lost = Math.max(0, late * learnt.perMs - (learnt.capacity - 1));
  const held = Math.min(lost, learnt.heldBack);
  learnt.tokens -= held;
  learnt.overlooked = lost - held;
  if (held > 0) learnt.heldBack = Math.max(leastHeldBack, learnt.heldBack * heldBackStill);
}

/** Successful requests needed at the current rate before it is raised. */
function enough({ perMs, caution, pause }: RateEstimate, { burst }: PossibleLimits): number {
  const usual = Math.max(
    2,
    Math.min(patience.requests, patience.ms * perMs),
    Math.min(patience.perToken * burst, patience.mostForTokens),
  );
  return Math.max(caution * usual, worth * pause * perMs);
}

/** A request went through: after an outage the rate grows with each one, until it is what it was. */
function endOutage(learnt: RateEstimate): void {
  const wasOutage = learnt.refusals === 0 || learnt.refusals >= outage;
  if (!wasOutage || learnt.fellFrom <= learnt.perMs * justBeside) learnt.fellFrom = 0;
  learnt.refusals = 0;
}

/** The rate has gone well for long: lower rates no longer matter, and a higher one may be possible. */
function raise(learnt: RateEstimate, limits: PossibleLimits, by: number): void {
  learnt.calm = 0;
  learnt.proven = learnt.perMs;
  limits.consider(learnt.perMs * justBeside, Math.max(limits.fastest, learnt.perMs * by));
  learnt.raiseBy = Math.min(learnt.raiseBy ** 2, largestRaise);
}

/** A refusal that no limit explains: the raise was wrong, or the limit fell, or others share it. */
function lost(learnt: RateEstimate, limits: PossibleLimits): void {
  if (learnt.proven > 0) {
    limits.consider(learnt.proven, learnt.proven);
    learnt.caution = Math.min(learnt.caution * 2, mostCaution);
    return;
  }
  learnt.dropTo = learnt.through === 0 ? Math.max(largestDrop, learnt.dropTo ** 2) : firstDrop;
  learnt.through = 0;
  learnt.caution = Math.max(1, learnt.caution * 0.75);
  limits.share();
  limits.consider(Math.max(slowest / 2, learnt.perMs * learnt.dropTo), learnt.perMs / justBeside);
}

function use(learnt: RateEstimate, limits: PossibleLimits): void {
  const { perMs, burst } = limits.best;
  learnt.perMs = perMs;
  learnt.capacity = burst;
}

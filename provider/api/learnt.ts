import { type LimitsData, PossibleLimits } from "./possible-limits";

/**
 * What the answers of a service have taught about the rate that it allows, and how much of it is used: plain data, so
 * that processes with one key can share it.
 */
export interface Learnt {
  limits: LimitsData;
  /** Tokens per millisecond that are used. */
  perMs: number;
  capacity: number;
  tokens: number;
  countedAt: number;
  /** Requests that went through: before the first refusal, then since the limit was last lost. */
  through: number;
  refusedAt: number;
  /** Duration of the fastest recent answer, in milliseconds: a slower request may have arrived late. */
  quickest: number;
  /** Start times of requests that have no answer yet. */
  underWay: number[];
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
  /** Waiters for a token, first come, first served. */
  line: Place[];
}

export interface Place {
  who: string;
  /** Who has not come back by then is gone. */
  until: number;
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
/** Milliseconds by which a waiter may be late and keep its place. */
const grace = 50;
/** Milliseconds. */
const longestAnswer = 60_000;
/** Milliseconds after which a request without an answer no longer counts. */
const forgotten = 60_000;

/** The first refusal: of a request sent at `startedAt`, after `through` successful ones since `begunAt`. */
export function firstRefusal(through: number, begunAt: number, startedAt: number): Learnt {
  const limits = { burst: Math.max(1, through), took: startedAt - begunAt, isShared: false, at: 0, candidates: [] };
  new PossibleLimits(limits).consider(slowest, fastest);
  return {
    limits,
    perMs: 0,
    capacity: 1,
    tokens: 0,
    countedAt: 0,
    through,
    refusedAt: 0,
    quickest: longestAnswer,
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

/**
 * Whether a refusal of a request that started at `startedAt` is new: it is not if the request was sent before the last
 * refusal.
 */
const isNews = ({ refusedAt }: Learnt, startedAt: number): boolean => startedAt > refusedAt;

/** Whether there is nothing to learn from the refusal of a request, of which nothing is kept either. */
export const isOldNews = (learnt: Learnt, startedAt: number): boolean =>
  !isNews(learnt, startedAt) && !learnt.underWay.includes(startedAt);

/** Milliseconds until that many tokens are available. */
export function waitFor(learnt: Learnt, now: number, tokens = 1): number {
  refill(learnt, now);
  return learnt.tokens >= tokens - 1e-9 ? 0 : Math.max(1, Math.ceil((tokens - learnt.tokens) / learnt.perMs));
}

/** How many milliseconds `who` still has to wait; undefined if it has no place in line, or may have a token. */
export function stillWaits(learnt: Learnt, who: string, now: number): number | undefined {
  const position = learnt.line.findIndex((place) => place.who === who && place.until > now);
  return position < 0 ? undefined : waitFor(learnt, now, 1 + position) || undefined;
}

/** Takes a token for `who` if there is one, else returns how many milliseconds to wait in line. */
export function take(learnt: Learnt, who: string, now: number): number {
  learnt.line = learnt.line.filter((place) => place.until > now || place.who === who);
  const found = learnt.line.findIndex((place) => place.who === who);
  const position = found < 0 ? learnt.line.length : found;
  const wait = waitFor(learnt, now, 1 + position);
  learnt.line.splice(position, 1, ...(wait > 0 ? [{ who, until: now + wait + grace }] : []));
  if (wait > 0) return wait;
  learnt.tokens -= 1;
  learnt.underWay = [...learnt.underWay.filter((startedAt) => startedAt > now - forgotten), now];
  return 0;
}

/** A request was answered. Returns how many milliseconds later than the fastest it may have arrived. */
function answered(learnt: Learnt, startedAt: number, now: number): number {
  const index = learnt.underWay.indexOf(startedAt);
  if (index >= 0) learnt.underWay.splice(index, 1);
  const took = Math.max(0, now - startedAt);
  learnt.quickest = Math.min(took, learnt.quickest + 1);
  return took - learnt.quickest;
}

/** A request succeeded. `busy`: others are waiting, so the rate is the bottleneck. */
export function wentThrough(learnt: Learnt, startedAt: number, now: number, busy: boolean): void {
  learnt.through += 1;
  const late = answered(learnt, startedAt, now);
  const limits = new PossibleLimits(learnt.limits);
  if (!isNews(learnt, startedAt)) {
    learnt.tokens -= 1;
    limits.mayHaveTaken();
    return;
  }
  const before = learnt.perMs;
  if (!limits.accepted(startedAt, late)) limits.consider(before, before * firstRaise);
  endOutage(learnt);
  if (learnt.fellFrom > 0) raise(learnt, limits, largestRaise);
  else if (busy && ++learnt.calm >= enough(learnt)) raise(learnt, limits, learnt.raiseBy);
  use(learnt, limits);
  if (learnt.perMs !== before) learnt.calm = 0;
}

/** The service refused a request, and asked for a `pause` if it gave one. */
export function wasRefused(learnt: Learnt, startedAt: number, now: number, pause?: number): void {
  answered(learnt, startedAt, now);
  if (!isNews(learnt, startedAt)) return;
  const earlier = learnt.underWay.filter((other) => other <= startedAt).length;
  const before = learnt.perMs;
  const limits = new PossibleLimits(learnt.limits);
  if (learnt.refusedAt > 0 && !limits.refused(startedAt, earlier)) lost(learnt, limits);
  limits.emptied(startedAt, now);
  learnt.proven = 0;
  learnt.raiseBy = firstRaise;
  learnt.calm = 0;
  learnt.pause = pause ?? 0;
  learnt.refusedAt = now;
  use(learnt, limits);
  if (++learnt.refusals === 1) learnt.fellFrom = Math.max(before, learnt.perMs);
  learnt.tokens = pause === undefined ? 0 : Math.min(1, 1 - pause * learnt.perMs);
  learnt.countedAt = now;
}

function refill(learnt: Learnt, now: number): void {
  const passed = Math.max(0, now - learnt.countedAt);
  learnt.tokens = Math.min(learnt.capacity, learnt.tokens + passed * learnt.perMs);
  learnt.countedAt = Math.max(learnt.countedAt, now);
}

/** Successful requests needed at the current rate before it is raised. */
function enough({ limits, perMs, caution, pause }: Learnt): number {
  const usual = Math.max(
    2,
    Math.min(patience.requests, patience.ms * perMs),
    Math.min(patience.perToken * limits.burst, patience.mostForTokens),
  );
  return Math.max(caution * usual, worth * pause * perMs);
}

/** A request went through: after an outage the rate grows with each one, until it is what it was. */
function endOutage(learnt: Learnt): void {
  const wasOutage = learnt.refusals === 0 || learnt.refusals >= outage;
  if (!wasOutage || learnt.fellFrom <= learnt.perMs * justBeside) learnt.fellFrom = 0;
  learnt.refusals = 0;
}

/** The rate has gone well for long: lower rates no longer matter, and a higher one may be possible. */
function raise(learnt: Learnt, limits: PossibleLimits, by: number): void {
  learnt.calm = 0;
  learnt.proven = learnt.perMs;
  limits.consider(learnt.perMs * justBeside, Math.max(limits.fastest, learnt.perMs * by));
  learnt.raiseBy = Math.min(learnt.raiseBy ** 2, largestRaise);
}

/** A refusal that no limit explains: the raise was wrong, or the limit fell, or others share it. */
function lost(learnt: Learnt, limits: PossibleLimits): void {
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

function use(learnt: Learnt, limits: PossibleLimits): void {
  const { perMs, burst } = limits.best;
  learnt.perMs = perMs;
  learnt.capacity = burst;
}

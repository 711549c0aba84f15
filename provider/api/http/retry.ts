import { waitsUntil } from "../../../io/text/time-of-day";
import type { Time } from "../time";
import type { ApiOperation } from "../types";
import { type NetworkErrorKind, transientErrors } from "./network-faults";

/** How often requests are repeated, and after which pause (A092). `shouldRetry` says which. */
export const retryTable = {
  /** Requests sent for one call, the first included, by the kind of failure. */
  tries: { default: 8, rate: 30, quota: 3, unreachable: 5, address: 4 },
  /** Statuses with which a storage rejects an unknown or expired address (A097): another one may work. */
  addresses: [400, 401, 403, 404, 410],
  /** Milliseconds: the pause is a random part of the first, doubled each time up to the last. */
  pause: { first: 500, last: 20_000 },
  /** Idempotent verbs besides GET, DELETE and masked PATCH. */
  verbs: ["cancel", "setTags", "deleteTags", "match"],
  /** Milliseconds that a call may take if the caller sets no deadline. */
  deadline: 5 * 60_000,
  /** Longest `Retry-After`, in milliseconds, that holds back an account: no rate is counted over more than a minute. */
  shared: 60_000,
  /** A wait of more milliseconds says what it is for, and until when. */
  silent: 10_000,
} as const;

/** How a failed request ended. */
export interface RequestFailure {
  status?: number | undefined;
  networkError?: NetworkErrorKind;
  /** The service accepted a write; only its response cannot be read. */
  accepted?: boolean;
  /** A 429 about a quota, not about the rate. */
  quota?: boolean;
  /** What it asks to wait holds back this call alone. */
  alone?: boolean;
  /** A read of a missing object may get this response: check the list first (A053). */
  verifyFirst?: boolean;
  advice?: WaitAdvice;
}

type Query = Readonly<Record<string, unknown>>;

/** Whether the request is idempotent. */
export function isRepeatable(operation: ApiOperation, query: Query = {}, idempotent?: boolean): boolean {
  if (idempotent !== undefined) return idempotent;
  if (["GET", "PUT", "DELETE"].includes(operation.method) || operation.verb === "delete") return true;
  if (operation.effect !== "write" || query["validateOnly"] === true) return true;
  if (operation.method === "PATCH") return typeof query["updateMask"] === "string" && query["updateMask"] !== "";
  return (retryTable.verbs as readonly string[]).includes(operation.verb);
}

/**
 * The service, or a proxy before it, failed: 408 and every 5xx, whether a standard names it or not; but 501 and 505 say
 * that it never will.
 */
const isFailure = (status: number): boolean => status === 408 || (status >= 500 && status !== 501 && status !== 505);

/** The request was not processed: too early to be safe from a replay, or on a connection to another server. */
const isUnprocessed = (status: number): boolean => status === 425 || status === misdirected;

/** Another connection may lead to the right server. */
export const misdirected = 421;

/** The request was carried out, and its result is elsewhere. */
const seeOther = 303;

/** Whether the change may have been made despite an unsuccessful response. */
export const mayHaveTakenEffect = ({ status, networkError }: RequestFailure): boolean =>
  networkError === undefined
    ? status !== undefined && isFailure(status)
    : status === seeOther || !["unreachable", "files", "tls", "identity", "proxy", "redirect"].includes(networkError);

/**
 * Whether a call gets another request after `sent` failed ones, the last one like this. `repeatable`: sending it twice
 * does no more than sending it once.
 */
export function shouldRetry(
  { status, networkError, accepted, quota, verifyFirst, advice }: RequestFailure,
  { sent, repeatable }: { sent: number; repeatable: boolean },
): boolean {
  const { tries } = retryTable;
  const mayRepeat = repeatable && sent < tries.default;

  // The change is made: what the response lacks is read.
  if (accepted) return false;
  // The object may be missing: the list decides, not another read (A053).
  if (verifyFirst) return false;
  // The service asks for no retry.
  if (advice?.again === false) return false;

  // Nothing was sent, so nothing was done.
  if (networkError === "unreachable") return sent < tries.unreachable;
  // Sent, and perhaps carried out; or somebody has to act first, even if the request is repeatable.
  if (networkError !== undefined) return transientErrors.has(networkError) && mayRepeat;

  if (status !== undefined && isUnprocessed(status)) return sent < tries.default;
  if (status !== undefined && isFailure(status)) return mayRepeat;

  switch (status) {
    case 429: // Nothing was done. The gate waits for the rate; a quota rarely frees itself.
      return sent < (quota ? tries.quota : tries.rate);
    case 400: // The request is wrong.
    case 401: // The key is not accepted; `withKey` renews keys.
    case 402: // The account has to pay.
    case 403: // The key may not do this.
    case 409: // The id is taken, or somebody else is changing the object: the life cycle decides.
    case 412: // The object has changed since it was read.
    case 501: // The service does not have the operation.
    case 505: // It does not speak this version of HTTP.
      return false;
    default: // Asked again, the service answers the same, unless it says otherwise.
      return advice?.again === true && mayRepeat;
  }
}

/**
 * Milliseconds before the next attempt: what the service asks for, and at least full jitter, since many services always
 * ask for 0.
 */
export function pauseBefore(attempt: number, { advice }: RequestFailure, random: () => number): number {
  const { first, last } = retryTable.pause;
  const own = Math.round(random() * Math.min(first * 2 ** (attempt - 1), last));
  return Math.max(advice?.wait ?? 0, own);
}

/** Tells once of each long wait for a request: until when it is, and what it is for. */
export class LongWait {
  private text: string | undefined;
  private until = 0;

  constructor(
    private readonly now: Time["now"],
    private readonly tell: ((text: string) => void) | undefined,
  ) {}

  readonly note = (until: number, why: string): void => {
    const ms = until - this.now();
    if (ms <= retryTable.silent || until <= this.until + retryTable.silent) return;
    this.until = until;
    this.text = `${waitsUntil(until)} (${Math.ceil(ms / 1000)} s): ${why}`;
    this.tell?.(this.text);
  };

  /** What an interrupt of one says. */
  get sentence(): string {
    return this.text === undefined ? "" : ` while it ${this.text}`;
  }

  /** It is over, as a request is sent. */
  end(): void {
    this.text = undefined;
  }
}

/** A failed attempt: the error for the caller, and the pause before a retry, if any. */
export class FailedTry extends Error {
  override readonly name = "FailedTry";
  constructor(
    readonly error: Error,
    /** Absent: not again. */
    readonly pause: number | undefined,
    /** What the pause is for. */
    readonly reason: string,
  ) {
    super(error.message);
  }
}

interface RetryOptions {
  time: Time;
  deadline: number;
  signal: AbortSignal;
  /** A pause begins: until when, and why. */
  onPause?: (until: number, why: string) => void;
}

/**
 * Retries until it succeeds, a `FailedTry` forbids it, or the pause would end after `deadline`. Rejects with the error
 * of the last attempt.
 */
export async function retry<T>(
  attempt: (number: number) => Promise<T>,
  { time, deadline, signal, onPause }: RetryOptions,
): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (failed) {
      if (!(failed instanceof FailedTry)) throw failed;
      const { error, pause, reason } = failed;
      if (pause === undefined || time.now() + pause > deadline) throw error;
      if (pause === 0) continue;
      onPause?.(time.now() + pause, reason);
      await time.sleep(pause, signal);
    }
  }
}

/** How long a service asks clients to wait, and whether it wants retries at all. */
interface WaitAdvice {
  /** Milliseconds from now. */
  wait?: number | undefined;
  /** `x-should-retry`. */
  again?: boolean | undefined;
}

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Reads `x-should-retry`, `retry-after-ms`, and `Retry-After` as seconds or as an HTTP
 * date, in this order; nonsense counts as absent.
 */
export function parseRetryHeaders(headers: Headers, now: number): WaitAdvice {
  const again = /^(true|false)$/i.exec(headers["x-should-retry"]?.trim() ?? "")?.[1]?.toLowerCase();
  const wait =
    number(headers["retry-after-ms"]) ??
    afterSeconds(headers["retry-after"]) ??
    afterDate(headers["retry-after"], headers["date"], now);
  return { wait, again: again === undefined ? undefined : again === "true" };
}

const longestWait = 24 * 60 * 60 * 1000;

function number(text: string | undefined, unit = 1): number | undefined {
  if (text === undefined || !/^\s*\d{1,15}(\.\d+)?\s*$/.test(text)) return undefined;
  return Math.min(Math.ceil(Number(text) * unit), longestWait);
}

const afterSeconds = (text: string | undefined): number | undefined => number(text, 1000);

/**
 * A date is on the service's clock: if the response has its `Date`, the difference to that counts, not this machine's
 * clock.
 */
function afterDate(text: string | undefined, date: string | undefined, now: number): number | undefined {
  const at = httpDate(text);
  if (at === undefined) return undefined;
  return Math.min(Math.max(at - (httpDate(date) ?? now), 0), longestWait);
}

function httpDate(text: string | undefined): number | undefined {
  if (text === undefined || !/^\s*[A-Za-z]{3,9},? /.test(text)) return undefined;
  const at = Date.parse(/GMT|UTC|[+-]\d{4}/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : at;
}

import pRetry from "p-retry";
import type { Time } from "../time";
import type { ApiOperation } from "../types";
import type { NetworkFaultKind } from "./network-faults";
import type { WaitAdvice } from "./retry-after";

/** All retry policy: what is retried, how often, and after which pause (A092). */
export const retryTable = {
  /** Statuses that may be over the next time. */
  statuses: [408, 429, 500, 502, 503, 504],
  /** Statuses that are never retried, whatever `x-should-retry` says. */
  never: [400, 401, 402, 403, 409, 412, 501],
  /** Requests sent for one call, the first included, by the kind of failure. */
  tries: { default: 8, rate: 30, quota: 3, unreachable: 5, address: 4 },
  /** Statuses with which a storage rejects an unknown or expired address (A097): another one may work. */
  addresses: [400, 401, 403, 404, 410],
  /** Milliseconds: the pause is a random part of the first, doubled each time up to the last. */
  pause: { first: 500, last: 20_000 },
  /** Idempotent verbs besides GET, DELETE and masked PATCH. */
  verbs: ["cancel", "setTags", "deleteTags", "match"],
  /** Milliseconds that a call may take when the caller gives no deadline. */
  deadline: 5 * 60_000,
} as const;

/** How a failed request ended. */
export interface RequestFailure {
  status?: number;
  fault?: NetworkFaultKind;
  /** A 429 about a quota, not about the rate. */
  quota?: boolean;
  /** A read of a missing object may be answered like this: check the list first (A053). */
  lookFirst?: boolean;
  advice?: WaitAdvice;
}

type Query = Readonly<Record<string, unknown>>;

/** Whether the request is idempotent. */
export function isRepeatable(operation: ApiOperation, query: Query = {}, idempotent?: boolean): boolean {
  if (idempotent !== undefined) return idempotent;
  if (operation.method === "GET" || operation.method === "DELETE") return true;
  if (operation.effect !== "write" || query["validateOnly"] === true) return true;
  if (operation.method === "PATCH") return typeof query["updateMask"] === "string" && query["updateMask"] !== "";
  return (retryTable.verbs as readonly string[]).includes(operation.verb);
}

/** Whether the service refused the request before processing it, so that a retry is always safe. */
const isUntouched = ({ status, fault }: RequestFailure): boolean => status === 429 || fault === "unreachable";

/** Whether the change may have been made although the answer was not a success. */
export const mayHaveChanged = ({ status, fault }: RequestFailure): boolean =>
  fault === undefined
    ? status !== undefined && status !== 429 && (status >= 500 || status === 408) && status !== 501
    : fault !== "unreachable" && fault !== "tls" && fault !== "proxy" && fault !== "redirect";

/** How often a request may be sent in all, given this failure; 1 means no retry. */
export function triesFor(setback: RequestFailure, repeatable: boolean, passing: ReadonlySet<NetworkFaultKind>): number {
  const { status, fault, quota, lookFirst, advice } = setback;
  const { tries, statuses, never } = retryTable;
  if (lookFirst || advice?.again === false) return 1;
  if (fault !== undefined)
    return passing.has(fault) && (repeatable || isUntouched(setback))
      ? fault === "unreachable"
        ? tries.unreachable
        : tries.default
      : 1;
  if (status === undefined || (never as readonly number[]).includes(status)) return 1;
  if (!(statuses as readonly number[]).includes(status) && advice?.again !== true) return 1;
  if (status === 429) return quota ? tries.quota : tries.rate;
  return repeatable ? tries.default : 1;
}

/** Milliseconds before the next attempt: what the service asks for, else full jitter. */
export function pauseBefore(attempt: number, { advice }: RequestFailure, random: () => number): number {
  const { first, last } = retryTable.pause;
  return advice?.wait ?? Math.round(random() * Math.min(first * 2 ** (attempt - 1), last));
}

/** A failed attempt: the error for the caller, and the pause before a retry, if any. */
export class FailedTry extends Error {
  override readonly name = "FailedTry";
  constructor(
    readonly error: Error,
    /** Absent: not again. */
    readonly pause: number | undefined,
  ) {
    super(error.message);
  }
}

/**
 * Retries until it succeeds, a `FailedTry` forbids it, or the pause would end after `deadline`. Rejects with the last
 * attempt's own error.
 */
export async function retry<T>(
  attempt: (number: number) => Promise<T>,
  { time, deadline, signal }: { time: Time; deadline: number; signal: AbortSignal },
): Promise<T> {
  try {
    return await pRetry(attempt, {
      retries: retryTable.tries.rate,
      minTimeout: 0,
      maxTimeout: 0,
      shouldRetry: async ({ error }) => {
        if (!(error instanceof FailedTry) || error.pause === undefined || time.now() + error.pause > deadline)
          return false;
        if (error.pause > 0) await time.sleep(error.pause, signal);
        return true;
      },
    });
  } catch (error) {
    throw error instanceof FailedTry ? error.error : error;
  }
}

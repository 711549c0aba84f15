import {
  AbortedError,
  AmbiguousOutcomeError,
  answerText,
  ConflictError,
  DeadlineError,
  type ErrorDetails,
  FailedPreconditionError,
  grpcCodes,
  ModelPlatformError,
  NotFoundError,
  UnsupportedOperationError,
} from "../../core/errors";
import type { Redactor } from "../../core/redact";
import type { DialectCodec } from "../dialect-codec";
import { faultAdvice, type NetworkFault } from "../http/network-faults";
import type { ApiOperation, Endpoint } from "../types";
import { adviceFor, isRouteRefusal } from "./advice";
import type { ErrorBody } from "./error-body";

/** What errors say about a call. */
export interface Tried {
  operation: ApiOperation;
  method: string;
  /** As sent; redacted here. */
  path: string;
  account: string | undefined;
  endpoint: Endpoint;
  redactor: Redactor;
  codec: DialectCodec;
  /** Requests sent so far. */
  attempts: number;
  /** A change was sent, and its outcome is unknown. */
  outcomeUnknown: boolean;
}

/** The error for an answer that refuses. The answer is masked where it arrives (`masking.ts`). */
export function refusal(
  tried: Tried,
  status: number,
  body: ErrorBody,
  requestId: string | undefined,
): ModelPlatformError {
  const { operation, account, endpoint } = tried;
  const ownAdvice =
    [
      adviceFor({ status, body, operation, account, baseUrl: endpoint.origin + endpoint.prefix }),
      inOurWords(tried, body),
    ]
      .filter(Boolean)
      .join(" ") || undefined;
  const open = tried.outcomeUnknown && (status >= 500 || status === 408 || status === 429);
  const details: ErrorDetails = {
    ...detailsOf(tried),
    status,
    serviceMessage: body.message,
    reasons: body.reasons,
    places: body.places.map((place) => tried.codec.place(operation, place)),
    code: body.code,
    requestId,
    advice: open && ownAdvice !== undefined ? `${ownAdvice} ${lookFirst}` : ownAdvice,
  };
  const ErrorClass = open && !isRouteRefusal(status, body) ? AmbiguousOutcomeError : classFor(status, body);
  return new ErrorClass(`answered ${answerText(status, body.code)}${body.html ? " with an HTML page" : ""}`, details);
}

/** Our names for the fields that the service rejects, if a dialect spells them differently. */
function inOurWords({ operation, codec }: Tried, { places }: ErrorBody): string {
  const renamed = [...new Set(places)]
    .map((place) => [place, codec.place(operation, place)] as const)
    .filter(([theirs, ours]) => theirs !== ours);
  return renamed.map(([theirs, ours]) => `Its \`${theirs}\` is \`${ours}\` here.`).join(" ");
}

function classFor(status: number, body: ErrorBody): typeof ModelPlatformError {
  if (body.html) return ModelPlatformError;
  if (isRouteRefusal(status, body)) return UnsupportedOperationError;
  if (status === 404) return NotFoundError;
  if (status === 409) return ConflictError;
  return status === 400 && body.code === grpcCodes.FAILED_PRECONDITION ? FailedPreconditionError : ModelPlatformError;
}

/** The error for a request without a usable answer. */
export function faultError(tried: Tried, fault: NetworkFault): ModelPlatformError {
  const { status, requestId } = fault.answer;
  const advice = faultAdvice[fault.kind];
  const ErrorClass = tried.outcomeUnknown ? AmbiguousOutcomeError : ModelPlatformError;
  return new ErrorClass(fault.message, {
    ...detailsOf(tried),
    advice: tried.outcomeUnknown ? `${advice} ${lookFirst}` : advice,
    status,
    requestId,
  });
}

/** The error for a 200 answer that cannot be right. */
export function answerError(
  tried: Tried,
  problem: string,
  status: number,
  requestId: string | undefined,
): ModelPlatformError {
  const ErrorClass = tried.outcomeUnknown ? AmbiguousOutcomeError : ModelPlatformError;
  return new ErrorClass(`answered ${status} with ${problem}`, {
    ...detailsOf(tried),
    status,
    advice: `Check that the base URL (\`${tried.endpoint.origin}${tried.endpoint.prefix}\`) leads to the API, and to the version that this package knows.${tried.outcomeUnknown ? ` ${lookFirst}` : ""}`,
    requestId,
  });
}

/** `cause`: why waiting for the deadline is pointless. */
export function deadlineError(tried: Tried, cause?: Error): DeadlineError {
  const reason = cause?.message ?? "the deadline passed before a usable answer arrived";
  return new DeadlineError(`was given up: ${reason}`, {
    ...detailsOf(tried),
    advice: tried.outcomeUnknown ? lookFirst : "Allow more time, or try again later.",
  });
}

export function abortedError(tried: Tried, cause: unknown): AbortedError {
  return new AbortedError("was cancelled by the caller", {
    ...detailsOf(tried),
    advice: tried.outcomeUnknown ? lookFirst : undefined,
    cause,
  });
}

const lookFirst = "Whether the change was made is not known: look at the object before repeating it.";

const detailsOf = ({ operation, method, path, account, redactor, attempts, outcomeUnknown }: Tried): ErrorDetails => ({
  operation: operation.name,
  method,
  path: redactor.text(path),
  attempts,
  outcome: outcomeUnknown ? "unknown" : "none",
  account,
});

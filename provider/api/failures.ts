import {
  AbortedError,
  AmbiguousOutcomeError,
  ConflictError,
  DeadlineError,
  type ErrorDetails,
  FailedPreconditionError,
  type Guidance,
  grpcCodes,
  ModelPlatformError,
  NotFoundError,
  statusText,
  UnsupportedOperationError,
} from "../core/errors";
import type { Redactor } from "../core/redact";
import type { Dialect } from "../core/wire/dialect";
import { adviceFor, isTaken, isUnknownRoute } from "./error-advice";
import type { ErrorBody } from "./error-body";
import { detailLines } from "./error-details";
import { type NetworkError, networkGuidance } from "./http/network-faults";
import type { ApiOperation, Endpoint } from "./types";

/** What errors report about a call. */
export interface AttemptedCall {
  operation: ApiOperation;
  method: string;
  /** As sent; redacted here. */
  path: string;
  account: string | undefined;
  endpoint: Endpoint;
  redactor: Redactor;
  /** How the service spells names, if that differs. */
  dialect: Dialect | undefined;
  /** Requests sent so far. */
  attempts: number;
  /** A change was sent, and its outcome is unknown. */
  outcomeUnknown: boolean;
  /** What the caller advises then. */
  ifLost?: (() => string) | undefined;
}

/** Why a response cannot be used: the actual value at a path of its body, and the expected one. */
export interface ResponseProblem {
  /** Path in the body; empty for all of it. */
  at: string;
  /** Completes the sentence "expected …". */
  expected: string;
  /** Undefined if it is missing. */
  actual: unknown;
  /** The setting that fixes it, if any. */
  advice?: string;
  /** The service names objects in another way than this package, in every response. */
  ofNames?: true;
}

/**
 * The error for a response that rejects, even with a status of success. The response is masked on arrival
 * (`transport.ts`, `answered-error.ts`). `meant`: the status that it amounts to, where its own is another one. `back`:
 * the time of day at which it asks to come back.
 */
export function rejectionError(
  tried: AttemptedCall,
  { answered, meant, back }: { answered: number; meant: number | undefined; back?: string | undefined },
  body: ErrorBody,
  requestId: string | undefined,
): ModelPlatformError {
  const { operation, account, endpoint } = tried;
  const isWithin = answered >= 200 && answered < 300;
  const status = isWithin ? (body.status ?? answered) : answered;
  const known = adviceFor({ status: meant ?? status, body, operation, account, baseUrl: baseUrlOf(endpoint) });
  const open = tried.outcomeUnknown && (status < 300 || status >= 500 || status === 408 || status === 429);
  const step = open && !known.isCause ? lookFirst(tried) : known;
  const details: ErrorDetails = {
    ...detailsOf(tried),
    status,
    serviceMessage: body.message,
    reasons: body.reasons,
    places: body.fieldPaths.map((place) => ourPlace(tried, place)),
    grpcCode: body.code,
    requestId,
    remarks: [...inOurWords(tried, body), ...(back === undefined ? [] : [`it asks to wait until ${back}`])],
    serviceDetails: detailLines(body.details, body.message, (place) => ourPlace(tried, place)),
    advice: step.advice,
    topic: step.topic,
  };
  const ErrorClass = open && !isUnknownRoute(status, body) ? AmbiguousOutcomeError : classFor(operation, status, body);
  return new ErrorClass(`answered ${refusalText(answered, status, body)}`, details);
}

/** Why a call waits for its next request. */
export const refusalReason = ({ operation }: AttemptedCall, answered: number, body: ErrorBody): string => {
  const message = body.message === "" ? "" : `: ${JSON.stringify(body.message.slice(0, mostLetters))}`;
  return `${operation.name} answered ${refusalText(answered, body.status ?? answered, body)}${message}`;
};

function refusalText(answered: number, status: number, { code, html, message }: ErrorBody): string {
  const text = `${statusText(status, code)}${html ? " with an HTML page" : ""}`;
  if (answered < 300 && status === 404 && message === "") return `${answered} with nothing in place of the object`;
  if (status === answered) return answered < 300 ? `${answered} with an error` : text;
  return answered < 300 ? `${answered} with the error ${text}` : text;
}

const ourPlace = ({ operation, dialect }: AttemptedCall, place: string): string =>
  dialect?.ours.place(operation, place) ?? place;

/** Our names for the fields that the service rejects, if a dialect spells them differently. */
function inOurWords(tried: AttemptedCall, { fieldPaths }: ErrorBody): string[] {
  const renamed = [...new Set(fieldPaths)]
    .map((place) => [place, ourPlace(tried, place)] as const)
    .filter(([theirs, ours]) => theirs !== ours);
  return renamed.map(([theirs, ours]) => `its \`${theirs}\` is \`${ours}\` here`);
}

function classFor(operation: ApiOperation, status: number, body: ErrorBody): typeof ModelPlatformError {
  if (body.html) return ModelPlatformError;
  if (isUnknownRoute(status, body)) return UnsupportedOperationError;
  if (status === 404) return NotFoundError;
  if (status === 412 && body.code === grpcCodes.FAILED_PRECONDITION) return FailedPreconditionError;
  if (status === 409 || (operation.verb === "create" && isTaken(status, body))) return ConflictError;
  return status === 400 && body.code === grpcCodes.FAILED_PRECONDITION ? FailedPreconditionError : ModelPlatformError;
}

/** The error for a request without a usable response. */
export function networkCallError(tried: AttemptedCall, fault: NetworkError): ModelPlatformError {
  const { status, requestId } = fault.response;
  const ErrorClass = tried.outcomeUnknown ? AmbiguousOutcomeError : ModelPlatformError;
  return new ErrorClass(fault.message, {
    ...detailsOf(tried),
    ...(tried.outcomeUnknown ? lookFirst(tried) : networkGuidance(fault.kind)),
    status,
    requestId: maskRequestId(tried, requestId),
  });
}

/** The error for a 200 response that cannot be right. */
export function invalidResponseError(
  tried: AttemptedCall,
  problem: ResponseProblem,
  status: number,
  requestId: string | undefined,
): ModelPlatformError {
  const ErrorClass = tried.outcomeUnknown ? AmbiguousOutcomeError : ModelPlatformError;
  const { advice, at: answerAt } = problem;
  return new ErrorClass(`answered ${status} ${responseProblemText(problem, tried.redactor)}`, {
    ...detailsOf(tried),
    status,
    requestId: maskRequestId(tried, requestId),
    answerAt,
    ...(tried.outcomeUnknown ? lookFirst(tried) : checkBaseUrl(tried)),
    ...(advice !== undefined && { advice, topic: "the-answer-is-not-the-apis" }),
  });
}

/** A successful response is not masked, and neither are its headers. */
const maskRequestId = ({ redactor }: AttemptedCall, requestId: string | undefined): string | undefined =>
  requestId === undefined ? undefined : redactor.text(requestId);

/** Most letters of a response that a message quotes. */
const mostLetters = 200;

/** The problem as an end of the sentence "answered 200 …". */
function responseProblemText({ at, expected, actual }: ResponseProblem, redactor: Redactor): string {
  const place = at === "" ? "" : ` at \`${at}\``;
  const instead = actual === undefined ? `without \`${at}\`` : `with ${displayValue(actual, redactor)}${place}`;
  return `${instead}: expected ${expected}`;
}

/** Masked before it is cut: half a secret would not be recognized. */
function displayValue(actual: unknown, redactor: Redactor): string {
  const text = redactor.text(JSON.stringify(redactor.value(actual)));
  return text.length > mostLetters ? `${text.slice(0, mostLetters)}…` : text;
}

/** `cause`: why waiting for the deadline is pointless. */
export function deadlineError(tried: AttemptedCall, cause?: Error): DeadlineError {
  const reason = cause?.message ?? "the deadline passed before a usable answer arrived";
  return new DeadlineError(`was given up: ${reason}`, {
    ...detailsOf(tried),
    ...(tried.outcomeUnknown ? lookFirst(tried) : { advice: "Allow more time, or try again later." }),
  });
}

/** `wait`: what it waited for then, as the end of the sentence. */
export function abortedError(tried: AttemptedCall, cause: unknown, wait: string): AbortedError {
  return new AbortedError(`was interrupted${wait || " before its answer arrived"}`, {
    ...detailsOf(tried),
    ...(tried.outcomeUnknown ? lookFirst(tried) : { advice: "Run the same command again." }),
    cause,
  });
}

/** Comes before any other step: the change may have been made. */
const lookFirst = ({ ifLost }: AttemptedCall): Guidance => ({
  advice: ifLost?.() ?? "Whether the change was made is not known: look at the object before you repeat it.",
  topic: "the-outcome-is-unknown",
});

const baseUrlOf = ({ origin, prefix }: Endpoint): string => origin + prefix;

const checkBaseUrl = ({ endpoint }: AttemptedCall): Guidance => ({
  advice: `Check that the base URL (\`${baseUrlOf(endpoint)}\`) leads to the API, in the version that this package knows.`,
  topic: "the-answer-is-not-the-apis",
});

const detailsOf = ({
  operation,
  method,
  path,
  account,
  redactor,
  attempts,
  outcomeUnknown,
}: AttemptedCall): ErrorDetails => ({
  operation: operation.name,
  method,
  path: redactor.text(path),
  attempts,
  outcome: outcomeUnknown ? "unknown" : "none",
  account,
});

import { sanitizeOutput } from "../../io/text/printable";
import { trimEndOf } from "../../io/text/trim";
import type { ErrorAnswers, ErrorCode, ErrorSubject } from "./error-codes";

/**
 * Headings of `docs/errors.md`. An error has one next step; the rest is below the heading that it links. A test
 * compares the two.
 */
export const errorTopics = [
  "the-answer-is-not-the-apis",
  "no-connection",
  "the-key-is-not-accepted",
  "no-key-account-or-base-url",
  "the-account-is-gone",
  "an-operation-at-another-path",
  "the-outcome-is-unknown",
  "an-update-is-refused-or-loses-fields",
  "the-object-already-exists",
  "an-interrupted-run-left-an-object",
  "the-state-has-lost-the-object",
  "the-journal-cannot-be-written",
  "another-declaration-has-the-object",
  "another-stack-has-the-object",
  "the-object-was-created-again",
  "two-objects-want-the-same-values",
  "the-object-failed",
  "the-object-is-protected",
  "the-object-cannot-be-deleted",
] as const;

export type ErrorTopic = (typeof errorTopics)[number];

/** The package carries its documentation, so that a link needs no network and fits the installed release. */
const page = "pulumi-modelplatform/docs/errors.md";

/** The link of an error to the rest of its documentation. */
export const linkTo = (topic: ErrorTopic): string => `${page}#${topic}`;

/**
 * Errors of this package. A class exists only if a caller acts differently; everything else is distinguished by
 * `status`, `code` or a predicate. No member ever holds a secret: texts from outside MUST be redacted before they get
 * here. The message does no harm to a terminal or a runner that prints it.
 */

/** What is known about a failure. Every part is optional; the message is made of the parts that are there. */
export interface ErrorDetails {
  /** Catalogue name of the operation, such as `getDeployment`. */
  operation?: string;
  method?: string;
  /** Path and query as sent, without the origin. */
  path?: string;
  /** Whose key was used. */
  account?: string | undefined;
  /** HTTP status of the answer; absent when there was none. */
  status?: number | undefined;
  /** gRPC number of the answer's body (A091); absent when the body has none. */
  grpcCode?: number | undefined;
  /** Which error of the life cycle it is. */
  code?: ErrorCode;
  /** What it is about, beside the resource that it is reported for. */
  about?: ErrorSubject;
  /** With what the same situation ends otherwise. */
  answers?: ErrorAnswers;
  /** The service's own words. */
  serviceMessage?: string;
  /** Machine-readable reasons of the answer's details, such as `POLICY_TRAINING_DENIED`. */
  reasons?: readonly string[];
  /** Places in the request that the answer's details reject, as this package spells them. */
  places?: readonly string[];
  requestId?: string | undefined;
  /** Path in the answer's body of what makes it unusable; empty for all of it. */
  answerAt?: string;
  /** What to do next: one step, in a sentence of at most 150 characters; or a sentence with commands for each way. */
  advice?: string | undefined;
  /** Heading of the documentation that has the rest. */
  topic?: ErrorTopic | undefined;
  /** Remarks on the answer: the service's spelling of a field, and what this package calls it. */
  remarks?: readonly string[];
  /** What the details of the answer say, a line each: violations of fields, quotas, a page that helps. */
  serviceDetails?: readonly string[];
  /** Whether a change may have been made nevertheless: an answer was lost. Default: the outcome of `cause`. */
  outcome?: Outcome;
  /** How many requests were sent for it. */
  attempts?: number;
  cause?: unknown;
}

/** One next step, and the heading that has the rest. */
export interface Guidance {
  advice: string;
  topic: ErrorTopic;
}

/** `none`: nothing was changed. `unknown`: the change may have been made; look before repeating it. */
type Outcome = "none" | "unknown";

const brand = Symbol.for("pulumi-modelplatform.error");

/** An error of this package. Its message says what was tried, what the service answered and what to do next. */
export class ModelPlatformError extends Error {
  /** What kind of error it is; the predicates of this package tell kinds apart. */
  override readonly name: string = "ModelPlatformError";
  /** Catalogue name of the operation that failed, such as `getDeployment`. */
  readonly operation: string | undefined;
  /** HTTP method of the request. */
  readonly method: string | undefined;
  /** Path and query of the request, without the origin. */
  readonly path: string | undefined;
  /** Account whose key was used. */
  readonly account: string | undefined;
  /** HTTP status of the answer; undefined when there was none. */
  readonly status: number | undefined;
  /** Code of gRPC in the body of the answer; undefined when the body has none. */
  readonly grpcCode: number | undefined;
  /** Which error of the life cycle it is, of a closed list; undefined for others. Source: `docs/errors.md`. */
  readonly code: ErrorCode | undefined;
  /** What it is about, beside the resource that it is reported for: an object, a resource, a stack. */
  readonly about: ErrorSubject;
  /** Settings and values with which the same situation ends otherwise; empty where there are none. */
  readonly answers: ErrorAnswers;
  /** The service's own message. */
  readonly serviceMessage: string | undefined;
  /** Machine-readable reasons in the details of the answer, such as `POLICY_TRAINING_DENIED`. */
  readonly reasons: readonly string[];
  /** Places in the request that the details of the answer reject, as this package spells them. */
  readonly places: readonly string[];
  /** What identifies the request in the service's logs. */
  readonly requestId: string | undefined;
  /** Path in the body of an accepted answer that cannot be used, empty for all of it; else undefined. */
  readonly answerAt: string | undefined;
  /** What to do next: one step. */
  readonly advice: string | undefined;
  /** Link to the documentation, where there is more to know than `advice` says. */
  readonly help: string | undefined;
  /** Whether a change may have been made nevertheless: `unknown` if an answer was lost or is unreadable. */
  readonly outcome: Outcome;
  /** How many requests were sent before giving up. */
  readonly attempts: number | undefined;

  /** `problem` is what went wrong, without a final period: `answered 404 NOT_FOUND`, `the base URL has a fragment`. */
  constructor(problem: string, details: ErrorDetails = {}) {
    super(
      sanitizeOutput(errorText(problem, details)),
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    Object.defineProperty(this, brand, { value: true });
    this.operation = details.operation;
    this.method = details.method;
    this.path = details.path;
    this.account = details.account;
    this.status = details.status;
    this.grpcCode = details.grpcCode;
    this.code = details.code;
    this.about = details.about ?? {};
    this.answers = details.answers ?? {};
    this.serviceMessage = details.serviceMessage;
    this.reasons = details.reasons ?? [];
    this.places = details.places ?? [];
    this.requestId = details.requestId;
    this.answerAt = details.answerAt;
    this.advice = details.advice;
    this.help = details.topic && linkTo(details.topic);
    this.outcome = details.outcome ?? (mayHaveCreated(details.cause) ? "unknown" : "none");
    this.attempts = details.attempts;
  }
}

/** 404: there is no such object, or none that this key may see. Whether it is *gone* takes a second look (A093). */
export class NotFoundError extends ModelPlatformError {
  override readonly name = "NotFoundError";
}

/** 409: the id is taken, or someone else is changing the object. Also 400 and 422 to a create, in such words. */
export class ConflictError extends ModelPlatformError {
  override readonly name = "ConflictError";
}

/** 400 with code 9: the state of the object or a rule of the account is in the way. */
export class FailedPreconditionError extends ModelPlatformError {
  override readonly name = "FailedPreconditionError";
}

/** The service does not offer the operation, or not under the path that a convention assumes (A001). */
export class UnsupportedOperationError extends ModelPlatformError {
  override readonly name = "UnsupportedOperationError";
}

/** A setting is missing or wrong. Nothing was sent. */
export class ConfigurationError extends ModelPlatformError {
  override readonly name = "ConfigurationError";
}

/** The deadline came first. */
export class DeadlineError extends ModelPlatformError {
  override readonly name = "DeadlineError";
}

/** The caller's signal came first. */
export class AbortedError extends ModelPlatformError {
  override readonly name = "AbortedError";
}

/**
 * A change was sent and its answer is not known: it may have been made. The object MUST
 * be looked up before the change is repeated.
 */
export class AmbiguousOutcomeError extends ModelPlatformError {
  override readonly name = "AmbiguousOutcomeError";
}

/** The message of anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether `error` is one of this package, also one from another copy of it. */
export const isModelPlatformError = (error: unknown): error is ModelPlatformError =>
  typeof error === "object" && error !== null && brand in error;

/** The code of an error, or of what has caused it. */
export function errorCodeOf(error: unknown): ErrorCode | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (isModelPlatformError(cause) && cause.code !== undefined) return cause.code;
  return undefined;
}

const isNamed =
  <E extends ModelPlatformError>(name: E["name"]) =>
  (error: unknown): error is E =>
    isModelPlatformError(error) && error.name === name;

/** Whether the service answered 404: there is no such object, or none that this key may see. */
export const isNotFound = isNamed<NotFoundError>("NotFoundError");
/** Whether the service answered 404 or 410, with any body: nothing is at that path, or nothing for this key. */
export const isMissing = (error: unknown): error is ModelPlatformError =>
  isModelPlatformError(error) && (error.status === 404 || error.status === 410);
/** Whether the service answered 409: the id is taken, or another change of the object is under way. */
export const isConflict = isNamed<ConflictError>("ConflictError");
/** Whether the state of the object, or a rule of the account, is in the way (400 with gRPC code 9). */
export const isFailedPrecondition = isNamed<FailedPreconditionError>("FailedPreconditionError");
/** Whether the service does not offer the operation, or not under the path that was asked. */
export const isUnsupportedOperation = isNamed<UnsupportedOperationError>("UnsupportedOperationError");
/** Whether a setting is missing or wrong. Nothing was sent. */
export const isConfigurationError = isNamed<ConfigurationError>("ConfigurationError");
/** Whether the time that the operation may take had passed. */
export const isDeadline = isNamed<DeadlineError>("DeadlineError");
/** Whether the caller cancelled the operation. */
export const isAborted = isNamed<AbortedError>("AbortedError");
/** Whether a change was sent and its answer is not known, so that it may have been made. Look before repeating it. */
export const isAmbiguousOutcome = isNamed<AmbiguousOutcomeError>("AmbiguousOutcomeError");

/** Whether the request may have been carried out although it failed: not if an answer denies it. */
export const mayHaveCreated = (error: unknown): boolean =>
  isAmbiguousOutcome(error) || (isModelPlatformError(error) && error.outcome === "unknown");

/** The same error, of a request that repeats one whose answer was lost. */
export const withUnknownOutcome = <E extends ModelPlatformError>(error: E): E =>
  Object.defineProperty(error, "outcome", { value: "unknown" satisfies Outcome });

/** Whether a success is not a response of the API, or names objects otherwise: so does the one to a create then. */
export const isOfOtherForm = (error: unknown): boolean =>
  isModelPlatformError(error) && error.answerAt !== undefined && /^$|(^|\.)name$/.test(error.answerAt);

/** Whether an accepted answer was about the requested object, of which a value cannot be used. */
export const isOfUnusableValue = (error: unknown): boolean =>
  isModelPlatformError(error) && error.answerAt !== undefined && !isOfOtherForm(error);

/** Whether the service does not accept the key, or does not allow it to do this (401 or 403). */
export const isForbidden = (error: unknown): error is ModelPlatformError =>
  isModelPlatformError(error) && (error.status === 401 || error.status === 403);

/** Whether the id is taken: a 409 that is not about a change under way (A044). */
export const isAlreadyExists = (error: unknown): error is ConflictError =>
  isConflict(error) && !isConcurrentChange(error);

/** Whether another change of the object is under way: 409 with gRPC code 10 (A044). */
export const isConcurrentChange = (error: unknown): error is ConflictError =>
  isConflict(error) && error.grpcCode === grpcCodes.ABORTED;

/** Names and numbers of gRPC codes (A091). */
export const grpcCodes = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

const codeNames = new Map<number, string>(Object.entries(grpcCodes).map(([name, code]) => [code, name]));

/** `404 NOT_FOUND (code 5)`, as much of it as there is. */
export function statusText(status: number, code?: number): string {
  const name = code === undefined ? undefined : codeNames.get(code);
  return [String(status), name, code === undefined ? undefined : `(code ${code})`]
    .filter((part) => part !== undefined)
    .join(" ");
}

/** What to do next as a message ends with it. A link has no period, which a terminal would take for a part of it. */
export function nextStep({ advice, help }: Pick<ModelPlatformError, "advice" | "help">): string | undefined {
  const parts = [advice, help && `See ${help}`].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(" ");
}

/** What went wrong, without what to do next. */
export function problemOf(error: unknown): string {
  const text = messageOf(error);
  const next = isModelPlatformError(error) ? nextStep(error) : undefined;
  return trimEndOf(next === undefined ? text : text.replace(sanitizeOutput(next), ""), /[.\s]/);
}

function errorText(problem: string, details: ErrorDetails): string {
  const { operation, method, path, serviceMessage, requestId, attempts = 1 } = details;
  const request = method !== undefined && path !== undefined ? `${method} ${path}` : undefined;
  const tried = operation !== undefined && request !== undefined ? `${operation} (${request})` : (operation ?? request);
  const serviceText =
    serviceMessage === undefined || serviceMessage === "" ? "" : `: ${JSON.stringify(serviceMessage)}`;
  const notes = [
    ...(details.remarks ?? []),
    attempts > 1 ? `after ${attempts} attempts` : "",
    requestId === undefined ? "" : `request id ${requestId}`,
  ]
    .filter(Boolean)
    .join(", ");
  const head = `${tried === undefined ? "" : `${tried} `}${problem}${serviceText}${notes === "" ? "" : ` (${notes})`}`;
  const next = nextStep({ advice: details.advice, help: details.topic && linkTo(details.topic) });
  const listed = (details.serviceDetails ?? []).map((line) => `\n  - ${line}`).join("");
  if (listed !== "") return `${head}:${listed}${next === undefined ? "" : `\n${next}`}`;
  return next === undefined ? head : `${head}. ${next}`;
}

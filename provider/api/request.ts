import { manifest } from "../../io/files/package";
import { timeOfDay } from "../../io/text/time-of-day";
import { isDeadline, isModelPlatformError, type ModelPlatformError } from "../core/errors";
import { RedactedString, type Redactor } from "../core/redact";
import { memoize } from "../core/values/once";
import type { Dialect } from "../core/wire/dialect";
import { answeredError } from "./answered-error";
import { isAboutAmount, isQuota, isRateLimit } from "./error-advice";
import { type ErrorBody, mayMeanMissingObject, readErrorBody } from "./error-body";
import {
  type AttemptedCall,
  abortedError,
  deadlineError,
  networkCallError,
  refusalReason,
  rejectionError,
} from "./failures";
import { NetworkError } from "./http/network-faults";
import type { Gate } from "./http/rate-gate";
import {
  FailedTry,
  isRepeatable,
  LongWait,
  mayHaveTakenEffect,
  parseRetryHeaders,
  pauseBefore,
  type RequestFailure,
  retry,
  retryTable,
  shouldRetry,
} from "./http/retry";
import { acceptedEncodings, type HttpResponse, isHtml, parseJson, type Send } from "./http/transport";
import type { RequestLedger } from "./request-log";
import { abortingAt, orAborted, type Stopwatch, type Time } from "./time";
import type { ApiOperation, CallOptions, CallResult, Credential, Endpoint } from "./types";

/** A call as all of its requests share it. */
export interface PreparedCall {
  operation: ApiOperation;
  endpoint: Endpoint;
  /** With query, as it is sent. */
  path: string;
  /** As the service spells it. */
  body: unknown;
  credential: Credential;
  gate: Gate;
  options: CallOptions;
  /** The list has the object, so a response that could mean "missing" does not (A053). */
  exists: boolean;
}

/** What the requests of a client share. */
interface RequestContext {
  send: Send;
  ledger: RequestLedger;
  redactor: Redactor;
  time: Time;
  stopwatch: Stopwatch;
  dialect: Dialect | undefined;
  /** Receives what calls wait for, where they have nobody else to tell. */
  onWait?: ((text: string) => void) | undefined;
}

export interface ReceivedResponse extends Omit<CallResult, "value"> {
  value: unknown;
  requestId: string | undefined;
  /** For errors about the response's content. */
  attemptedCall: AttemptedCall;
}

/** A rejection, with its advice about retrying. */
class RejectedResponse extends Error {
  constructor(
    readonly response: HttpResponse,
    readonly body: ErrorBody,
    readonly failure: RequestFailure,
  ) {
    super(`answered ${response.status}`);
  }
}

/** Clears the timer of a finished call. Created once: creating an error per call takes longer than everything else. */
const over = new Error("the call is over");

/** One call on its way: sent through the gate as often as needed, within its deadline (A092). */
export class RequestRun {
  private readonly isWrite: boolean;
  private readonly deadline: number;
  private headers: Readonly<Record<string, string>> = {};
  private readonly ended = new AbortController();
  private readonly expired: AbortSignal;
  private readonly signal: AbortSignal;
  /** For errors, and kept up to date with every request. */
  private readonly attemptedCall: AttemptedCall;
  private readonly wait: LongWait;
  /** The last response that was no JSON. */
  private unreadable: string | undefined;

  constructor(
    private readonly context: RequestContext,
    private readonly call: PreparedCall,
    private readonly key: Promise<RedactedString>,
  ) {
    const { operation, path, credential, endpoint, options } = call;
    const { time, redactor, dialect } = context;
    this.isWrite = operation.effect === "write" && options.query?.["validateOnly"] !== true;
    this.deadline = options.deadline ?? time.now() + retryTable.deadline;
    this.expired = abortingAt(this.deadline, time, this.ended.signal);
    this.signal = options.signal ? AbortSignal.any([options.signal, this.expired]) : this.expired;
    this.wait = new LongWait(time.now, options.onWait ?? context.onWait);
    this.attemptedCall = {
      ...{ operation, method: operation.method, path, account: credential.account, endpoint },
      ...{ redactor, dialect, attempts: 0, outcomeUnknown: false, ifLost: options.ifLost },
    };
  }

  /** The first usable response, or the error of the last request. MUST be called once. */
  async execute(): Promise<ReceivedResponse> {
    const { attemptedCall, deadline, expired, signal } = this;
    const { time } = this.context;
    try {
      this.headers = headersFor(await this.keyInTime(), this.call.body);
      return await retry((number) => this.attempt(number), { time, deadline, signal, onPause: this.wait.note });
    } catch (error) {
      if (isDeadline(error)) throw deadlineError(attemptedCall, error);
      if (isModelPlatformError(error) || !signal.aborted) throw error;
      const own = this.call.options.signal;
      if (expired.aborted && !own?.aborted) throw deadlineError(attemptedCall);
      throw abortedError(attemptedCall, own?.reason, this.wait.sentence);
    } finally {
      this.ended.abort(over);
    }
  }

  /** A command that makes it may take longer than the call has. */
  private keyInTime(): Promise<RedactedString> {
    const { key, signal, call } = this;
    return call.credential.key instanceof RedactedString ? key : orAborted(signal, key);
  }

  private async attempt(number: number): Promise<ReceivedResponse> {
    const { context, call, attemptedCall, deadline, signal, isWrite, headers } = this;
    const { ledger, stopwatch, time } = context;
    const { operation, endpoint, path, body, gate, options } = call;
    const queuedAt = time.now();
    const startedAt = await gate.acquire({ signal, deadline, repeated: number > 1, onPause: this.wait.note });
    attemptedCall.attempts = number;
    this.wait.end();
    ledger.countRequest(attemptedCall.account, operation.name).sent++;
    options.onSend?.();
    const before = attemptedCall.outcomeUnknown;
    attemptedCall.outcomeUnknown ||= isWrite;
    const request = {
      ...{ origin: endpoint.origin, method: operation.method, path, headers, signal },
      body: body === undefined ? undefined : JSON.stringify(body),
      call: { operation: operation.name, attempt: number, waited: time.now() - queuedAt },
    };
    try {
      const response = await stopwatch.during("requests", context.send(request));
      return this.handleResponse(response, startedAt);
    } catch (error) {
      if (!(error instanceof NetworkError || error instanceof RejectedResponse)) throw error;
      if (error instanceof NetworkError) ledger.countRequest(attemptedCall.account, operation.name).failed++;
      const failure = error instanceof RejectedResponse ? error.failure : this.failureOf(error);
      attemptedCall.outcomeUnknown = before || (isWrite && mayHaveTakenEffect(failure));
      throw new FailedTry(this.errorFor(error), this.pauseAfter(failure), this.reasonOf(error));
    } finally {
      gate.releaseSlot();
    }
  }

  private reasonOf(reason: NetworkError | RejectedResponse): string {
    if (reason instanceof NetworkError) return `${this.call.operation.name} ${reason.message}`;
    return refusalReason(this.attemptedCall, reason.response.status, reason.body);
  }

  /** The value of a 2xx response without an error; anything else rejects. The gate learns from both. */
  private handleResponse(response: HttpResponse, startedAt: number): ReceivedResponse {
    const { status, headers, text } = response;
    if (!isSuccess(status))
      throw this.handleRejection(response, readErrorBody(text, headers["content-type"], headers), startedAt);
    const { redactor, dialect } = this.context;
    const { operation, options } = this.call;
    const json = jsonIn(text);
    const reading = { value: json.value, redactor, dialect, isMasked: options.query?.["readMask"] !== undefined };
    const error = answeredError(operation, response, reading);
    if (error) throw this.handleRejection(response, error, startedAt);
    this.call.gate.accepted(startedAt);
    const time = Date.parse(headers["date"] ?? "");
    return {
      value: this.valueIn(response, json),
      status,
      size: text.length,
      attemptedCall: this.attemptedCall,
      requestId: headers["x-request-id"],
      time: Number.isFinite(time) ? time : undefined,
    };
  }

  /** An update or delete need not return a value: its caller reads what it has to know. */
  private valueIn({ status, headers, text }: HttpResponse, json: ParsedText): unknown {
    const { method } = this.call.operation;
    const errorContext = { status, requestId: headers["x-request-id"] };
    const mayBeSilent = method === "DELETE" || method === "PATCH";
    if (text.trim() === "" && mayBeSilent) return {};
    if (isHtml(text, headers["content-type"] ?? ""))
      throw new NetworkError("html", `answered ${status} with an HTML page`, errorContext);
    const { value, problem } = json;
    if (problem === undefined) return value === null && mayBeSilent ? {} : value;
    if (mayBeSilent) return {};
    // A response that is twice the same and no JSON will not be JSON the next time.
    const kind = this.unreadable === text ? "garbled" : "unreadable";
    this.unreadable = text;
    throw new NetworkError(kind, `answered ${status} with something that is not JSON: ${problem}`, errorContext);
  }

  private handleRejection(response: HttpResponse, body: ErrorBody, startedAt: number): RejectedResponse {
    const { ledger, time } = this.context;
    const { operation, credential, gate, exists } = this.call;
    const { headers } = response;
    const advice = parseRetryHeaders(headers, time.now());
    const answered = isSuccess(response.status) ? body.status : response.status;
    const status = isRateLimit(answered, body, advice.wait !== undefined) ? 429 : answered;
    const quota = status === 429 && isQuota(body, advice.wait !== undefined);
    ledger.countRequest(credential.account, operation.name)[status === 429 ? "refused" : "failed"]++;
    const isOfAmount = quota || (status === 429 && isAboutAmount(body));
    const alone = isOfAmount || this.isAlone(advice.wait);
    const shared = alone ? undefined : advice.wait;
    const why = refusalReason(this.attemptedCall, response.status, body);
    if (status === 429 && !isOfAmount) gate.refused(startedAt, shared, why);
    else {
      gate.accepted(startedAt);
      if (shared !== undefined) gate.pauseUntil(shared, why);
    }
    // Without a code, an error leaves the outcome of a write unknown.
    if (status === undefined)
      return new RejectedResponse(response, body, { networkError: "garbled", accepted: this.isWrite });
    const verifyFirst = !exists && mayMeanMissingObject(operation, status, body.code);
    return new RejectedResponse(response, body, { status, quota, alone, advice, verifyFirst });
  }

  /** Nobody waits for what this call will not wait for, or for longer than a rate is counted. */
  private isAlone(wait = 0): boolean {
    const { once } = this.call.options;
    const { tries, shared } = retryTable;
    const isLast = once || this.attemptedCall.attempts >= tries.rate;
    return isLast || wait > shared || this.context.time.now() + wait > this.deadline;
  }

  private failureOf({ kind: networkError, response: { status = 0 } }: NetworkError): RequestFailure {
    return { status, networkError, accepted: this.isWrite && isSuccess(status) };
  }

  private errorFor(reason: NetworkError | RejectedResponse): ModelPlatformError {
    if (reason instanceof NetworkError) return networkCallError(this.attemptedCall, reason);
    const { response, body, failure } = reason;
    const { status: meant, advice: { wait = 0 } = {} } = failure;
    const { silent } = retryTable;
    const back = wait > silent ? timeOfDay(this.context.time.now() + wait) : undefined;
    const status = { answered: response.status, meant, back };
    return rejectionError(this.attemptedCall, status, body, response.headers["x-request-id"]);
  }

  /** Milliseconds until the next request; undefined: do not retry. */
  private pauseAfter(failure: RequestFailure): number | undefined {
    const { time } = this.context;
    const { attempts } = this.attemptedCall;
    const { operation, options, gate } = this.call;
    if (options.once) return undefined;
    const repeatable = isRepeatable(operation, options.query, options.idempotent);
    if (!shouldRetry(failure, { sent: attempts, repeatable })) return undefined;
    if (failure.status !== 429 || failure.alone) return pauseBefore(attempts, failure, time.random);
    // A 429 for the rate is waited out in the gate, unless that would take too long.
    const { pause } = gate;
    return time.now() + pause <= this.deadline ? 0 : pause;
  }
}

/** The JSON of a text, or why it is not JSON. */
interface ParsedText {
  value?: unknown;
  problem?: string;
}

function jsonIn(text: string): ParsedText {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** `pulumi-modelplatform/<version>`. */
const userAgent = memoize(() => {
  const { name, version } = manifest();
  return `${name}/${version}`;
});

function headersFor(key: RedactedString, body: unknown): Record<string, string> {
  return {
    authorization: `Bearer ${key.reveal()}`,
    accept: "application/json",
    "accept-encoding": acceptedEncodings,
    "user-agent": userAgent(),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
}

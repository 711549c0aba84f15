import { isDeadline, isModelPlatformError, type ModelPlatformError } from "../core/errors";
import type { Redactor } from "../core/redact";
import type { DialectCodec } from "./dialect-codec";
import { isQuota } from "./errors/advice";
import { isHtml, readErrorBody } from "./errors/error-body";
import { abortedError, deadlineError, faultError, refusal, type Tried } from "./errors/failures";
import { parseJson } from "./http/body";
import { NetworkFault } from "./http/network-faults";
import {
  FailedTry,
  isRepeatable,
  mayHaveChanged,
  pauseBefore,
  type RequestFailure,
  retry,
  retryTable,
  shouldRetry,
  timeLimit,
  waitAdvice,
} from "./http/retry";
import type { HttpAnswer, HttpRequest, Send } from "./http/transport";
import type { WritableLedger } from "./ledger";
import type { Gate, Turn } from "./limits/gate";
import { looksMissing } from "./requests";
import type { Time } from "./time";
import type { Stopwatch } from "./trace/time-spent";
import type { Answer, ApiOperation, CallOptions, Endpoint } from "./types";

/** A call, ready to be sent. */
export interface Prepared {
  operation: ApiOperation;
  endpoint: Endpoint;
  path: string;
  account: string | undefined;
  headers: Readonly<Record<string, string>>;
  gate: Gate;
  codec: DialectCodec;
  /** The list shows the object, so an answer that could mean "missing" does not (A053). */
  exists?: boolean;
}

export interface Received extends Omit<Answer, "value"> {
  value: unknown;
  requestId: string | undefined;
  /** For errors about the answer's content. */
  tried: Tried;
}

/** What the runs of one client share. */
interface Around {
  send: Send;
  ledger: WritableLedger;
  redactor: Redactor;
  time: Time;
  stopwatch: Stopwatch;
}

/** A refusal, with what it says about retrying. */
class Refused extends Error {
  constructor(
    readonly answer: HttpAnswer,
    readonly failure: RequestFailure & { status: number },
  ) {
    super(`answered ${answer.status}`);
  }
}

/** One call on its way: sent through the gate as often as needed, within its deadline (A092). */
export class RequestRun {
  private readonly isWrite: boolean;
  private readonly isRepeatable: boolean;
  private readonly deadline: number;
  private readonly limit: ReturnType<typeof timeLimit>;
  /** For errors, and kept up to date with every request. */
  private readonly tried: Tried;
  /** The last answer that was no JSON. */
  private unreadable: string | undefined;

  constructor(
    private readonly around: Around,
    private readonly call: Prepared,
    private readonly options: CallOptions,
  ) {
    const { operation, path, account, endpoint, codec } = call;
    const { query, idempotent, signal, deadline = around.time.now() + retryTable.deadline } = options;
    this.isWrite = operation.effect === "write" && query?.["validateOnly"] !== true;
    this.isRepeatable = isRepeatable(operation, query, idempotent);
    this.deadline = deadline;
    this.limit = timeLimit(around.time, deadline, signal);
    this.tried = {
      operation,
      method: operation.method,
      path,
      account,
      endpoint,
      redactor: around.redactor,
      codec,
      attempts: 0,
      outcomeUnknown: false,
    };
  }

  /** The first usable answer, or the error of the last request. MUST be called once. */
  async answer(): Promise<Received> {
    const { limit, tried, deadline, options } = this;
    const { time } = this.around;
    try {
      return await retry((number) => this.attempt(number), { time, deadline, signal: limit.signal });
    } catch (error) {
      if (isDeadline(error)) throw deadlineError(tried, error);
      if (isModelPlatformError(error) || !limit.signal.aborted) throw error;
      throw limit.late() ? deadlineError(tried) : abortedError(tried, options.signal?.reason);
    } finally {
      limit.end();
    }
  }

  private async attempt(number: number): Promise<Received> {
    const { around, call, tried, deadline, isWrite } = this;
    const asked = around.time.now();
    const turn = await call.gate.enter({ signal: this.limit.signal, deadline, repeated: number > 1 });
    tried.attempts = number;
    around.ledger.send(call.account, call.operation.name);
    this.options.onSend?.();
    const begun = around.time.now();
    const before = tried.outcomeUnknown;
    tried.outcomeUnknown ||= isWrite;
    try {
      const answer = await around.stopwatch.during("requests", around.send(this.request(begun - asked)));
      return this.received(answer, turn);
    } catch (error) {
      if (!(error instanceof NetworkFault || error instanceof Refused)) throw error;
      if (error instanceof NetworkFault) around.ledger.fail(call.account, call.operation.name);
      const failure = error instanceof Refused ? error.failure : this.failureOf(error);
      tried.outcomeUnknown = before || (isWrite && mayHaveChanged(failure));
      throw new FailedTry(this.errorFor(error), this.pauseAfter(failure));
    } finally {
      turn.leave();
    }
  }

  private request(waited: number): HttpRequest {
    const { operation, endpoint, path, headers } = this.call;
    const { body } = this.options;
    return {
      origin: endpoint.origin,
      method: operation.method,
      path,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: this.limit.signal,
      call: { operation: operation.name, attempt: this.tried.attempts, waited },
    };
  }

  /** The value of a 2xx answer; anything else rejects. The gate learns from both. */
  private received(answer: HttpAnswer, turn: Turn): Received {
    const { status, headers, text } = answer;
    if (!isSuccess(status)) throw this.refused(answer, turn);
    turn.accepted();
    const time = Date.parse(headers["date"] ?? "");
    return {
      value: this.parsed(answer),
      status,
      size: text.length,
      tried: this.tried,
      requestId: headers["x-request-id"],
      time: Number.isFinite(time) ? time : undefined,
    };
  }

  /** What is no JSON twice in the same words will not be JSON the next time. */
  private parsed(answer: HttpAnswer): unknown {
    try {
      return parsed(answer, this.call.operation);
    } catch (error) {
      const isSame = this.unreadable === answer.text;
      this.unreadable = answer.text;
      if (!isSame || !(error instanceof NetworkFault) || error.kind !== "unreadable") throw error;
      throw new NetworkFault("garbled", error.message, error.answer);
    }
  }

  private refused(answer: HttpAnswer, turn: Turn): Refused {
    const { ledger, time } = this.around;
    const { operation, account, exists = false } = this.call;
    const { status, headers, text } = answer;
    const advice = waitAdvice(headers, time.now());
    const body = readErrorBody(text, headers["content-type"]);
    const quota = status === 429 && isQuota(body, advice.wait !== undefined);
    if (status === 429) ledger.refuse(account, operation.name);
    else ledger.fail(account, operation.name);
    if (status === 429 && !quota) turn.refused(advice.wait);
    else {
      turn.accepted();
      if (advice.wait !== undefined && !quota) turn.hold(advice.wait);
    }
    const lookFirst = !exists && looksMissing(operation, status, body.code);
    return new Refused(answer, { status, quota, advice, lookFirst });
  }

  private failureOf({ kind: fault, answer: { status = 0 } }: NetworkFault): RequestFailure {
    return { fault, accepted: this.isWrite && isSuccess(status) };
  }

  private errorFor(reason: NetworkFault | Refused): ModelPlatformError {
    if (reason instanceof NetworkFault) return faultError(this.tried, reason);
    const { status, headers, text } = reason.answer;
    return refusal(this.tried, status, readErrorBody(text, headers["content-type"]), headers["x-request-id"]);
  }

  /** Milliseconds until the next request; undefined: there is none. */
  private pauseAfter(failure: RequestFailure): number | undefined {
    const { time } = this.around;
    const { attempts } = this.tried;
    if (!shouldRetry(failure, { sent: attempts, repeatable: this.isRepeatable })) return undefined;
    if (failure.status !== 429 || failure.quota) return pauseBefore(attempts, failure, time.random);
    // A refusal because of the rate is waited out in the gate, unless that would take too long.
    const { pause } = this.call.gate;
    return time.now() + pause <= this.deadline ? 0 : pause;
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The value of an accepted request. An update or delete need not answer one: its caller reads what it has to know. */
function parsed({ status, headers, text }: HttpAnswer, { method }: ApiOperation): unknown {
  const found = { status, requestId: headers["x-request-id"] };
  const mayBeSilent = method === "DELETE" || method === "PATCH";
  if (text.trim() === "" && mayBeSilent) return {};
  if (isHtml(text, headers["content-type"] ?? ""))
    throw new NetworkFault("html", `answered ${status} with an HTML page`, found);
  try {
    const value = parseJson(text);
    return value === null && mayBeSilent ? {} : value;
  } catch (error) {
    if (mayBeSilent) return {};
    throw new NetworkFault(
      "unreadable",
      `answered ${status} with something that is not JSON: ${(error as Error).message}`,
      found,
    );
  }
}

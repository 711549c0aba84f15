import { isDeadline, isModelPlatformError } from "../core/errors";
import type { Redactor } from "../core/redact";
import type { DialectCodec } from "./dialect-codec";
import { isQuota } from "./errors/advice";
import { isHtml, readErrorBody } from "./errors/error-body";
import { abortedError, deadlineError, faultError, refusal, type Tried } from "./errors/failures";
import { parseJson } from "./http/json";
import { NetworkFault, transientFaults } from "./http/network-faults";
import {
  FailedTry,
  isRepeatable,
  mayHaveChanged,
  pauseBefore,
  type RequestFailure,
  retry,
  retryTable,
  triesFor,
} from "./http/retry";
import { waitAdvice } from "./http/retry-after";
import { timeLimit } from "./http/time-limit";
import type { HttpAnswer, Send } from "./http/transport";
import type { WritableLedger } from "./ledger";
import type { Gate, Turn } from "./limits/gate";
import { looksMissing } from "./requests";
import type { Time } from "./time";
import type { Stopwatch } from "./trace/time-spent";
import type { Answer, ApiOperation, CallOptions, Endpoint, LogEntry } from "./types";

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
  /** For errors about the answer's content. */
  tried: Tried;
}

interface Around {
  send: Send;
  ledger: WritableLedger;
  redactor: Redactor;
  time: Time;
  stopwatch: Stopwatch;
  log: (entry: LogEntry) => void;
}

/** Sends a call through the gate as often as needed, within its deadline (A092). */
export function createExchange(around: Around): (prepared: Prepared, options: CallOptions) => Promise<Received> {
  return async (prepared, options) => {
    const { time, redactor } = around;
    const deadline = options.deadline ?? time.now() + retryTable.deadline;
    const limit = timeLimit(time, deadline, options.signal);
    const { operation, path, account, endpoint, codec } = prepared;
    const tried: Tried = {
      operation,
      method: operation.method,
      path,
      account,
      endpoint,
      redactor,
      codec,
      attempts: 0,
      outcomeUnknown: false,
    };
    try {
      return await retry((number) => attempt(around, prepared, options, tried, number, deadline, limit.signal), {
        time,
        deadline,
        signal: limit.signal,
      });
    } catch (error) {
      if (isDeadline(error)) throw deadlineError(tried, error);
      if (isModelPlatformError(error) || !limit.signal.aborted) throw error;
      throw limit.late() ? deadlineError(tried) : abortedError(tried, options.signal?.reason);
    } finally {
      limit.end();
    }
  };
}

async function attempt(
  around: Around,
  prepared: Prepared,
  options: CallOptions,
  tried: Tried,
  number: number,
  deadline: number,
  signal: AbortSignal,
): Promise<Received> {
  const { operation, gate, account } = prepared;
  const asked = around.time.now();
  const turn = await gate.enter({ signal, deadline, repeated: number > 1 });
  tried.attempts = number;
  around.ledger.send(account, operation.name);
  options.onSend?.();
  const isWrite = operation.effect === "write" && options.query?.["validateOnly"] !== true;
  const begun = around.time.now();
  const before = tried.outcomeUnknown;
  tried.outcomeUnknown ||= isWrite;
  try {
    const sending = around.send({
      origin: prepared.endpoint.origin,
      method: operation.method,
      path: prepared.path,
      headers: prepared.headers,
      signal,
      call: { operation: operation.name, template: operation.path, attempt: number, waited: begun - asked },
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    });
    const answer = await around.stopwatch.during("requests", sending);
    note(around, prepared, `${answer.status} in ${around.time.now() - begun} ms`, answer.headers["x-request-id"]);
    return received(around, prepared, answer, turn, tried);
  } catch (error) {
    if (!(error instanceof NetworkFault || error instanceof Refused)) throw error;
    if (error instanceof NetworkFault) note(around, prepared, error.message, error.answer.requestId);
    tried.outcomeUnknown =
      before || (isWrite && mayHaveChanged(error instanceof Refused ? error.setback : { fault: error.kind }));
    throw failed(around, prepared, options, tried, error, number, deadline);
  } finally {
    turn.leave();
  }
}

/** A refusal, with what it says about retrying. */
class Refused extends Error {
  constructor(
    readonly answer: HttpAnswer,
    readonly setback: RequestFailure & { status: number },
  ) {
    super(`answered ${answer.status}`);
  }
}

/** The value of a 2xx answer; anything else rejects. The gate learns from both. */
function received(
  { time, ledger }: Around,
  { operation, account, exists = false }: Prepared,
  answer: HttpAnswer,
  turn: Turn,
  tried: Tried,
): Received {
  const { status, headers, text } = answer;
  const requestId = headers["x-request-id"];
  if (status >= 200 && status < 300) {
    turn.accepted();
    const value = parsed(answer, operation);
    const serviceTime = Date.parse(headers["date"] ?? "");
    return {
      value,
      status,
      size: text.length,
      tried,
      ...(requestId !== undefined && { requestId }),
      ...(Number.isFinite(serviceTime) && { time: serviceTime }),
    };
  }
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
  throw new Refused(answer, {
    status,
    quota,
    advice,
    lookFirst: !exists && looksMissing(operation, status, body.code),
  });
}

function parsed({ status, headers, text }: HttpAnswer, operation: ApiOperation): unknown {
  const requestId = headers["x-request-id"];
  const found = { status, ...(requestId !== undefined && { requestId }) };
  if (text.trim() === "" && operation.method === "DELETE") return {};
  if (isHtml(text, headers["content-type"] ?? ""))
    throw new NetworkFault("html", `answered ${status} with an HTML page`, found);
  try {
    return parseJson(text);
  } catch (error) {
    throw new NetworkFault(
      "unreadable",
      `answered ${status} with something that is not JSON: ${(error as Error).message}`,
      found,
    );
  }
}

/** The error of an attempt, and whether to retry. */
function failed(
  { time, ledger }: Around,
  { operation, account, gate }: Prepared,
  options: CallOptions,
  tried: Tried,
  reason: NetworkFault | Refused,
  number: number,
  deadline: number,
): FailedTry {
  const setback: RequestFailure = reason instanceof Refused ? reason.setback : { fault: reason.kind };
  if (reason instanceof NetworkFault) ledger.fail(account, operation.name);
  const error =
    reason instanceof Refused
      ? refusal(
          tried,
          reason.answer.status,
          readErrorBody(reason.answer.text, reason.answer.headers["content-type"]),
          reason.answer.headers["x-request-id"],
        )
      : faultError(tried, reason);
  if (number >= triesFor(setback, isRepeatable(operation, options.query, options.idempotent), transientFaults))
    return new FailedTry(error, undefined);
  // A refusal because of the rate is waited out in the gate, unless that would take too long.
  const heldByGate = setback.status === 429 && !setback.quota;
  const pause = heldByGate ? gate.pause : pauseBefore(number, setback, time.random);
  return new FailedTry(error, heldByGate && time.now() + pause <= deadline ? 0 : pause);
}

function note(
  { log, redactor }: Around,
  { operation, path, account }: Prepared,
  what: string,
  requestId: string | undefined,
): void {
  log({
    level: "debug",
    text: redactor.text(
      `${operation.method} ${path} as ${account ?? "-"}: ${what}${requestId === undefined ? "" : ` (request id ${requestId})`}`,
    ),
  });
}

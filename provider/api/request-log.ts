import { closeSync, fstatSync, ftruncateSync, readSync, writeSync } from "node:fs";
import { describeSystemError, UnsafeFileError } from "../../io/files/disk-error";
import { underLock } from "../../io/files/lock";
import { openPrivate } from "../../io/files/write";
import { ConfigurationError, isModelPlatformError, messageOf } from "../core/errors";
import type { Redactor } from "../core/redact";
import { accountOf } from "../core/values/names";
import { NetworkError } from "./http/network-faults";
import type { HttpRequest, HttpResponse, Send, Timing } from "./http/transport";
import type { Time } from "./time";
import type { ApiOperation, RequestCount, RequestStats } from "./types";

/** Placeholder for the account of a key without one. */
const nobody = "-";

/** A read by name that returned the object. */
interface SeenObject {
  operation: string;
  name: string;
}

/** What a client has sent, and what it has seen of the service. */
export class RequestLedger implements RequestStats {
  /** By operation and account. */
  private readonly counts = new Map<string, Map<string | undefined, RequestCount>>();
  /** By kind and account: the last object that was read by name. */
  private readonly seen = new Map<string, SeenObject>();

  /** The tally of an operation with the key of an account. */
  countRequest(account: string | undefined, operation: string): RequestCount {
    const counts = this.counts.get(operation) ?? new Map<string | undefined, RequestCount>();
    this.counts.set(operation, counts);
    let tally = counts.get(account);
    if (!tally) {
      tally = { account: account ?? nobody, operation, sent: 0, refused: 0, failed: 0 };
      counts.set(account, tally);
    }
    return tally;
  }

  tallies(): readonly RequestCount[] {
    return [...this.counts.values()].flatMap((counts) => [...counts.values()].map((entry) => ({ ...entry })));
  }

  sent({ account, operation }: { account?: string; operation?: string } = {}): number {
    const chosen = operation === undefined ? [...this.counts.values()] : [this.counts.get(operation) ?? new Map()];
    return chosen
      .flatMap((counts): RequestCount[] => [...counts.values()])
      .filter((each) => account === undefined || each.account === account)
      .reduce((sum, each) => sum + each.sent, 0);
  }

  /** An object of the service was read by its name. */
  noteRead({ kind, name: operation }: ApiOperation, name: string): void {
    this.seen.set(JSON.stringify([kind, accountOf(name)]), { operation, name });
  }

  /** Whether objects of the kind have been read in the account of `name`. */
  hasRead(kind: string, name: string): boolean {
    return this.seen.has(JSON.stringify([kind, accountOf(name)]));
  }

  /** The last object of each kind that was read in the account of `name`, except for `name` itself. */
  hasReadOther(name: string): SeenObject[] {
    return [...this.seen.values()].filter((each) => each.name !== name && accountOf(each.name) === accountOf(name));
  }
}

interface Header {
  name: string;
  value: string;
}

/** A finished request, without its body and headers that could hold a secret; known secrets are masked in texts. */
interface TracedRequest {
  method: string;
  url: string;
  /** The call that it was sent for; absent for the upload of a file. */
  call?: { operation: string; attempt: number } | undefined;
  headers: readonly Header[];
  /** Bytes of the body; undefined for a stream. */
  size: number | undefined;
  /** 0: no response. */
  status: number;
  response?: { headers: readonly Header[]; size: number; type: string | undefined } | undefined;
  /** The service's id of the request. */
  id?: string | undefined;
  /** Why there is no usable response. */
  fault?: { kind: string; message: string } | undefined;
  /** Milliseconds since 1970 at which it left the account's gate. */
  begun: number;
  /** Milliseconds. `blocked` is the wait for a turn at the gate, before `begun`; the others follow in this order. */
  times: { blocked: number; connect: number; wait: number; receive: number };
}

const tracedHeaders = {
  request: ["accept", "content-type", "content-length", "user-agent"],
  response: ["content-type", "date", "retry-after", "retry-after-ms", "x-request-id"],
};

interface TraceContext {
  redactor: Redactor;
  time: Time;
  trace: (request: TracedRequest) => void;
}

/** The same `send`, which traces everything that passes through it. */
export function withTracing(send: Send, context: TraceContext): Send {
  return async (request) => {
    const timing: Timing = { now: context.time.now, begun: context.time.now() };
    let response: HttpResponse | undefined;
    let fault: unknown;
    try {
      response = await send({ ...request, timing });
      return response;
    } catch (error) {
      fault = error;
      throw error;
    } finally {
      context.trace(requestOver(context, { request, timing, response, fault }));
    }
  };
}

interface FinishedRequest {
  request: HttpRequest;
  timing: Timing;
  response: HttpResponse | undefined;
  fault: unknown;
}

function requestOver(
  { redactor, time }: TraceContext,
  { request, timing, response, fault }: FinishedRequest,
): TracedRequest {
  const ended = time.now();
  const { begun, sent = begun, answered } = timing;
  const { call } = request;
  const id = response?.headers["x-request-id"];
  const headersOf = (headers: HttpResponse["headers"], names: readonly string[]): Header[] =>
    names.flatMap((name) =>
      headers[name] === undefined ? [] : [{ name, value: redactor.text(String(headers[name])) }],
    );
  return {
    method: request.method,
    // The address of an upload is a secret as a whole.
    url: redactor.text(request.origin + (call ? request.path : "/[redacted]")),
    call: call === undefined ? undefined : { operation: call.operation, attempt: call.attempt },
    headers: headersOf(request.headers, tracedHeaders.request),
    size: typeof request.body === "object" ? undefined : Buffer.byteLength(request.body ?? ""),
    status: response?.status ?? (fault instanceof NetworkError ? (fault.response.status ?? 0) : 0),
    response:
      response === undefined
        ? undefined
        : {
            headers: headersOf(response.headers, tracedHeaders.response),
            size: Buffer.byteLength(response.text),
            type: headersOf(response.headers, ["content-type"])[0]?.value,
          },
    id: id === undefined ? undefined : redactor.text(id),
    fault: fault instanceof Error ? { kind: kindOf(fault), message: redactor.text(fault.message) } : undefined,
    begun,
    times: {
      blocked: call?.waited ?? 0,
      connect: Math.max(0, sent - begun),
      wait: Math.max(0, (answered ?? ended) - sent),
      receive: answered === undefined ? 0 : Math.max(0, ended - answered),
    },
  };
}

const kindOf = (fault: Error): string => (fault instanceof NetworkError ? fault.kind : fault.name);

const creator = { name: "pulumi-modelplatform", version: "1" };
const head = `{"log":{"version":"1.2","creator":${JSON.stringify(creator)},"entries":[\n`;
const tail = "\n]}}\n";

/** Writes requests to the file that `env` names, if it names one. */
export const traceFileOf = (
  { MODELPLATFORM_TRACE: path = "" }: Readonly<Record<string, string | undefined>>,
  warn: (text: string) => void,
): ((request: TracedRequest) => void) | undefined => (path === "" ? undefined : traceFile(path, warn));

/**
 * Appends entries to an HTTP archive that is complete after each of them, so that it stays readable if the process
 * dies. Several processes may write to one file: a lock guards each entry.
 */
function traceFile(path: string, warn: (text: string) => void): (request: TracedRequest) => void {
  change(path);
  let broken = false;
  return (request) => {
    if (broken) return;
    try {
      change(path, JSON.stringify(archiveEntry(request)));
    } catch (error) {
      // The request has been sent: its response matters more than its trace.
      broken = true;
      warn(messageOf(error));
    }
  };
}

/** Adds an entry, or, without one, ensures that entries can be added. */
function change(path: string, entry?: string): void {
  try {
    underLock(path, () => append(path, entry));
  } catch (error) {
    throw isModelPlatformError(error) ? error : unwritableError(path, error);
  }
}

function append(path: string, text: string | undefined): void {
  const file = openTrace(path);
  try {
    const { size } = fstatSync(file);
    if (size === 0) return void writeSync(file, head + (text ?? "") + tail, 0);
    const end = Buffer.alloc(tail.length);
    readSync(file, end, 0, tail.length, Math.max(0, size - tail.length));
    if (end.toString() !== tail)
      throw new ConfigurationError(`${path} already exists and is not a trace of requests`, {
        advice: "Name another file in `MODELPLATFORM_TRACE` or `--trace`, or remove this one.",
      });
    if (text === undefined) return;
    const comma = size === head.length + tail.length ? "" : ",\n";
    ftruncateSync(file, size - tail.length);
    writeSync(file, comma + text + tail, size - tail.length);
  } finally {
    closeSync(file);
  }
}

/** Readable by its owner only: it contains an account's data. */
function openTrace(path: string): number {
  try {
    return openPrivate(path, "change");
  } catch (error) {
    throw unwritableError(path, error);
  }
}

function unwritableError(path: string, error: unknown): ConfigurationError {
  if (error instanceof UnsafeFileError) return new ConfigurationError(error.message, { cause: error });
  const { reason, remedy } = describeSystemError(error);
  const other = "ame a file in a folder that can be written in `MODELPLATFORM_TRACE` or `--trace`.";
  return new ConfigurationError(`the trace of requests cannot be written to ${path}: ${reason}`, {
    advice: remedy === undefined ? `N${other}` : `${remedy}, or n${other}`,
  });
}

/** One request in HTTP Archive format 1.2. */
interface TraceEntry {
  startedDateTime: string;
  time: number;
  request: object;
  response: object;
  cache: object;
  /** Milliseconds; -1 is not known. */
  timings: { blocked: number; dns: number; connect: number; send: number; wait: number; receive: number };
  comment?: string;
}

const general = { httpVersion: "HTTP/1.1", cookies: [], headersSize: -1 };

function archiveEntry({ method, url, times, response, ...request }: TracedRequest): TraceEntry {
  const { blocked, connect, wait, receive } = times;
  return {
    startedDateTime: new Date(request.begun - blocked).toISOString(),
    time: blocked + connect + wait + receive,
    request: {
      ...general,
      method,
      url,
      headers: request.headers,
      queryString: URL.canParse(url) ? [...new URL(url).searchParams].map(([name, value]) => ({ name, value })) : [],
      bodySize: request.size ?? -1,
    },
    response: {
      ...general,
      status: request.status,
      statusText: "",
      headers: response?.headers ?? [],
      content: { size: response?.size ?? 0, mimeType: response?.type ?? "x-unknown" },
      redirectURL: "",
      bodySize: response?.size ?? -1,
    },
    cache: {},
    timings: { blocked, dns: -1, connect, send: 0, wait, receive },
    comment: commentOn(request),
  };
}

const commentOn = ({ call, id, fault }: Pick<TracedRequest, "call" | "id" | "fault">): string =>
  [
    ...(call ? [call.operation, `attempt ${call.attempt}`] : ["upload"]),
    ...(id === undefined ? [] : [`request id ${id}`]),
    ...(fault ? [fault.message] : []),
  ].join(", ");

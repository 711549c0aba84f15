import { Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliDecompress, type InputType, inflate, unzip } from "node:zlib";
import type { Dispatcher } from "undici";
import type { Redactor } from "../../core/redact";
import type { ServiceClock } from "../time";
import { NetworkError, toNetworkError } from "./network-faults";
import { misdirected } from "./retry";

/** Encodings of a body that are decoded, in order of preference. */
export const acceptedEncodings = "gzip, deflate, br";

type Unpack = (packed: InputType, options: { maxOutputLength: number }) => Promise<Buffer>;

const unpacks: Readonly<Record<string, Unpack>> = {
  gzip: promisify(unzip) as Unpack,
  "x-gzip": promisify(unzip) as Unpack,
  deflate: promisify(inflate) as Unpack,
  br: promisify(brotliDecompress) as Unpack,
};

interface Limit {
  /** Bytes, packed and unpacked. */
  ceiling: number;
  received: NetworkError["response"];
}

/** Reads a body up to a limit: decodes it as its header says, and removes the byte order mark. */
export async function textOf(
  body: Dispatcher.ResponseData["body"],
  encoding: string | undefined,
  limit: Limit,
): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > limit.ceiling) throw tooLargeError(limit);
    pieces.push(piece);
  }
  const packed = Buffer.concat(pieces);
  const bytes = encoding === undefined || size === 0 ? packed : await decompress(packed, encoding, limit);
  return bytes.toString("utf8").replace(/^\uFEFF/, "");
}

async function decompress(packed: Buffer, encoding: string, limit: Limit): Promise<Buffer> {
  let bytes = packed;
  const names = encoding.split(",").map((name) => name.trim().toLowerCase());
  for (const name of names.reverse().filter((each) => each !== "identity" && each !== "")) {
    const unpack = unpacks[name];
    if (!unpack) throw new NetworkError("packed", `answered in the encoding ${JSON.stringify(name)}`, limit.received);
    try {
      bytes = await unpack(bytes, { maxOutputLength: limit.ceiling });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLargeError(limit);
      throw new NetworkError("packed", `answered what is not ${name}, as its header says`, limit.received, {
        cause: error,
      });
    }
  }
  return bytes;
}

const tooLargeError = ({ ceiling, received }: Limit): NetworkError =>
  new NetworkError("oversize", `answered more than ${Math.floor(ceiling / 1024 / 1024)} MB`, received);

/** Whether a response is a page for a browser. */
export const isHtml = (text: string, contentType: string): boolean =>
  /\bx?html\b/i.test(contentType) || /^\s*(<\?xml[^>]*>\s*)?<(!doctype\s+html|html|head|body)\b/i.test(text);

/** Whether a response is XML, but no page for a browser. */
export const isXml = (text: string, contentType: string): boolean =>
  !isHtml(text, contentType) && /^\s*<(\?xml|[A-Za-z_][\w.:-]*[\s>/])/.test(text);

/** Deepest nesting of a response; the API's own messages stay below ten. */
const deepest = 64;

/**
 * Most members and elements of a response: a page of 200 objects stays below a hundred thousand. Small ones take many
 * times their text.
 */
const most = 500_000;

/**
 * Parses JSON from outside: drops members named `__proto__`, and limits nesting and number. Throws a `SyntaxError`
 * without any of the text, because it may hold secrets.
 */
export function parseJson(text: string): unknown {
  const { depth, members } = shapeOf(text);
  if (depth > deepest) throw new SyntaxError(`the JSON is nested deeper than ${deepest} levels`);
  if (members > most) throw new SyntaxError(`the JSON has more than ${most} members`);
  const withPrototype = text.includes("_proto_") || /\\u005f/i.test(text);
  try {
    return JSON.parse(
      text,
      withPrototype ? (key, value: unknown) => (key === "__proto__" ? undefined : value) : undefined,
    );
  } catch {
    throw new SyntaxError("the text is not JSON");
  }
}

function shapeOf(text: string): { depth: number; members: number } {
  let level = 0;
  let depth = 0;
  let members = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const letter = text.charCodeAt(index);
    if (letter === quote) quoted = !quoted;
    else if (quoted && letter === backslash) index++;
    else if (!quoted && (letter === brace || letter === bracket)) {
      depth = Math.max(depth, ++level);
      members++;
    } else if (!quoted && letter === comma) members++;
    else if (!quoted && (letter === brace + 2 || letter === bracket + 2)) level--;
  }
  return { depth, members };
}

const quote = 0x22;
const backslash = 0x5c;
const brace = 0x7b;
const bracket = 0x5b;
const comma = 0x2c;

export interface HttpRequest {
  origin: string;
  method: string;
  /** With query, percent-encoded. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /**
   * Pieces are sent as they come, no faster than the receiver takes them; the headers MUST then include
   * `content-length`.
   */
  body?: string | AsyncIterable<Uint8Array> | undefined;
  /** Milliseconds from the last piece to the response's headers, if that differs from the usual limit. */
  headersTimeout?: number;
  signal?: AbortSignal;
  /** The call that it is sent for; absent for the upload of a file. */
  call?: { operation: string; attempt: number; waited: number };
  /** Filled in during the request. */
  timing?: Timing;
}

/** Milliseconds since 1970. */
export interface Timing {
  now(): number;
  begun: number;
  /** A connection had accepted it. */
  sent?: number;
  /** The headers of the response had arrived. */
  answered?: number;
}

export interface HttpResponse {
  status: number;
  /** By lower-case name. */
  headers: Readonly<Record<string, string | undefined>>;
  text: string;
}

/**
 * Sends one request and reads its response. Rejects with a `NetworkError`, or with the signal's reason when that
 * aborts.
 */
export type Send = (request: HttpRequest) => Promise<HttpResponse>;

export interface Limits {
  /** Milliseconds. */
  connect: number;
  /** Milliseconds from the request to the headers of the response. */
  headers: number;
  /** Milliseconds between two pieces of the response's body. */
  body: number;
  /** Bytes of a response. */
  size: number;
  /** Connections per origin, kept open between requests. */
  connections: number;
}

export const defaultLimits: Limits = {
  connect: 10_000,
  headers: 30_000,
  body: 60_000,
  size: 10 * 1024 * 1024,
  connections: 16,
};

interface SendOptions {
  limits?: Limits;
  /** Removes its known secrets from all rejections and errors, for any later use. */
  redactor?: Redactor | undefined;
  /** Has later requests sent on connections of their own. */
  renew?: (() => void) | undefined;
  /** Learns the service's time. */
  clock?: ServiceClock | undefined;
}

/**
 * `connect` opens the connections at the first request: their code takes a while to load. A successful response is
 * data, which is masked where it is displayed: in errors and traces.
 */
export function createSend(
  connect: () => Dispatcher,
  { limits = defaultLimits, redactor, clock, renew }: SendOptions = {},
): Send {
  return async (request) => {
    // Wrong settings of connections are not a fault of the network, and the request is not tried again.
    const dispatcher = connect();
    try {
      const response = await exchange(dispatcher, request, limits);
      clock?.learn(request.origin, response.headers["date"]);
      if (response.status === misdirected) renew?.();
      return redactor && (response.status < 200 || response.status >= 300)
        ? maskResponse(response, redactor)
        : response;
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      const fault = error instanceof NetworkError ? error : toNetworkError(error, new URL(request.origin).host);
      throw redactor ? maskError(fault, redactor) : fault;
    }
  };
}

async function exchange(
  dispatcher: Dispatcher,
  { call: _, timing, ...request }: HttpRequest,
  limits: Limits,
): Promise<HttpResponse> {
  const body = typeof request.body === "object" ? Readable.from(request.body, { objectMode: false }) : request.body;
  const response = await (timing ? dispatcher.compose(recordTiming(timing)) : dispatcher).request({
    ...request,
    body: body ?? null,
    headers: { ...request.headers },
  });
  if (timing) timing.answered = timing.now();
  const { statusCode: status } = response;
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(response.headers))
    headers[name.toLowerCase()] = Array.isArray(value) ? value[0] : value;
  const { location, "x-request-id": requestId, "content-encoding": encoding } = headers;
  const errorContext = { status, requestId };
  // A 308 without a location reports the progress of a resumable upload.
  if (status >= 300 && status < 400 && (status !== 308 || location !== undefined)) {
    await response.body.dump();
    const target = targetOf(location, request.origin);
    throw new NetworkError("redirect", `answered ${status}, a redirect${target}`, errorContext);
  }
  const text = await textOf(response.body, encoding, { ceiling: limits.size, received: errorContext });
  return { status, headers: { ...headers, ...trailersOf(response) }, text };
}

/** gRPC reports the end of a call behind the body. */
const trailersOf = ({ trailers }: Dispatcher.ResponseData): Record<string, string> =>
  Object.fromEntries(
    Object.entries(trailers ?? {})
      .map(([name, value]) => [name.toLowerCase(), String(value)])
      .filter(([name]) => name!.startsWith("grpc-")),
  ) as Record<string, string>;

const recordTiming =
  (timing: Timing): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, {
      onRequestStart: (...args) => {
        timing.sent = timing.now();
        handler.onRequestStart?.(...args);
      },
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });

/** Only the origin of a redirect: its query may hold credentials. */
function targetOf(location: string | undefined, origin: string): string {
  if (location === undefined || !URL.canParse(location, origin)) return "";
  const target = new URL(location, origin);
  if (target.origin === "null") return " to no address of the web";
  return target.origin === origin ? " to another path" : ` to ${target.origin}`;
}

function maskResponse(response: HttpResponse, redactor: Redactor): HttpResponse {
  const { status, headers, text } = response;
  const maskedHeaders = Object.entries(headers).map(([name, value]) => [name, value && redactor.text(value)]);
  return {
    status,
    headers: Object.fromEntries(maskedHeaders) as HttpResponse["headers"],
    text: maskText(text.slice(0, longestRefusal), redactor),
  };
}

/** Most letters of a rejection that are read; masking takes its time for each, during which no signal is heard. */
export const longestRefusal = 256 * 1024;

/** Masks the values of JSON, so that it stays JSON and no escape hides a secret. */
function maskText(text: string, redactor: Redactor): string {
  try {
    return JSON.stringify(redactor.value(parseJson(text)));
  } catch {
    return redactor.text(text);
  }
}

function maskError({ kind, message, response, cause }: NetworkError, redactor: Redactor): NetworkError {
  const { requestId, ...rest } = response;
  const maskedResponse = { ...rest, requestId: requestId === undefined ? undefined : redactor.text(requestId) };
  return new NetworkError(kind, redactor.text(message), maskedResponse, { cause });
}

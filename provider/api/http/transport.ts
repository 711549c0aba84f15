import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { Time } from "../time";
import { textOf } from "./body";
import { NetworkFault, networkFault } from "./network-faults";

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
  /** Milliseconds from the last piece to the answer's headers, if that differs from the usual limit. */
  headersTimeout?: number;
  signal?: AbortSignal;
  /** The call that it is sent for; absent for the upload of a file. */
  call?: { operation: string; attempt: number; waited: number };
  /** Filled in while it is under way. */
  timing?: Timing;
}

/** Milliseconds since 1970. */
export interface Timing {
  now(): number;
  begun: number;
  /** A connection had it. */
  sent?: number;
  /** The headers of the answer were there. */
  answered?: number;
}

export interface HttpAnswer {
  status: number;
  /** By lower-case name. */
  headers: Readonly<Record<string, string | undefined>>;
  text: string;
}

/**
 * Sends one request and reads its answer. Rejects with a `NetworkFault`, or with the signal's reason when that aborts.
 */
export type Send = (request: HttpRequest) => Promise<HttpAnswer>;

export interface Limits {
  /** Milliseconds. */
  connect: number;
  /** Milliseconds from the request to the headers of the answer. */
  headers: number;
  /** Milliseconds between two pieces of the answer's body. */
  body: number;
  /** Bytes of an answer. */
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

/** Opens the connections at the first request: their code takes a while to load. */
type Connect = () => Dispatcher;

export function createSend(connect: Connect, limits: Limits = defaultLimits): Send {
  return async ({ signal, call: _, timing, ...request }) => {
    const host = new URL(request.origin).host;
    try {
      const body = typeof request.body === "object" ? Readable.from(request.body, { objectMode: false }) : request.body;
      const dispatcher = connect();
      const answer = await (timing ? dispatcher.compose(noting(timing)) : dispatcher).request({
        ...request,
        body: body ?? null,
        headers: { ...request.headers },
        signal,
      });
      if (timing) timing.answered = timing.now();
      const headers = singleHeaders(answer.headers);
      const found = {
        status: answer.statusCode,
        requestId: headers["x-request-id"],
      };
      if (answer.statusCode >= 300 && answer.statusCode < 400 && !isIncomplete(answer.statusCode, headers)) {
        await answer.body.dump();
        throw new NetworkFault(
          "redirect",
          `answered ${answer.statusCode}, a redirect${targetOf(headers["location"], request.origin)}`,
          found,
        );
      }
      return {
        status: answer.statusCode,
        headers,
        text: await textOf(answer.body, headers["content-encoding"], { ceiling: limits.size, found }),
      };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw error instanceof NetworkFault ? error : networkFault(error, host);
    }
  };
}

const noting =
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

/** A 308 without a location reports the progress of a resumable upload. */
const isIncomplete = (status: number, headers: HttpAnswer["headers"]): boolean =>
  status === 308 && headers["location"] === undefined;

function singleHeaders(headers: Dispatcher.ResponseData["headers"]): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value[0] : value]),
  );
}

/** Only the origin of a redirect is shown: its query may hold credentials. */
function targetOf(location: string | undefined, origin: string): string {
  if (location === undefined || !URL.canParse(location, origin)) return "";
  const target = new URL(location, origin);
  return target.origin === origin ? " to another path" : ` to ${target.origin}`;
}

/** Reads the service's clock from its answers: only that clock can say whether an object is older than a request. */
interface ServiceClock {
  /** `send`, reading the time from its answers. */
  listening(send: Send): Send;
  /** The clock of an origin, in milliseconds since 1970; undefined before its first answer. */
  now(origin: string): number | undefined;
}

export function createServiceClock(time: Pick<Time, "now">): ServiceClock {
  /**
   * How far each service's clock is ahead of this machine's; up to a second too little, because answers give whole
   * seconds.
   */
  const ahead = new Map<string, number>();
  return {
    listening: (send) => async (request) => {
      const answer = await send(request);
      const told = Date.parse(answer.headers["date"] ?? "");
      if (Number.isFinite(told)) ahead.set(request.origin, told - time.now());
      return answer;
    },
    now(origin) {
      const difference = ahead.get(origin);
      return difference === undefined ? undefined : time.now() + difference;
    },
  };
}

import type { Redactor } from "../core/redact";
import { NetworkFault } from "./network-faults";
import type { Time } from "./time";
import type { HttpAnswer, HttpRequest, Send, Timing } from "./transport";

/** One request in HTTP Archive format 1.2, without bodies, and without any header that could hold a secret. */
export interface TraceEntry {
  startedDateTime: string;
  time: number;
  request: object;
  response: object;
  cache: object;
  /** Milliseconds; -1 is not known. `blocked` is the wait for a turn at the account's gate. */
  timings: { blocked: number; dns: number; connect: number; send: number; wait: number; receive: number };
  comment?: string;
}

const told = {
  request: ["accept", "content-type", "content-length", "user-agent"],
  response: ["content-type", "date", "retry-after", "retry-after-ms", "x-request-id"],
};

interface Around {
  redactor: Redactor;
  time: Time;
  write(entry: TraceEntry): void;
}

/** The same `send`, with a record of everything that passes through it. */
export const traced =
  (send: Send, around: Around): Send =>
  async (request) => {
    const timing: Timing = { now: around.time.now, begun: around.time.now() };
    let answer: HttpAnswer | undefined;
    let fault: unknown;
    try {
      answer = await send({ ...request, timing });
      return answer;
    } catch (error) {
      fault = error;
      throw error;
    } finally {
      around.write(entryOf(around, request, timing, answer, fault));
    }
  };

function entryOf(
  { redactor, time }: Around,
  request: HttpRequest,
  { begun, sent = begun, answered }: Timing,
  answer: HttpAnswer | undefined,
  fault: unknown,
): TraceEntry {
  const ended = time.now();
  const { waited = 0, attempt, operation } = request.call ?? {};
  const connect = Math.max(0, sent - begun);
  const wait = Math.max(0, (answered ?? ended) - sent);
  const receive = answered === undefined ? 0 : Math.max(0, ended - answered);
  const status = answer?.status ?? (fault instanceof NetworkFault ? (fault.answer.status ?? 0) : 0);
  const id = answer?.headers["x-request-id"];
  // The address of an upload is a secret as a whole.
  const url = request.origin + (request.call ? request.path : "/[redacted]");
  const headersOf = (headers: HttpAnswer["headers"], names: readonly string[]) =>
    names.flatMap((name) =>
      headers[name] === undefined ? [] : [{ name, value: redactor.text(String(headers[name])) }],
    );
  const comment = [
    operation ?? "upload",
    ...(attempt === undefined ? [] : [`attempt ${attempt}`]),
    ...(id === undefined ? [] : [`request id ${id}`]),
    ...(fault instanceof Error ? [fault.message] : []),
  ].join(", ");
  const shown = redactor.text(url);
  const general = { httpVersion: "HTTP/1.1", cookies: [], headersSize: -1 };
  return {
    startedDateTime: new Date(begun - waited).toISOString(),
    time: waited + connect + wait + receive,
    request: {
      ...general,
      method: request.method,
      url: shown,
      headers: headersOf(request.headers, told.request),
      queryString: URL.canParse(shown)
        ? [...new URL(shown).searchParams].map(([name, value]) => ({ name, value }))
        : [],
      bodySize: typeof request.body === "string" ? Buffer.byteLength(request.body) : request.body ? -1 : 0,
    },
    response: {
      ...general,
      status,
      statusText: "",
      headers: headersOf(answer?.headers ?? {}, told.response),
      content: {
        size: Buffer.byteLength(answer?.text ?? ""),
        mimeType: answer?.headers["content-type"] ?? "x-unknown",
      },
      redirectURL: "",
      bodySize: answer ? Buffer.byteLength(answer.text) : -1,
    },
    cache: {},
    timings: { blocked: waited, dns: -1, connect, send: 0, wait, receive },
    comment: redactor.text(comment),
  };
}

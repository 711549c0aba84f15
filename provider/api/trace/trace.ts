import type { Redactor } from "../../core/redact";
import { NetworkFault } from "../http/network-faults";
import type { HttpAnswer, HttpRequest, Send, Timing } from "../http/transport";
import type { Time } from "../time";

interface Header {
  name: string;
  value: string;
}

/** A request that is over, without its body and headers that could hold a secret; known secrets are masked in texts. */
export interface TracedRequest {
  method: string;
  url: string;
  /** The call that it was sent for; absent for the upload of a file. */
  call?: { operation: string; attempt: number } | undefined;
  headers: readonly Header[];
  /** Bytes of the body; undefined where it was sent as it came. */
  size: number | undefined;
  /** 0: none came. */
  status: number;
  answer?: { headers: readonly Header[]; size: number; type: string | undefined } | undefined;
  /** What the service calls the request. */
  id?: string | undefined;
  /** Why there is no answer to use. */
  fault?: { kind: string; message: string } | undefined;
  /** Milliseconds since 1970 at which it left the account's gate. */
  begun: number;
  /** Milliseconds. `blocked` is the wait for a turn at the gate, before `begun`; the others follow in this order. */
  times: { blocked: number; connect: number; wait: number; receive: number };
}

const told = {
  request: ["accept", "content-type", "content-length", "user-agent"],
  response: ["content-type", "date", "retry-after", "retry-after-ms", "x-request-id"],
};

interface Around {
  redactor: Redactor;
  time: Time;
  trace: (request: TracedRequest) => void;
}

/** The same `send`, which traces everything that passes through it. */
export function traced(send: Send, around: Around): Send {
  return async (request) => {
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
      around.trace(requestOver(around, { request, timing, answer, fault }));
    }
  };
}

interface Ended {
  request: HttpRequest;
  timing: Timing;
  answer: HttpAnswer | undefined;
  fault: unknown;
}

function requestOver({ redactor, time }: Around, { request, timing, answer, fault }: Ended): TracedRequest {
  const ended = time.now();
  const { begun, sent = begun, answered } = timing;
  const { call } = request;
  const id = answer?.headers["x-request-id"];
  const headersOf = (headers: HttpAnswer["headers"], names: readonly string[]): Header[] =>
    names.flatMap((name) =>
      headers[name] === undefined ? [] : [{ name, value: redactor.text(String(headers[name])) }],
    );
  return {
    method: request.method,
    // The address of an upload is a secret as a whole.
    url: redactor.text(request.origin + (call ? request.path : "/[redacted]")),
    call: call === undefined ? undefined : { operation: call.operation, attempt: call.attempt },
    headers: headersOf(request.headers, told.request),
    size: typeof request.body === "object" ? undefined : Buffer.byteLength(request.body ?? ""),
    status: answer?.status ?? (fault instanceof NetworkFault ? (fault.answer.status ?? 0) : 0),
    answer:
      answer === undefined
        ? undefined
        : {
            headers: headersOf(answer.headers, told.response),
            size: Buffer.byteLength(answer.text),
            type: headersOf(answer.headers, ["content-type"])[0]?.value,
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

const kindOf = (fault: Error): string => (fault instanceof NetworkFault ? fault.kind : fault.name);

import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { bytesOf, headerList, type Reply } from "../../emulator/http/replies";
import { isUpload } from "../../emulator/http/requests";
import type { Emulator } from "../../emulator/index";
import type { ApiRequest } from "../../emulator/types";

/** Where an emulator is that listens nowhere. */
export const address = "http://127.0.0.1:8787";
/** The same emulator, restarted on another port. */
export const otherAddress = "http://127.0.0.1:9898";

/** What answers requests of the API. */
export type RequestTarget = Pick<Emulator, "handle" | "fetch">;

/** Takes requests to the emulator without sockets; what breaks on the wire shows at once, in the library's words. */
export const arriving =
  (emulator: RequestTarget, origins: string | readonly string[] = address): Dispatcher.DispatcherComposeInterceptor =>
  () =>
  (options, handler) => {
    void exchange(emulator, origins, options, handler);
    return true;
  };

async function exchange(
  emulator: RequestTarget,
  origins: string | readonly string[],
  options: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
): Promise<void> {
  const controller = newController();
  const fail = (error: Error): void => handler.onResponseError?.(controller, error);
  handler.onRequestStart?.(controller, {});
  if (controller.reason) return fail(controller.reason);
  if (![origins].flat().includes(String(options.origin))) return fail(faultOf("ECONNREFUSED"));
  const { status, headers, bytes, wire } = await answerTo(emulator, options);
  const breaks = wire && breaksOf[wire.kind];
  if (controller.reason) return fail(controller.reason);
  if (breaks?.at === "headers") return fail(faultOf(breaks.code));
  handler.onResponseStart?.(controller, status, headers, "");
  handler.onResponseData?.(controller, breaks ? bytes.subarray(0, bytes.length >> 1) : bytes);
  if (breaks) fail(faultOf(breaks.code));
  else handler.onResponseEnd?.(controller, {});
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  wire?: Reply["wire"] | undefined;
}

async function answerTo(emulator: RequestTarget, options: Dispatcher.DispatchOptions): Promise<Answer> {
  const request = requestOf(options);
  if (isUpload(request.method, request.path)) return uploaded(emulator, options);
  const reply = await emulator.handle(request);
  const list = headerList(reply);
  const headers: Record<string, string> = {};
  for (let at = 0; at < list.length; at += 2) headers[list[at]!] = list[at + 1]!;
  return { status: reply.status, headers, bytes: bytesOf(reply), wire: reply.wire };
}

/** Files come in pieces. */
async function uploaded(emulator: RequestTarget, options: Dispatcher.DispatchOptions): Promise<Answer> {
  const { origin, path, method, headers, body } = options;
  const answer = await emulator.fetch(
    new Request(new URL(path, String(origin)), {
      method,
      headers: headers as Record<string, string>,
      body: Readable.toWeb(Readable.from((body ?? []) as Readable)) as ReadableStream<Uint8Array>,
      duplex: "half",
    }),
  );
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
}

/** Whoever aborts a request hears so, whether the service has carried it out or not. */
function newController(): Dispatcher.DispatchController {
  let reason: Error | null = null;
  return {
    get aborted() {
      return reason !== null;
    },
    get reason() {
      return reason;
    },
    paused: false,
    abort: (why) => void (reason ??= why),
    pause: () => undefined,
    resume: () => undefined,
  };
}

/** When a connection breaks, and what the HTTP library says of it. */
const breaksOf: Readonly<Record<string, { at: "headers" | "body"; code: string }>> = {
  reset: { at: "headers", code: "ECONNRESET" },
  refuse: { at: "headers", code: "ECONNREFUSED" },
  hang: { at: "headers", code: "UND_ERR_HEADERS_TIMEOUT" },
  stall: { at: "body", code: "UND_ERR_BODY_TIMEOUT" },
  truncate: { at: "body", code: "UND_ERR_SOCKET" },
};

const faultOf = (code: string): Error => Object.assign(new Error(`simulated ${code}`), { code });

/** A request as the service sees it. */
export function requestOf({ origin, method, path, headers, body }: Dispatcher.DispatchOptions): ApiRequest {
  const { host, pathname, searchParams } = new URL(path, String(origin));
  return {
    method,
    path: pathname,
    query: new Map(searchParams),
    headers: { host, ...lowerCase(headers as Record<string, string>) },
    body: typeof body === "string" && body !== "" ? JSON.parse(body) : undefined,
  };
}

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

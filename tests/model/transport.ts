import { Agent, type Dispatcher } from "undici";
import type { Emulator } from "../../provider/emulator/index";
import type { ApiRequest } from "../../provider/emulator/types";
import type { VirtualClock } from "../lifecycle/virtual-clock";
import { striking, type WireFault } from "../lifecycle/wire-faults";

/** A request on its way to the service. */
export interface Sent extends ApiRequest {
  /** Takes it to the service, whose answer nobody waits for. */
  arrive(): Promise<void>;
}

/** Sees each request before anything else does; one that it never lets go gets no answer. */
export type Watch = (request: Sent) => Promise<void>;

export interface Line {
  emulator: Emulator;
  clock: VirtualClock;
  wire: WireFault[];
}

/** A connection to the emulator without sockets, so that thousands of processes cost little. */
export const dispatcherOf = (line: Line, watch: Watch): Dispatcher =>
  new Agent().compose(arriving(line.emulator), striking(line.wire), watching(line, watch));

/** Time stands still while a request is under way, and goes on where its answer never comes. */
const watching =
  ({ clock, emulator }: Line, watch: Watch): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    const request = requestOf(options);
    const arrive = async (): Promise<void> => void (await emulator.handle(request));
    const answered = (): void => void (clock.busy -= 1);
    void watch({ ...request, arrive }).then(() => {
      clock.busy += 1;
      dispatch(options, {
        onRequestStart: (...args) => handler.onRequestStart?.(...args),
        onResponseStart: (...args) => handler.onResponseStart?.(...args),
        onResponseData: (...args) => handler.onResponseData?.(...args),
        onResponseEnd: (...args) => {
          answered();
          handler.onResponseEnd?.(...args);
        },
        onResponseError: (...args) => {
          answered();
          handler.onResponseError?.(...args);
        },
      });
    });
    return true;
  };

const arriving =
  (emulator: Emulator): Dispatcher.DispatcherComposeInterceptor =>
  () =>
  (options, handler) => {
    void exchange(emulator, options, handler);
    return true;
  };

async function exchange(
  emulator: Emulator,
  options: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
): Promise<void> {
  const controller = newController();
  const fail = (error: Error): void => handler.onResponseError?.(controller, error);
  handler.onRequestStart?.(controller, {});
  if (controller.reason) return fail(controller.reason);
  const reply = await emulator.handle(requestOf(options));
  const breaks = reply.wire && breaksOf[reply.wire.kind];
  if (controller.reason) return fail(controller.reason);
  if (breaks?.at === "headers") return fail(faultOf(breaks.code));
  const bytes = Buffer.from(reply.text);
  const headers = { ...reply.headers, ...(reply.id !== undefined && { "x-request-id": reply.id }) };
  handler.onResponseStart?.(controller, reply.status, headers, "");
  handler.onResponseData?.(controller, breaks ? bytes.subarray(0, bytes.length >> 1) : bytes);
  if (breaks) fail(faultOf(breaks.code));
  else handler.onResponseEnd?.(controller, {});
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

function requestOf({ method, path, headers, body }: Dispatcher.DispatchOptions): ApiRequest {
  const { pathname, searchParams } = new URL(path, "http://service.test");
  return {
    method,
    path: pathname,
    query: new Map(searchParams),
    headers: { host: "127.0.0.1", ...lowerCase(headers as Record<string, string>) },
    body: typeof body === "string" && body !== "" ? JSON.parse(body) : undefined,
  };
}

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

import { Agent, type Dispatcher } from "undici";
import type { ApiRequest } from "../../emulator/types";
import { arriving, type RequestTarget, requestOf } from "../lifecycle/in-process";
import type { VirtualClock } from "../lifecycle/virtual-clock";
import { striking, type WireFault } from "../lifecycle/wire-faults";

/** A request on its way to the service. */
export interface RequestOnTheWay extends ApiRequest {
  /** Takes it to the service, whose answer nobody waits for. */
  arrive(): Promise<void>;
}

/** Whether a request is to change something: not where it only asks whether the service would make it. */
export const isWrite = ({ method, path, query, body }: ApiRequest): boolean =>
  method !== "GET" &&
  !path.includes(":") &&
  query.get("validateOnly") !== "true" &&
  (body as { validateOnly?: unknown } | undefined)?.validateOnly !== true;

/** Sees each request before anything else does; one that it never releases gets no answer. */
export type Watch = (request: RequestOnTheWay) => Promise<void>;

export interface TransportOptions {
  service: RequestTarget;
  clock: VirtualClock;
  wire: WireFault[];
}

/** A connection to the emulator without sockets, so that thousands of processes cost little. */
export const dispatcherOf = (line: TransportOptions, watch: Watch): Dispatcher =>
  new Agent().compose(arriving(line.service), striking(line.wire), watching(line, watch));

/** Time stands still while a request is under way, and continues where its answer never comes. */
const watching =
  ({ clock, service }: TransportOptions, watch: Watch): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    const request = requestOf(options);
    const arrive = async (): Promise<void> => void (await service.handle(request));
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

import type { Dispatcher } from "undici";

/**
 * Something that goes wrong below HTTP, told as the HTTP library tells it, so that no test waits for a real timeout.
 */
export interface WireFault {
  method: string;
  path: RegExp;
  /** Whether the service gets the request and carries it out, and how much of its answer arrives. */
  at: "request" | "answer" | "body";
  code: string;
  /** Requests that are let through first. */
  skip: number;
  /** Requests that are struck. */
  times: number;
  hits: number;
}

const errorOf = ({ code }: WireFault): Error => Object.assign(new Error(`simulated ${code}`), { code });

/** Strikes the requests that a fault of the list is for. */
export const striking =
  (faults: WireFault[]): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    const fault = faults.find(
      (candidate) =>
        candidate.method === options.method &&
        candidate.path.test(options.path) &&
        candidate.hits < candidate.skip + candidate.times,
    );
    if (!fault || fault.hits++ < fault.skip) return dispatch(options, handler);
    const strike = (): void => handler.onResponseError?.(undefined as never, errorOf(fault));
    if (fault.at === "request") {
      setImmediate(strike);
      return true;
    }
    return dispatch(options, {
      onRequestStart: (...args) => handler.onRequestStart?.(...args),
      onResponseStart: (...args) => void (fault.at === "body" && handler.onResponseStart?.(...args)),
      onResponseData: () => undefined,
      onResponseEnd: strike,
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
  };

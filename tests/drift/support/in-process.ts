import { Dispatcher } from "undici";
import type { Emulator } from "../../../emulator/index";

type Handler = Required<
  Pick<Dispatcher.DispatchHandler, "onConnect" | "onHeaders" | "onData" | "onComplete" | "onError">
>;

/** What a request is to the one who looks on. */
export interface WatchedRequest {
  method: string;
  /** Path and query. */
  path: string;
  account: string;
}

export interface Wire {
  dispatcher: Dispatcher;
  /** Every request that left the client. */
  requests: WatchedRequest[];
}

/**
 * Takes requests to an emulator without a network. `travel` is what each of them waits for
 * first, `arrived` hears when it is answered.
 */
export function inProcess(
  emulator: Emulator,
  travel: (request: WatchedRequest) => Promise<void> = async () => {},
  arrived: () => void = () => {},
): Wire {
  const requests: WatchedRequest[] = [];

  class InProcess extends Dispatcher {
    override dispatch(options: Dispatcher.DispatchOptions, given: Dispatcher.DispatchHandler): boolean {
      const handler = given as Handler;
      let isOver = false;
      const fail = (error: Error): void => {
        if (isOver) return;
        isOver = true;
        handler.onError(error);
      };
      handler.onConnect((error) => fail(error ?? new Error("aborted")));
      const seen = {
        method: options.method,
        path: options.path,
        account: /\/accounts\/([^/?]+)/.exec(options.path)?.[1] ?? "",
      };
      requests.push(seen);
      const answer = async (): Promise<void> => {
        await travel(seen);
        const headers = options.headers as Record<string, string>;
        const response = await emulator.fetch(
          new Request(`http://emulator.test${options.path}`, {
            method: options.method,
            headers,
            ...(options.body ? { body: String(options.body) } : {}),
          }),
        );
        const body = Buffer.from(await response.arrayBuffer());
        arrived();
        if (isOver) return;
        const raw = [...response.headers].flatMap(([name, value]) => [Buffer.from(name), Buffer.from(value)]);
        handler.onHeaders(response.status, raw, () => {}, "");
        handler.onData(body);
        isOver = true;
        handler.onComplete([]);
      };
      answer().catch(fail);
      return true;
    }
    override close = (() => Promise.resolve()) as Dispatcher["close"];
    override destroy = (() => Promise.resolve()) as Dispatcher["destroy"];
  }

  return { dispatcher: new InProcess(), requests };
}

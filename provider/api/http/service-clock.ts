import type { Time } from "../time";
import type { Send } from "./transport";

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

import type { Gate } from "../../../provider/api/http/rate-gate";
import type { ManualTime } from "./manual-time";

export interface Limit {
  perSecond: number;
  burst: number;
  /** Milliseconds from the request to its answer, half of it on the way there. */
  latency: number;
  /** What a refusal says about how long to wait. */
  advice: "exact" | "seconds" | "none";
  /** Milliseconds of a fixed window, in which requests are counted anew. Default: none. */
  window?: number;
  /** Further milliseconds on the way there, of the request that a process sends as its `index`-th. Default: 0. */
  late?: (index: number) => number;
}

export interface SenderOutcome {
  /** Milliseconds from the first request to the last answer. */
  took: number;
  /** Least milliseconds that the limit allows. */
  least: number;
  refused: number;
  mostUnderWay: number;
}

const inWindow = ({ perSecond, window = 1000 }: Limit): number => (perSecond * window) / 1000;

/** Counts requests: milliseconds until it takes one, 0 if it has just taken it. */
function counter(limit: Limit, start: number, limitAt: (at: number) => number): (now: number) => number {
  let tokens = limit.window === undefined ? limit.burst : inWindow(limit);
  let countedAt = start;
  return (now) => {
    const perSecond = limitAt(now - start);
    const { window } = limit;
    if (window === undefined) tokens = Math.min(limit.burst, tokens + ((now - countedAt) * perSecond) / 1000);
    else if (Math.floor((now - start) / window) > Math.floor((countedAt - start) / window)) tokens = inWindow(limit);
    countedAt = now;
    if (tokens < 1 - 1e-9) return window ? window - ((now - start) % window) : ((1 - tokens) * 1000) / perSecond;
    tokens -= 1;
    return 0;
  };
}

/** Least milliseconds in which the limit lets `count` requests through. */
const leastFor = (count: number, limit: Limit): number =>
  limit.window === undefined
    ? (Math.max(0, count - limit.burst) / limit.perSecond) * 1000
    : Math.floor((count - 1) / inWindow(limit)) * limit.window;

/** Sends `count` requests through `gates`, in turn, to a limited service, each as often as it takes. */
export async function sendAll(
  gates: Gate | readonly Gate[],
  time: ManualTime,
  count: number,
  limit: Limit,
  limitAt: (at: number) => number = () => limit.perSecond,
): Promise<SenderOutcome> {
  const processes = Array.isArray(gates) ? (gates as readonly Gate[]) : [gates as Gate];
  const start = time.now();
  const take = counter(limit, start, limitAt);
  let refused = 0;
  let underWay = 0;
  let mostUnderWay = 0;

  const advised = (wait: number): number | undefined =>
    ({ exact: Math.ceil(wait), seconds: Math.ceil(wait / 1000) * 1000, none: undefined })[limit.advice];

  const sentBy = new Map<Gate, number>();

  const one = async (gate: Gate): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      const turn = await gate.acquire({ repeated: attempt > 1 });
      mostUnderWay = Math.max(mostUnderWay, ++underWay);
      const index = sentBy.get(gate) ?? 0;
      sentBy.set(gate, index + 1);
      await time.sleep(limit.latency / 2 + (limit.late?.(index) ?? 0));
      const wait = take(time.now());
      await time.sleep(limit.latency / 2);
      underWay--;
      if (wait === 0) gate.accepted(turn);
      else {
        refused++;
        gate.refused(turn, advised(wait));
      }
      gate.releaseSlot();
      if (wait === 0) return;
    }
  };
  await time.run(Promise.all(Array.from({ length: count }, (_, index) => one(processes[index % processes.length]!))));
  return {
    took: time.now() - start,
    least: leastFor(count, limit),
    refused,
    mostUnderWay,
  };
}

import type { Gate } from "../../../provider/api/limits/gate";
import type { ManualTime } from "./manual-time";

export interface Limit {
  perSecond: number;
  burst: number;
  /** Milliseconds from the request to its answer, half of it on the way there. */
  latency: number;
  /** What a refusal says about how long to wait. */
  advice: "exact" | "seconds" | "none";
  /** Further milliseconds on the way there, of the request that a process sends as its `index`-th. Default: 0. */
  late?: (index: number) => number;
}

export interface Outcome {
  /** Milliseconds from the first request to the last answer. */
  took: number;
  /** Least milliseconds that the limit allows. */
  least: number;
  refused: number;
  mostUnderWay: number;
}

/** Sends `count` requests through `gates`, in turn, to a token bucket, each as often as it takes. */
export async function sendAll(
  gates: Gate | readonly Gate[],
  time: ManualTime,
  count: number,
  limit: Limit,
  limitAt: (at: number) => number = () => limit.perSecond,
): Promise<Outcome> {
  const processes = Array.isArray(gates) ? (gates as readonly Gate[]) : [gates as Gate];
  const start = time.now();
  let tokens = limit.burst;
  let countedAt = start;
  let refused = 0;
  let underWay = 0;
  let mostUnderWay = 0;

  const take = (): { taken: boolean; wait: number } => {
    const perSecond = limitAt(time.now() - start);
    tokens = Math.min(limit.burst, tokens + ((time.now() - countedAt) * perSecond) / 1000);
    countedAt = time.now();
    if (tokens >= 1 - 1e-9) {
      tokens -= 1;
      return { taken: true, wait: 0 };
    }
    return { taken: false, wait: ((1 - tokens) * 1000) / perSecond };
  };
  const advised = (wait: number): number | undefined =>
    ({ exact: Math.ceil(wait), seconds: Math.ceil(wait / 1000) * 1000, none: undefined })[limit.advice];

  const sentBy = new Map<Gate, number>();

  const one = async (gate: Gate): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      const turn = await gate.enter({ repeated: attempt > 1 });
      mostUnderWay = Math.max(mostUnderWay, ++underWay);
      const index = sentBy.get(gate) ?? 0;
      sentBy.set(gate, index + 1);
      await time.sleep(limit.latency / 2 + (limit.late?.(index) ?? 0));
      const { taken, wait } = take();
      await time.sleep(limit.latency / 2);
      underWay--;
      if (taken) turn.accepted();
      else {
        refused++;
        turn.refused(advised(wait));
      }
      turn.leave();
      if (taken) return;
    }
  };
  await time.run(Promise.all(Array.from({ length: count }, (_, index) => one(processes[index % processes.length]!))));
  return {
    took: time.now() - start,
    least: (Math.max(0, count - limit.burst) / limit.perSecond) * 1000,
    refused,
    mostUnderWay,
  };
}

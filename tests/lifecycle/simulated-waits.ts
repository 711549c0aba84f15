import type { Lifecycle, ResourceSpec } from "../../provider/core/declaration/resource";
import { Lag } from "../../provider/lifecycle/memory/lag";
import type { ObjectCollection } from "../../provider/lifecycle/ports";
import type { Values } from "../../provider/lifecycle/types";
import { withSharedReads } from "../../provider/lifecycle/waiting/read-batcher";
import { untilReady, waitFor } from "../../provider/lifecycle/waiting/wait";
import { listed } from "./listed";
import { type VirtualClock, virtualClock } from "./virtual-clock";

/** Objects that get ready after some time, and how long each request takes. */
function service(latency = 0) {
  const clock: VirtualClock = virtualClock(0);
  const readyAt = new Map<string, number>();
  const asked = { lists: 0, reads: 0, times: [] as number[] };
  const shown = (name: string): Values => ({ name, state: clock.now() >= readyAt.get(name)! ? "READY" : "CREATING" });
  const answered = async (): Promise<void> => {
    asked.times.push(clock.now());
    if (latency > 0) await clock.sleep(latency);
  };
  const objects = {
    async *pages(): AsyncIterable<{ items: unknown[] }> {
      asked.lists += 1;
      await answered();
      yield { items: [...readyAt.keys()].map((name) => listed({ ...shown(name), name })) };
    },
    async find(name: string): Promise<Values> {
      asked.reads += 1;
      await answered();
      return shown(name);
    },
  } as unknown as ObjectCollection;
  return {
    clock,
    readyAt,
    asked,
    objects: withSharedReads(() => objects, clock),
  };
}

const spec = (longestPause: string): ResourceSpec =>
  ({
    lifecycle: {
      moving: ["CREATING"],
      ready: ["READY"],
      failed: [],
      resting: [],
      gone: [],
      deleted: [],
      paths: {},
      longestPause,
    } satisfies Lifecycle,
  }) as unknown as ResourceSpec;

export interface Waits {
  /** How long each takes, in milliseconds. */
  takes: readonly number[];
  usual?: number;
  /** How many wait at once. */
  together?: number;
  /** Between the beginnings of two, in milliseconds. */
  between?: number;
  longestPause?: string;
  latency?: number;
}

/** Waits for all of them, and tells how long after its end each was noticed. */
export async function noticed({
  takes,
  usual,
  together = takes.length,
  between = 0,
  longestPause = "5s",
  latency,
}: Waits) {
  const at = service(latency);
  const lags: number[] = [];
  let next = 0;
  const one = async (index: number): Promise<void> => {
    const name = `accounts/acme/things/${index}`;
    const endsAt = at.clock.now() + takes[index]!;
    at.readyAt.set(name, endsAt);
    const end = await waitFor(
      {
        spec: spec(longestPause),
        call: {
          reporter: { status: () => {}, info: () => {}, warn: () => {} },
          signal: new AbortController().signal,
        } as never,
        clock: at.clock,
        lag: new Lag(),
        objects: at.objects,
      },
      {
        name,
        motion: "create",
        expectedMs: usual,
        seen: { name, state: "CREATING" },
        condition: untilReady(spec(longestPause), undefined),
        deadline: Number.POSITIVE_INFINITY,
      },
    );
    if (end.how !== "reached") throw new Error(`the wait ended otherwise: ${end.how}`);
    lags.push(at.clock.now() - endsAt);
  };
  const slot = async (number: number): Promise<void> => {
    if (between > 0) await at.clock.sleep(1 + number * between);
    while (next < takes.length) await one(next++);
  };
  await Promise.all(Array.from({ length: together }, (_, number) => slot(number)));
  return { lags, mean: mean(lags), ...at.asked };
}

export const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
export const times = (count: number, of: (index: number) => number): number[] =>
  Array.from({ length: count }, (_, index) => of(index));

/** Numbers between 0 and 1 that look like chance and are the same in every run. */
export const scattered = (index: number): number => (index * 0.618034) % 1;

import { EngineActivity } from "../../provider/lifecycle/memory/engine-activity";
import type { LiveObject, ObjectCollection } from "../../provider/lifecycle/ports";
import { withSharedReads } from "../../provider/lifecycle/waiting/read-batcher";
import { listed } from "./listed";
import { virtualClock } from "./virtual-clock";

/** An engine on a machine of one processor, on a clock that jumps: its requests do not depend on the speed. */
interface Machine {
  /** Operations that the engine runs at once. */
  slots: number;
  /** Milliseconds of the processor that an object takes, half of them before its operation begins. */
  cost: number;
  objects: number;
  /** Each depends on the one before it, so that the program declares it once that is made. */
  isChain?: boolean;
}

/** Each object is read, written and read again, as by an update. Requests an object, and what each read took. */
async function updates({
  slots,
  cost,
  objects: count,
  isChain = false,
}: Machine): Promise<{ each: number; took: number[] }> {
  const clock = virtualClock(0);
  const activity = new EngineActivity(clock.now);
  const options = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };
  const names = Array.from({ length: count }, (_, index) => `accounts/acme/users/u${index}`);
  const shown = (name: string): LiveObject => ({ name, state: "READY" });
  const took: number[] = [];
  let requests = 0;
  let freeAt = 0;
  /** One piece of work after the other, half to one and a half times as long. */
  const work = (share: number): Promise<void> => {
    freeAt = Math.max(freeAt, clock.now()) + cost * share * (0.5 + ((requests * 0.618) % 1));
    return clock.sleep(freeAt - clock.now());
  };
  const answer = async (): Promise<void> => {
    requests += 1;
    await clock.sleep(5);
  };
  let noteWrite: (name: string) => void = () => undefined;
  const service = {
    listIsComplete: true,
    async *pages() {
      await answer();
      yield { items: names.map(shown).map(listed), token: "" };
    },
    async find(name: string) {
      await answer();
      return shown(name);
    },
  };
  const reads = withSharedReads(
    (note) => {
      noteWrite = note;
      return service as unknown as ObjectCollection;
    },
    clock,
    activity,
  );
  const timed = async (read: Promise<unknown>): Promise<void> => {
    const asked = clock.now();
    await read;
    took.push(clock.now() - asked);
  };
  const update = (name: string): Promise<void> =>
    reads.during(async () => {
      await work(0.1);
      await timed(reads.poll(name, options));
      await work(0.1);
      noteWrite(name);
      await answer();
      noteWrite(name);
      await work(0.1);
      await timed(reads.poll(name, options, { wait: { ms: 0, apart: 0 } }));
      await work(0.2);
    });
  const running = new Set<Promise<void>>();
  for (const name of names) {
    if (isChain) await Promise.all(running);
    for (const share of [0.25, 0.25]) {
      await work(share);
      activity.note();
    }
    while (running.size >= slots) await Promise.race(running);
    const operation: Promise<void> = update(name).finally(() => running.delete(operation));
    running.add(operation);
  }
  await Promise.all(running);
  return { each: requests / count, took };
}

test.each([5, 20, 60, 150, 400, 1000])("at %i ms an object, eight at once share their reads", async (cost) => {
  expect((await updates({ slots: 8, cost, objects: 128 })).each).toBeLessThanOrEqual(1.4);
});

test.each([5, 20, 60, 150, 400])("at %i ms an object, what shares a list is not bounded by eight", async (cost) => {
  expect((await updates({ slots: 32, cost, objects: 96 })).each).toBeLessThanOrEqual(1.25);
});

test("no read waits longer than four seconds for company", async () => {
  const { took } = await updates({ slots: 8, cost: 20_000, objects: 12 });
  expect(Math.max(...took)).toBeLessThan(4100);
});

test.each([20, 400, 2000])(
  "in a chain of dependent resources at %i ms each, no read waits for others",
  async (cost) => {
    const [first, second, ...others] = (await updates({ slots: 8, cost, objects: 12, isChain: true })).took;
    expect(Math.max(first!, second!)).toBeLessThan(4100);
    expect(Math.max(...others)).toBeLessThan(100);
  },
);

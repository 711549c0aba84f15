import type { ObjectCollection } from "../../provider/lifecycle/ports";
import type { Values } from "../../provider/lifecycle/types";
import { withSharedReads } from "../../provider/lifecycle/waiting/read-batcher";
import { createHarness } from "./harness";
import { type VirtualClock, virtualClock } from "./virtual-clock";

/** An engine that begins operations one after the other, so many milliseconds apart, and so many at once at most. */
interface Engine {
  parallel: number;
  apart: number;
}

/** Runs operations as the engine does; resolves to their answers. */
async function run<T>(
  clock: VirtualClock,
  { parallel, apart }: Engine,
  count: number,
  work: (index: number) => Promise<T>,
): Promise<T[]> {
  const answers: T[] = [];
  let next = 0;
  let begun = Promise.resolve();
  const slot = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      begun = begun.then(() => clock.sleep(apart));
      await begun;
      answers[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: parallel }, slot));
  return answers;
}

test.each([2, 5, 10])("200 operations that begin %i ms apart, 16 at once, share their looks", async (apart) => {
  const at = await createHarness();
  const count = 200;
  const engine: Engine = { parallel: 16, apart };
  const sent = async (): Promise<number> => (await at.requests()).length / count;
  const secret = (index: number, value: string): Values => ({ keyName: `KEY_${index}`, value });

  const maker = at.process();
  const made = await run(at.clock, engine, count, (index) => maker.create("Secret", `r${index}`, secret(index, "one")));
  expect(await sent()).toBeLessThanOrEqual(1.15);
  const updater = at.process();
  const updated = await run(at.clock, engine, count, (index) =>
    updater.update("Secret", `r${index}`, made[index]!.outputs, secret(index, "two")),
  );
  expect(await sent()).toBeLessThanOrEqual(1.3);
  const remover = at.process();
  await run(at.clock, engine, count, (index) => remover.delete("Secret", `r${index}`, updated[index]!));
  expect(await sent()).toBeLessThanOrEqual(1.25);
  await at.close();
});

/** Objects that are there or gone at once. */
function service() {
  const clock = virtualClock(0);
  const there = new Set<string>();
  /** Times of the lists, and names of the reads. */
  const lists: number[] = [];
  const found: string[] = [];
  const objects = {
    listIsComplete: true,
    async *pages(): AsyncIterable<{ items: Values[] }> {
      lists.push(clock.now());
      yield { items: [...there].map((name) => ({ name })) };
    },
    async find(name: string): Promise<Values | undefined> {
      found.push(name);
      return there.has(name) ? { name } : undefined;
    },
  } as unknown as ObjectCollection;
  return { clock, there, lists, found, shared: withSharedReads(() => objects, clock) };
}

const options = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };

test("looks that arrive close to each other share one list", async () => {
  const { clock, there, lists, found, shared } = service();
  const names = Array.from({ length: 8 }, (_, index) => `n${index}`);
  for (const name of names) there.add(name);
  await run(clock, { parallel: 8, apart: 3 }, 8, (index) => shared.poll(names[index]!, options));
  // The last of them arrives after 24 ms, and 20 ms later no other has.
  expect(lists).toEqual([44]);
  expect(found).toEqual([]);
});

test("looks that go on arriving are answered after 300 ms at the latest", async () => {
  const { clock, there, lists, shared } = service();
  const names = Array.from({ length: 60 }, (_, index) => `n${index}`);
  for (const name of names) there.add(name);
  await run(clock, { parallel: 60, apart: 10 }, 60, (index) => shared.poll(names[index]!, options));
  expect(lists[0]).toBe(10 + 10 + 300);
});

/** Milliseconds that each of many changes takes, with a look before and one after it, at so many at once. */
async function durations(parallel: number): Promise<number[]> {
  const { clock, there, shared } = service();
  return run(clock, { parallel, apart: 1 }, 40, async (index) => {
    const began = clock.now();
    there.add(`n${index}`);
    await shared.poll(`n${index}`, options);
    await clock.sleep(5);
    await shared.poll(`n${index}`, options);
    return clock.now() - began;
  });
}

test.each([
  [1, 10],
  [2, 20],
  [5, 20],
])("with %i at once, a look gathers others for %i ms", async (parallel, gather) => {
  const each = await durations(parallel);
  // Each change takes 5 ms, and the others begin a millisecond apart.
  expect(Math.max(...each)).toBeLessThanOrEqual(gather + 5 + gather + 2 * parallel);
});

test("an engine that begins more at once than before has all its reads shared", async () => {
  const { clock, there, lists, found, shared } = service();
  for (const name of ["a", "b", "c", "d", "e", "f"]) there.add(name);
  for (const name of ["a", "b", "c", "d"]) await shared.poll(name, options);
  expect(found).toEqual(["a", "b", "c", "d"]);
  await run(clock, { parallel: 6, apart: 6 }, 6, (index) =>
    shared.poll(["a", "b", "c", "d", "e", "f"][index]!, options),
  );
  expect(found).toHaveLength(4);
  expect(lists).toHaveLength(1);
});

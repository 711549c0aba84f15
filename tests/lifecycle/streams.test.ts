import type { ObjectCollection } from "../../provider/lifecycle/ports";
import type { Values } from "../../provider/lifecycle/types";
import { withSharedReads } from "../../provider/lifecycle/waiting/read-batcher";
import { everyNth } from "../nightly";
import { createHarness } from "./harness";
import { listed } from "./listed";
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

everyNth(3, 2, [2, 5, 10], (distances) =>
  test.each(distances)("200 operations that begin %i ms apart, 16 at once, share their looks", shareLooks),
);

async function shareLooks(apart: number): Promise<void> {
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
}

/** Objects that are there or gone at once. */
function service() {
  const clock = virtualClock(0);
  const there = new Set<string>();
  /** Times of the lists, and names of the reads. */
  const lists: number[] = [];
  const found: string[] = [];
  const objects = {
    listIsComplete: true,
    async *pages(): AsyncIterable<{ items: unknown[] }> {
      lists.push(clock.now());
      yield { items: [...there].map((name) => listed({ name })) };
    },
    async find(name: string): Promise<Values | undefined> {
      found.push(name);
      return there.has(name) ? { name } : undefined;
    },
  } as unknown as ObjectCollection;
  return { clock, there, lists, found, shared: withSharedReads(() => objects, clock) };
}

const options = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };

/** Asks for the object within an operation of its own. */
const lookIn = (shared: ObjectCollection, name: string) => shared.during(() => shared.poll(name, options));

test("the eighth look ends the wait for more", async () => {
  const { clock, there, lists, found, shared } = service();
  const names = Array.from({ length: 8 }, (_, index) => `n${index}`);
  for (const name of names) there.add(name);
  await run(clock, { parallel: 8, apart: 3 }, 8, (index) => lookIn(shared, names[index]!));
  expect(lists).toEqual([24]);
  expect(found).toEqual([]);
});

/** Milliseconds that each of many changes takes, with a look before and one after it, at so many at once. */
async function durations(parallel: number): Promise<number[]> {
  const { clock, there, shared } = service();
  return run(clock, { parallel, apart: 1 }, 40, (index) =>
    shared.during(async () => {
      const began = clock.now();
      there.add(`n${index}`);
      await shared.poll(`n${index}`, options);
      await clock.sleep(5);
      await shared.poll(`n${index}`, options);
      return clock.now() - began;
    }),
  );
}

test.each([1, 2, 5])("with %i at once, a look soon waits for no more than these", async (parallel) => {
  const each = await durations(parallel);
  // Each look gathers for 10 ms, and each change takes 5.
  expect(Math.max(...each.slice(10))).toBeLessThanOrEqual(10 + 5 + 10 + parallel);
});

test("an engine that begins more at once than before has all its reads shared", async () => {
  const { clock, there, lists, found, shared } = service();
  for (const name of ["a", "b", "c", "d", "e", "f"]) there.add(name);
  for (const name of ["a", "b", "c", "d"]) await lookIn(shared, name);
  expect(found).toEqual(["a", "b", "c", "d"]);
  await run(clock, { parallel: 6, apart: 6 }, 6, (index) => lookIn(shared, ["a", "b", "c", "d", "e", "f"][index]!));
  expect(found).toHaveLength(4);
  expect(lists).toHaveLength(1);
});

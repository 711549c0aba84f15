import type { Objects } from "../../provider/lifecycle/ports/objects";
import type { Values } from "../../provider/lifecycle/types";
import { sharing } from "../../provider/lifecycle/waiting/shared-reads";
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
    listsAll: true,
    async *list(): AsyncIterable<Values> {
      lists.push(clock.now());
      for (const name of there) yield { name };
    },
    async find(name: string): Promise<Values | undefined> {
      found.push(name);
      return there.has(name) ? { name } : undefined;
    },
  } as unknown as Objects;
  return { clock, there, lists, found, shared: sharing(() => objects, clock) };
}

const options = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };

test("the tenth look ends the wait for more", async () => {
  const { clock, there, lists, found, shared } = service();
  const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
  for (const name of names) there.add(name);
  await run(clock, { parallel: 10, apart: 3 }, 10, (index) => shared.look(names[index]!, options));
  expect(lists).toEqual([30]);
  expect(found).toEqual([]);
});

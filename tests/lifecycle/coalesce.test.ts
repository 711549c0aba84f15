import { coalescing } from "../../provider/lifecycle/coalesce";
import type { Values } from "../../provider/lifecycle/types";
import type { Clock, Objects } from "../../provider/lifecycle/world";

const options = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };
const names = ["a", "b", "c", "d", "e", "f"];

/** Lists that answer when they are told to, and reads of one object that answer at once. */
function service() {
  const lists: (() => void)[] = [];
  const found: string[] = [];
  let version = 1;
  const objects = {
    async *list(): AsyncIterable<Values> {
      const listed = names.map((name) => ({ name, version }));
      await new Promise<void>((answer) => lists.push(answer));
      yield* listed;
    },
    find: (name: string) => Promise.resolve<Values>({ name, version, alone: found.push(name) > 0 }),
    update: (name: string) => Promise.resolve<Values>({ name, version: ++version }),
  };
  let now = 0;
  const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };
  return {
    lists,
    found,
    pass: (ms: number) => void (now += ms),
    reader: coalescing(objects as unknown as Objects, clock),
  };
}

/** Everyone goes on as far as they can. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("reads that come while a list is under way share it", async () => {
  const { lists, found, reader } = service();
  const first = names.slice(0, 3).map((name) => reader.read(name, options));
  await settled();
  const second = names.slice(3).map((name) => reader.read(name, options));
  await settled();
  expect(lists).toHaveLength(1);
  lists[0]!();
  expect(await Promise.all([...first, ...second])).toEqual(names.map((name) => ({ name, version: 1 })));
  expect(found).toEqual([]);
});

test("a list that was under way at a write answers no read after it", async () => {
  const { lists, reader } = service();
  const before = names.slice(0, 3).map((name) => reader.read(name, options));
  await settled();
  await reader.update("a", {}, [], {}, options);
  const after = names.slice(0, 3).map((name) => reader.read(name, options));
  await settled();
  expect(lists).toHaveLength(2);
  for (const answer of lists) answer();
  await Promise.all(before);
  expect((await Promise.all(after)).map((object) => object!["version"])).toEqual([2, 2, 2]);
});

test("a list answers for half a minute, then another one is asked for", async () => {
  const { lists, pass, reader } = service();
  const ask = async (): Promise<void> => {
    const reads = names.map((name) => reader.read(name, options));
    await settled();
    lists.at(-1)!();
    await Promise.all(reads);
  };
  await ask();
  pass(30_000);
  await ask();
  expect(lists).toHaveLength(1);
  pass(1);
  await ask();
  expect(lists).toHaveLength(2);
});

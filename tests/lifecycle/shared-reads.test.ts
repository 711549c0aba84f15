import type { Clock, ObjectCollection, OnWrite } from "../../provider/lifecycle/ports";
import type { Values } from "../../provider/lifecycle/types";
import { withSharedReads } from "../../provider/lifecycle/waiting/read-batcher";

const options = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };
const names = ["a", "b", "c", "d", "e", "f"];

/**
 * Lists that answer when they are told to, with what was there when they were asked for; other requests answer at once.
 */
function service({ listsAll = true, entangled = false, others = 0 } = {}) {
  const there = new Set([...Array.from({ length: others }, (_, index) => `other-${index}`), ...names]);
  const lists: { deleted: boolean; answer(): void }[] = [];
  const found: string[] = [];
  const decoded: string[] = [];
  let version = 1;
  const objects = (written: OnWrite) => ({
    listIsComplete: listsAll,
    writesAffectOthers: entangled,
    nameOf: (id: string) => id,
    async *pages(_: unknown, { deleted = false } = {}): AsyncIterable<{ items: unknown[] }> {
      const items = [...there].map((name) => {
        const object = { name, version };
        return { name, read: () => (decoded.push(name), object) };
      });
      await new Promise<void>((answer) => lists.push({ deleted, answer }));
      yield { items };
    },
    async find(name: string): Promise<Values | undefined> {
      found.push(name);
      return there.has(name) ? { name, version } : undefined;
    },
    async update(name: string): Promise<Values> {
      written(name);
      version += 1;
      written(name);
      return { name, version };
    },
    async remove(name: string): Promise<boolean> {
      written(name);
      const wasThere = there.delete(name);
      written(name);
      return wasThere;
    },
  });
  let now = 0;
  const clock: Clock = {
    now: () => now,
    sleep: async (ms) => void (now += ms),
  };
  return {
    lists,
    found,
    decoded,
    pass: (ms: number) => void (now += ms),
    at: () => now,
    reader: withSharedReads((written) => objects(written) as unknown as ObjectCollection, clock),
  };
}

/** Everyone continues as far as they can. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("what a refresh reads", () => {
  test("reads that come while a list is under way share it", async () => {
    const { lists, found, reader } = service();
    const first = names.slice(0, 3).map((name) => reader.read(name, options));
    await settled();
    const second = names.slice(3).map((name) => reader.read(name, options));
    await settled();
    expect(lists).toHaveLength(1);
    lists[0]!.answer();
    expect(await Promise.all([...first, ...second])).toEqual(names.map((name) => ({ name, version: 1 })));
    expect(found).toEqual([]);
  });

  test("a list during a write answers only for objects that were not written", async () => {
    const { lists, found, reader } = service();
    const before = names.slice(0, 3).map((name) => reader.read(name, options));
    await settled();
    await reader.update("a", {}, [], {}, options);
    const other = reader.read("b", options);
    const after = reader.read("a", options);
    await settled();
    lists[0]!.answer();
    expect((await Promise.all(before)).map((object) => object!["version"])).toEqual([2, 1, 1]);
    expect((await other)!["version"]).toBe(1);
    expect((await after)!["version"]).toBe(2);
    expect(found).toEqual(["a", "a"]);
  });

  test("where a write may change other objects, no older list answers a read", async () => {
    const { lists, reader } = service({ entangled: true });
    const ask = () => names.slice(0, 3).map((name) => reader.read(name, options));
    const before = ask();
    await settled();
    await reader.update("f", {}, [], {}, options);
    const after = ask();
    lists[0]!.answer();
    await settled();
    expect(lists).toHaveLength(2);
    lists[1]!.answer();
    await Promise.all(before);
    expect((await Promise.all(after)).map((object) => object!["version"])).toEqual([2, 2, 2]);
  });

  test("a list answers for half a minute, then another one is requested", async () => {
    const { lists, pass, at, reader } = service();
    const ask = async (): Promise<void> => {
      const reads = names.map((name) => reader.read(name, options));
      await settled();
      lists.at(-1)!.answer();
      await Promise.all(reads);
    };
    const gathered = names.map((name) => reader.read(name, options));
    await settled();
    const begun = at();
    pass(20_000);
    lists[0]!.answer();
    await Promise.all(gathered);
    pass(begun + 30_000 - at());
    await ask();
    expect(lists).toHaveLength(1);
    pass(1);
    await ask();
    expect(lists).toHaveLength(2);
  });
});

describe("what a change looks at", () => {
  test("reads never use an earlier list; those that came meanwhile share the next", async () => {
    const { lists, found, reader } = service();
    const first = names.slice(0, 3).map((name) => reader.poll(name, options));
    await settled();
    await reader.update("f", {}, [], {}, options);
    const second = names.slice(3).map((name) => reader.poll(name, options));
    await settled();
    expect(lists).toHaveLength(1);
    lists[0]!.answer();
    await settled();
    expect(lists).toHaveLength(2);
    lists[1]!.answer();
    expect((await Promise.all(first)).map((object) => object!["version"])).toEqual([1, 1, 1]);
    expect((await Promise.all(second)).map((object) => object!["version"])).toEqual([2, 2, 2]);
    expect(found).toEqual([]);
  });

  test("one or two are read on their own", async () => {
    const { lists, found, reader } = service();
    await Promise.all(["a", "b"].map((name) => reader.poll(name, options)));
    expect(lists).toEqual([]);
    expect(found).toEqual(["a", "b"]);
  });

  test("of an account of ten thousand objects, those that are asked for are decoded", async () => {
    const { lists, decoded, reader } = service({ others: 10_000 });
    const asked = Array.from({ length: 8 }, (_, index) => `other-${index * 1000}`);
    const looks = asked.map((name) => reader.poll(name, options));
    await settled();
    lists[0]!.answer();
    await Promise.all(looks);
    expect(decoded).toEqual(asked);
  });

  test("what a list does not show is read on its own", async () => {
    const { lists, found, reader } = service();
    await reader.remove("a", {}, options);
    const looks = ["a", "b", "c"].map((name) => reader.poll(name, options));
    await settled();
    lists[0]!.answer();
    expect(await Promise.all(looks)).toEqual([undefined, { name: "b", version: 1 }, { name: "c", version: 1 }]);
    expect(found).toEqual(["a"]);
  });
});

describe("what was deleted", () => {
  const deleted = { deleted: true };

  async function afterSeen(which: readonly string[], how?: { listsAll: boolean }) {
    const at = service(how);
    const before = which.map((name) => at.reader.poll(name, options));
    await settled();
    at.lists[0]?.answer();
    await Promise.all(before);
    await Promise.all(names.slice(0, 3).map((name) => at.reader.remove(name, {}, options)));
    const after = names.slice(0, 3).map((name) => at.reader.poll(name, options, deleted));
    await settled();
    at.lists.at(-1)?.answer();
    expect(await Promise.all(after)).toEqual([undefined, undefined, undefined]);
    return at;
  }

  test("is gone where a list that shows tombstones lacks it and an earlier one had it", async () => {
    const { lists, found } = await afterSeen(names);
    expect(found).toEqual([]);
    expect(lists.map((list) => list.deleted)).toEqual([false, true]);
  });

  test("is read on its own where no list has ever shown it", async () => {
    const { found } = await afterSeen([]);
    expect(found).toEqual(["a", "b", "c"]);
  });

  test("is read on its own where lists hide what is still there", async () => {
    const { found } = await afterSeen(names, { listsAll: false });
    expect(found).toEqual(["a", "b", "c"]);
  });
});

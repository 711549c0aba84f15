import type { ObjectCollection, OnWrite, ReadHints } from "../../provider/lifecycle/ports";
import type { Values } from "../../provider/lifecycle/types";
import { withSharedReads } from "../../provider/lifecycle/waiting/read-batcher";
import { listed } from "./listed";

/** Looks at some objects of a collection that has more pages than an engine has operations under way. */

const options = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };
const perPage = 200;
const nameAt = (index: number): string => `r${String(index).padStart(4, "0")}`;
const run = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => nameAt(from + index));
/** One on each of so many pages. */
const apart = (count: number): string[] => Array.from({ length: count }, (_, index) => nameAt(index * perPage));

/** Sorted by name; a token is the last name before its page, or its offset. */
function service({ size = 2000, byOffset = false } = {}) {
  const there = new Set(run(0, size));
  /** Tokens of the pages that were asked for. */
  const pages: string[] = [];
  const found: string[] = [];
  let version = 1;
  let generation = 1;
  let onPage = async (): Promise<void> => {};
  const startOf = (all: readonly string[], token: string): number => {
    const [made, place] = token.split("/") as [string, string];
    if (Number(made) !== generation) throw new Error("the page token has expired");
    return byOffset ? Number(place) : all.findIndex((name) => name > place);
  };
  const objects = (written: OnWrite) => ({
    listIsComplete: true,
    writesAffectOthers: false,
    async *pages(_: unknown, { from }: { from?: string } = {}): AsyncIterable<{ items: unknown[]; token?: string }> {
      for (let token = from; ; ) {
        pages.push(token ?? "");
        const all = [...there].sort();
        const start = token === undefined ? 0 : startOf(all, token);
        const names = all.slice(start, start + perPage);
        const items = names.map((name) => listed({ name, version }));
        await new Promise((resolve) => setImmediate(resolve));
        await onPage();
        yield { items, ...(token !== undefined && { token }) };
        if (start + perPage >= all.length) return;
        token = `${generation}/${byOffset ? start + perPage : names.at(-1)}`;
      }
    },
    async find(name: string, _: unknown, sight?: ReadHints): Promise<Values | undefined> {
      found.push(sight?.deleted ? `${name}, deleted` : name);
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
      return there.delete(name);
    },
  });
  let now = 0;
  const clock = { now: () => now, sleep: async (ms: number) => void (now += ms) };
  const reader = withSharedReads((written) => objects(written) as unknown as ObjectCollection, clock);
  const look = (names: readonly string[], sight = {}) =>
    Promise.all(names.map((name) => reader.poll(name, options, sight)));
  return {
    there,
    reader,
    look,
    found,
    expireTokens: () => void (generation += 1),
    meanwhile: (work: () => Promise<void>) => void (onPage = work),
    /** Requests since the last call. */
    requests(): { pages: number; reads: number } {
      return { pages: pages.splice(0).length, reads: found.splice(0).length };
    },
  };
}

/** Every page has been read once. */
async function afterOneList(how?: Parameters<typeof service>[0]) {
  const at = service(how);
  await at.look(["none", ...apart(10)]);
  expect(at.requests().pages).toBe(10);
  at.requests();
  return at;
}

test.each([false, true])("looks at neighbours cost one page (tokens are offsets: %s)", async (byOffset) => {
  const { look, requests } = await afterOneList({ byOffset });
  expect((await look(run(850, 30))).map((object) => object?.name)).toEqual(run(850, 30));
  expect(requests()).toEqual({ pages: 1, reads: 0 });
  await look(run(985, 30));
  expect(requests()).toEqual({ pages: 2, reads: 0 });
});

test("looks that a page each would answer are read on their own", async () => {
  const { look, requests } = await afterOneList();
  await look(apart(10));
  expect(requests()).toEqual({ pages: 0, reads: 10 });
});

test("neighbours share their page, the others are read", async () => {
  const { look, requests } = await afterOneList();
  await look([...run(1200, 5), nameAt(3), nameAt(1999)]);
  expect(requests()).toEqual({ pages: 1, reads: 2 });
});

test("reads that have cost as much as a list lead to one, and to pages from then on", async () => {
  const { look, requests } = service();
  await look(run(0, 3));
  expect(requests()).toEqual({ pages: 1, reads: 0 });
  await look(run(900, 8));
  expect(requests()).toEqual({ pages: 5, reads: 0 });
  await look(run(1000, 5));
  expect(requests()).toEqual({ pages: 0, reads: 5 });
  await look(run(1005, 5));
  expect(requests()).toEqual({ pages: 10, reads: 0 });
  await look(run(1995, 5));
  expect(requests()).toEqual({ pages: 1, reads: 0 });
});

test("looks that pages alone answer lead to no list, whatever earlier reads have cost", async () => {
  const { there, look, requests } = await afterOneList();
  await look(Array.from({ length: 8 }, (_, index) => `new-${index}`));
  expect(requests()).toEqual({ pages: 0, reads: 8 });
  for (const name of run(600, 1400)) there.delete(name);
  await look(run(600, 11), { deleted: true });
  expect(requests().pages).toBe(3);
  expect((await look(run(0, 8))).map((object) => object?.name)).toEqual(run(0, 8));
  expect(requests()).toEqual({ pages: 1, reads: 0 });
});

test("a page shows what was there after the look was asked for", async () => {
  const { look, reader, requests } = await afterOneList();
  await reader.update(nameAt(7), {}, [], {}, options);
  expect((await look(run(0, 8))).map((object) => object?.["version"])).toEqual(Array(8).fill(2));
  expect(requests()).toEqual({ pages: 1, reads: 0 });
});

test("an object that is written while its page is read is read again by itself", async () => {
  const { look, reader, requests, meanwhile } = await afterOneList();
  meanwhile(async () => void (await reader.update(nameAt(2), {}, [], {}, options)));
  const versions = (await look(run(0, 8))).map((object) => object?.["version"]);
  expect(versions[2]).toBe(2);
  expect(requests()).toEqual({ pages: 1, reads: 1 });
});

test("what has left its page is read, and not looked for there again", async () => {
  const { there, look, requests } = await afterOneList({ byOffset: true });
  for (const name of run(0, 100)) there.delete(name);
  expect((await look(run(410, 8))).map((object) => object?.name)).toEqual(run(410, 8));
  expect(requests()).toEqual({ pages: 1, reads: 8 });
  await look(run(410, 8));
  expect(requests()).toEqual({ pages: 0, reads: 8 });
});

test("a token that the service no longer takes costs nobody an answer", async () => {
  const { look, requests, expireTokens } = await afterOneList();
  expireTokens();
  expect(await look(run(300, 8))).not.toContain(undefined);
  expect(requests()).toEqual({ pages: 1, reads: 8 });
  await look(run(300, 8));
  expect(requests()).toEqual({ pages: 0, reads: 8 });
  await look(run(300, 8));
  expect(requests()).toEqual({ pages: 10, reads: 0 });
  await look(run(300, 8));
  expect(requests()).toEqual({ pages: 1, reads: 0 });
});

test("neither a page nor a list without tombstones proves that an object is deleted", async () => {
  const { look, reader, requests, found } = await afterOneList();
  for (const name of run(0, 8)) await reader.remove(name, {}, options);
  expect(await look(run(0, 8), { deleted: true })).toEqual(Array(8).fill(undefined));
  expect(found).toEqual(run(0, 8).map((name) => `${name}, deleted`));
  expect(requests()).toEqual({ pages: 0, reads: 8 });
  expect(await look(run(0, 8))).toEqual(Array(8).fill(undefined));
  expect(requests()).toEqual({ pages: 1, reads: 8 });
});

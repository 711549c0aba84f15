import { EngineActivity } from "../../provider/lifecycle/memory/engine-activity";
import { ReadQueue } from "../../provider/lifecycle/waiting/read-queue";
import { virtualClock } from "./virtual-clock";

const options = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };

test("a batch that fails rejects its own reads, and not those of the next", async () => {
  const clock = virtualClock(0);
  let batches = 0;
  const queue = new ReadQueue(clock, new EngineActivity(clock.now), async (batch) => {
    batches += 1;
    if (batches === 1) throw new Error("not to be read");
    for (const { name, resolve } of batch) resolve({ name });
  });
  const ask = (name: string) => queue.request({ name, options, whole: false });
  const first = await Promise.allSettled([ask("a"), ask("b")]);
  expect(first.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await ask("c")).toEqual({ name: "c" });
});

test("a poll that is due later takes no read along, and a read no poll", async () => {
  const clock = virtualClock(0);
  const batches: [at: number, names: string[]][] = [];
  const queue = new ReadQueue(clock, new EngineActivity(clock.now), async (batch) => {
    batches.push([clock.now(), batch.map(({ name }) => name)]);
    for (const { name, resolve } of batch) resolve({ name });
  });
  const poll = (name: string, ms: number) => queue.request({ name, options, whole: false, wait: { ms, apart: 0 } });
  const read = (name: string) => queue.request({ name, options, whole: false });
  await Promise.all([poll("soon", 500), poll("later", 900), poll("last", 1000), read("a"), read("b")]);
  expect(batches).toEqual([
    [expect.any(Number), ["a", "b"]],
    [500, ["soon", "later", "last"]],
  ]);
});

test("polls that are due as they arrive wait for company", async () => {
  const clock = virtualClock(0);
  const batches: number[] = [];
  const queue = new ReadQueue(clock, new EngineActivity(clock.now), async (batch) => {
    batches.push(batch.length);
    for (const { name, resolve } of batch) resolve({ name });
  });
  const updates = Array.from({ length: 20 }, (_, index) =>
    queue.during(async () => {
      await clock.sleep(1 + 5 * index);
      await queue.request({ name: `n${index}`, options, whole: false, wait: { ms: 0, apart: 0 } });
    }),
  );
  await Promise.all(updates);
  expect(batches).toEqual([20]);
});

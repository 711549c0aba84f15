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

test("a list of polls answers a read that waits for company", async () => {
  const clock = virtualClock(0);
  const batches: [at: number, names: string[]][] = [];
  const queue = new ReadQueue(clock, new EngineActivity(clock.now), async (batch) => {
    batches.push([clock.now(), batch.map(({ name }) => name)]);
    for (const { name, resolve } of batch) resolve({ name });
  });
  const poll = (name: string) => queue.request({ name, options, whole: false, wait: { ms: 500, apart: 0 } });
  const late = queue.during(() => clock.sleep(2000));
  const waiting = ["a", "b"].map((name) => queue.during(() => poll(name)));
  await clock.sleep(400);
  await queue.during(() => queue.request({ name: "read", options, whole: false }));
  await Promise.all([...waiting, late]);
  expect(batches).toEqual([[500, ["a", "b", "read"]]]);
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

test("operations that wait do not keep those that begin from sharing their reads", async () => {
  const clock = virtualClock(0);
  const activity = new EngineActivity(clock.now);
  const batches: number[] = [];
  const queue = new ReadQueue(clock, activity, async (batch) => {
    batches.push(batch.length);
    for (const { name, resolve } of batch) resolve({ name });
  });
  const update = (name: string) =>
    queue.during(async () => {
      await queue.request({ name, options, whole: false });
      await queue.request({ name, options, whole: false, wait: { ms: 5000, apart: 0 } });
    });
  const running: Promise<void>[] = [];
  for (let index = 0; index < 60; index += 1) {
    await clock.sleep(20);
    running.push(update(`n${index}`));
  }
  await Promise.all(running);
  expect(batches).toEqual([8, 52, 60]);
});

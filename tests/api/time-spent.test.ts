import { Gate } from "../../provider/api/http/rate-gate";
import { Stopwatch } from "../../provider/api/time";
import { manualTime } from "./support/manual-time";

test("overlapping spans count once, and a running one counts up to now", async () => {
  const time = manualTime();
  const stopwatch = new Stopwatch(time.now);
  const first = stopwatch.during("requests", time.sleep(300));
  const second = stopwatch.during("requests", time.sleep(200));
  const long = stopwatch.during("states", time.sleep(1000));
  await time.run(Promise.all([first, second]));
  expect(stopwatch.read()).toEqual({ requests: 300, limit: 0, states: 300, sent: 2 });
  await time.run(long);
  await time.run(stopwatch.during("requests", time.sleep(50)));
  expect(stopwatch.read()).toEqual({ requests: 350, limit: 0, states: 1000, sent: 3 });
});

test("work that fails has taken its time, and keeps its error", async () => {
  const time = manualTime();
  const stopwatch = new Stopwatch(time.now);
  const failing = time.sleep(100).then(() => Promise.reject(new Error("no")));
  await expect(time.run(stopwatch.during("requests", failing))).rejects.toThrow("no");
  expect(stopwatch.read()).toMatchObject({ requests: 100, sent: 1 });
});

test("a gate tells how long requests wait because of the rate, and not for each other", async () => {
  const time = manualTime();
  const stopwatch = new Stopwatch(time.now);
  const gate = new Gate({ time, stopwatch, requestsPerSecond: 10, concurrency: 1 });
  const one = async (): Promise<void> => {
    await gate.acquire();
    await time.sleep(20);
    gate.releaseSlot();
  };
  await time.run(Promise.all(Array.from({ length: 5 }, one)));
  // Four pauses of 100 ms, of which the request before takes 20.
  expect(stopwatch.read().limit).toBe(4 * 80);
});

import { mean, noticed, scattered, times } from "./simulated-waits";

/** The looks of a schedule that begins at 1 s, grows by half and knows nothing: what waits used to cost. */
function unlearned(ms: number, longest = 5000): number {
  let count = 1;
  for (let time = 1000, pause = 1000; time < ms; time += pause) {
    pause = Math.min(pause * 1.5, longest);
    count += 1;
  }
  return count;
}

/** What a wait may be noticed late, on average. */
const allowed = (wait: number): number => Math.min(Math.max(50, wait * 0.05), 2500);

test("the first look comes after tens of milliseconds", async () => {
  const { lags } = await noticed({ takes: [1], usual: 240_000 });
  expect(lags[0]).toBeLessThan(60);
});

test.each([1000, 2000, 5000, 20_000, 60_000, 240_000])(
  "a stay of the declared %d ms is noticed in time, with at most ten extra looks",
  async (usual) => {
    const { lists, reads, mean } = await noticed({ takes: times(40, () => usual), usual });
    expect(mean).toBeLessThanOrEqual(allowed(usual));
    expect(reads).toBe(0);
    expect(lists).toBeLessThanOrEqual(unlearned(usual) + 10);
  },
);

test.each([1, 30, 300, 1300, 3000, 9000, 40_000, 150_000])(
  "a stay of %d ms is noticed in time from the second wave on, in ten more polls",
  async (wait) => {
    const waves = 7;
    const together = 32;
    const { lags, lists, reads } = await noticed({
      takes: times(waves * together, () => wait),
      usual: 20_000,
      together,
    });
    expect(mean(lags.slice(together))).toBeLessThanOrEqual(allowed(wait));
    expect(lists + reads).toBeLessThanOrEqual(waves * unlearned(wait) + 10);
  },
);

test.each([400, 2000, 10_000, 100_000])(
  "stays of about %d ms, give or take a third, are noticed in time after some",
  async (about) => {
    const takes = times(40 * 8, (index) => about * (2 / 3 + scattered(index) * (2 / 3)));
    const { lags, lists, reads } = await noticed({ takes, usual: about * 5, together: 8 });
    expect(mean(lags.slice(32))).toBeLessThanOrEqual(allowed(about));
    // Eight at a time, each begun when another one has ended: looks follow each other all the time.
    const looksOfEach = (lists + reads) / 40;
    expect(looksOfEach).toBeLessThanOrEqual(unlearned(about * 1.33) + 12);
  },
);

test("jobs of hours are noticed in time, and polled as rarely as before", async () => {
  const wait = 3 * 60 * 60_000;
  const { lags, lists } = await noticed({
    takes: times(12, () => wait),
    usual: 20 * 60_000,
    together: 4,
    longestPause: "30s",
  });
  expect(mean(lags.slice(4))).toBeLessThanOrEqual(2500);
  expect(lists).toBeLessThanOrEqual(3 * (unlearned(wait, 30_000) + 10));
});

test("an end long before the expected one is seen within seconds", async () => {
  const { lags } = await noticed({ takes: [...times(6, () => 240_000), 3000], usual: 240_000, together: 1 });
  expect(lags.at(-1)).toBeLessThanOrEqual(1100);
});

test("objects that begin in turn share their polls, and none is delayed for long", async () => {
  const { lags, lists, reads } = await noticed({ takes: times(200, () => 1), together: 200, between: 10 });
  expect(lists + reads).toBeLessThanOrEqual(200 * 0.15);
  expect(mean(lags)).toBeLessThanOrEqual(100);
  expect(Math.max(...lags)).toBeLessThanOrEqual(400);
});

test("a new object is polled when it is due, while all others wait", async () => {
  const { lags } = await noticed({
    takes: [240_000, 240_000, 240_000, 500],
    usual: 240_000,
    together: 4,
    between: 60_000,
  });
  expect(lags[0]).toBeLessThanOrEqual(1000);
});

test("looks never overlap, so that a slow service is asked no faster than it answers", async () => {
  const { times } = await noticed({ takes: [3000, 3000, 3000], latency: 800 });
  const pauses = times.slice(1).map((time, index) => time - times[index]!);
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(800);
});

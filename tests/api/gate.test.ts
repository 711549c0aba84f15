import fc from "fast-check";
import { Gate } from "../../provider/api/http/rate-gate";
import { isDeadline } from "../../provider/core/errors";
import { type Limit, sendAll } from "./support/limited-server";
import { drawn, manualTime } from "./support/manual-time";

const advices = ["exact", "seconds", "none"] as const;

/** How much longer than the limit asks for requests may take, and how many of them may be refused. */
const most = { ratio: 1.25, refused: 0.08 };

const limits: readonly Limit[] = [
  ...[1, 10].flatMap((perSecond) =>
    [1, 5, 10].flatMap((burst) => advices.map((advice): Limit => ({ perSecond, burst, latency: 20, advice }))),
  ),
  ...[1, 5, 10].flatMap((burst) =>
    (["exact", "none"] as const).map((advice): Limit => ({ perSecond: 100, burst, latency: 20, advice })),
  ),
  { perSecond: 2, burst: 2, latency: 20, advice: "exact" },
  { perSecond: 100, burst: 100, latency: 4, advice: "exact" },
  { perSecond: 10, burst: 100, latency: 200, advice: "seconds" },
  { perSecond: 5, burst: 20, latency: 20, advice: "seconds" },
  { perSecond: 2, burst: 2, latency: 200, advice: "none" },
];

test.each(limits)("$perSecond/s, burst $burst, $latency ms, $advice: within 1.25 of the least time", async (limit) => {
  const time = manualTime();
  const { took, least, refused } = await sendAll(new Gate({ time }), time, 1000, limit);
  expect(took / least).toBeLessThanOrEqual(most.ratio);
  expect(refused / 1000).toBeLessThanOrEqual(most.refused);
});

test.each(
  [
    { of: "minute", perSecond: 1, window: 60_000 },
    { of: "second", perSecond: 10, window: 1000 },
  ].flatMap((each) => advices.map((advice) => ({ ...each, advice }))),
)("a limit counted anew each $of is used within 1.25 of the least time, $advice", async (each) => {
  const time = manualTime();
  const { took, least } = await sendAll(new Gate({ time }), time, 600, { burst: 0, latency: 20, ...each });
  expect(took / least).toBeLessThanOrEqual(most.ratio);
});

test.each(advices)("after an idle minute the rate is what it was, advice %s", async (advice) => {
  const time = manualTime();
  const gate = new Gate({ time });
  const limit: Limit = { perSecond: 10, burst: 1, latency: 20, advice };
  await sendAll(gate, time, 300, limit);
  await time.run(time.sleep(60_000));
  const { took, least } = await sendAll(gate, time, 300, limit);
  expect(took / least).toBeLessThanOrEqual(most.ratio);
});

test.each([1, 5, 10])(
  "a service of 100 per second and burst %d that asks for whole seconds costs some",
  async (burst) => {
    const time = manualTime();
    const { took, least } = await sendAll(new Gate({ time }), time, 1000, {
      perSecond: 100,
      burst,
      latency: 20,
      advice: "seconds",
    });
    expect(took - least).toBeLessThanOrEqual(7000);
  },
);

test("a lone request now and then says nothing about the rate", async () => {
  const time = manualTime();
  const gate = new Gate({ time });
  const limit: Limit = { perSecond: 10, burst: 1, latency: 20, advice: "exact" };
  for (let number = 0; number < 50; number += 1) {
    await sendAll(gate, time, 1, limit);
    await time.run(time.sleep(10_000));
  }
  const { took, least } = await sendAll(gate, time, 300, limit);
  expect(took / least).toBeLessThanOrEqual(most.ratio);
});

test.each(advices)("a limit that is halved meanwhile is learned again, advice %s", async (advice) => {
  const time = manualTime();
  const { took } = await sendAll(
    new Gate({ time }),
    time,
    1000,
    { perSecond: 10, burst: 10, latency: 20, advice },
    (at) => (at < 20_000 ? 10 : 5),
  );
  expect(took).toBeLessThanOrEqual(1.05 * (20_000 + ((1000 - 10 - 200) / 5) * 1000));
});

test.each(advices)("a limit that is doubled on the way is found, advice %s", async (advice) => {
  const time = manualTime();
  const { took } = await sendAll(
    new Gate({ time }),
    time,
    2000,
    { perSecond: 10, burst: 1, latency: 20, advice },
    (at) => (at < 20_000 ? 10 : 20),
  );
  expect(took).toBeLessThanOrEqual(most.ratio * (20_000 + ((2000 - 200) / 20) * 1000));
});

test.each(advices)("two processes share a limit, advice %s", async (advice) => {
  const time = manualTime();
  const { took, least } = await sendAll([new Gate({ time }), new Gate({ time })], time, 1000, {
    perSecond: 10,
    burst: 10,
    latency: 20,
    advice,
  });
  expect(took / least).toBeLessThanOrEqual(1.5);
});

const ofEight = (count: number, limit: Limit): ReturnType<typeof sendAll> => {
  const time = manualTime(undefined, drawn(7));
  return sendAll(
    Array.from({ length: 8 }, () => new Gate({ time })),
    time,
    count,
    limit,
  );
};

test.each([5, 10, 20].flatMap((burst) => advices.map((advice) => ({ burst, advice }))))(
  "eight processes at one limit, burst $burst, are refused a tenth, advice $advice",
  async ({ burst, advice }) => {
    const { took, least, refused } = await ofEight(1000, { perSecond: 10, burst, latency: 20, advice });
    // Pauses of whole seconds end together, and a large burst is spent in the first moment.
    expect(refused / (1000 + refused)).toBeLessThanOrEqual(advice === "seconds" || burst > 10 ? 0.12 : 0.1);
    expect(took / least).toBeLessThanOrEqual(3);
  },
);

test.each(advices)("eight processes end where nothing evens out their requests, advice %s", async (advice) => {
  const { took, refused } = await ofEight(400, { perSecond: 10, burst: 1, latency: 20, advice });
  expect(refused / (400 + refused)).toBeLessThanOrEqual(0.3);
  expect(took).toBeLessThanOrEqual(20 * 60_000);
});

test("two processes with their parts of a limit use all of it, after one refusal", async () => {
  const time = manualTime();
  const gates = [new Gate({ time, requestsPerSecond: 5 }), new Gate({ time, requestsPerSecond: 5 })];
  const { took, least, refused } = await sendAll(gates, time, 1000, {
    perSecond: 10,
    burst: 2,
    latency: 20,
    advice: "seconds",
  });
  expect([took / least <= 1.05, refused]).toEqual([true, 0]);
});

test("without a limit nothing but the concurrency holds requests back", async () => {
  const time = manualTime();
  const { took, refused, mostUnderWay } = await sendAll(new Gate({ time }), time, 1600, {
    perSecond: 1e9,
    burst: 1e9,
    latency: 20,
    advice: "none",
  });
  expect([refused, mostUnderWay]).toEqual([0, 16]);
  expect(took).toBeLessThanOrEqual(1.1 * 100 * 20);
});

test("a ceiling is kept to from the first request on", async () => {
  const time = manualTime();
  const { took, refused } = await sendAll(new Gate({ time, requestsPerSecond: 5 }), time, 100, {
    perSecond: 5,
    burst: 1,
    latency: 20,
    advice: "seconds",
  });
  expect(refused).toBe(0);
  expect(took).toBeGreaterThanOrEqual(99 * 200);
  expect(took).toBeLessThanOrEqual(1.05 * 99 * 200);
});

test("every limit is met in the end, and no more than allowed are ever under way", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        perSecond: fc.integer({ min: 1, max: 50 }),
        burst: fc.integer({ min: 1, max: 50 }),
        latency: fc.integer({ min: 2, max: 400 }),
        advice: fc.constantFrom("exact" as const, "seconds" as const, "none" as const),
      }),
      fc.integer({ min: 1, max: 20 }),
      async (limit, concurrency) => {
        const time = manualTime();
        const { took, least, mostUnderWay } = await sendAll(new Gate({ time, concurrency }), time, 100, limit);
        expect(mostUnderWay).toBeLessThanOrEqual(concurrency);
        expect(took).toBeGreaterThanOrEqual(least);
      },
    ),
    { numRuns: 25 },
  );
});

/** How long the next request waits after as many refusals at once. */
async function pauseAfter(refusals: number): Promise<number> {
  const time = manualTime();
  const gate = new Gate({ time });
  const turns = await Promise.all(Array.from({ length: refusals }, () => gate.acquire()));
  const begin = time.now();
  for (const turn of turns) {
    gate.refused(turn);
    gate.releaseSlot();
  }
  await time.run(gate.acquire());
  return time.now() - begin;
}

test("429s of one epoch are counted once", async () => {
  expect(await pauseAfter(1)).toBeGreaterThan(0);
  expect(await pauseAfter(2)).toBe(await pauseAfter(1));
});

test("a service that refuses everything is asked ever less often, down to once in 20 s", async () => {
  const time = manualTime();
  const gate = new Gate({ time });
  const pauses: number[] = [];
  for (let number = 0; number < 30; number += 1) {
    const before = time.now();
    const turn = await time.run(gate.acquire());
    pauses.push(time.now() - before);
    await time.run(time.sleep(20));
    gate.refused(turn);
    gate.releaseSlot();
  }
  expect(pauses.slice(1).every((pause, index) => pause >= pauses[index]!)).toBe(true);
  expect(pauses.at(-1)).toBeGreaterThan(10_000);
  expect(pauses.at(-1)).toBeLessThanOrEqual(20_000);
});

test.each([3000, 700, undefined])(
  "nine refusals with a pause of %s ms slow later requests for less than a minute",
  async (pause) => {
    const time = manualTime();
    const gate = new Gate({ time });
    const send = async (answer: (turn: number) => void): Promise<void> => {
      const turn = await gate.acquire();
      await time.sleep(20);
      answer(turn);
      gate.releaseSlot();
    };
    for (let number = 0; number < 20; number += 1) await time.run(send((turn) => gate.accepted(turn)));
    for (let number = 0; number < 9; number += 1) await time.run(send((turn) => gate.refused(turn, pause)));
    const begin = time.now();
    await time.run(Promise.all(Array.from({ length: 60 }, () => send((turn) => gate.accepted(turn)))));
    expect(time.now() - begin).toBeLessThanOrEqual(45_000);
  },
);

test("one request's Retry-After holds back every other", async () => {
  const time = manualTime();
  const gate = new Gate({ time });
  const begin = time.now();
  await gate.acquire();
  gate.pauseUntil(7000);
  gate.releaseSlot();
  await time.run(Promise.all([gate.acquire(), gate.acquire()]));
  expect(time.now() - begin).toBe(7000);
});

test("who waits in the queue, and who comes later, is told until when and for what", async () => {
  const time = manualTime();
  const gate = new Gate({ time, concurrency: 1 });
  const told: [until: number, why: string][] = [];
  const begin = time.now();
  const onPause = (until: number, why: string): void => void told.push([until - begin, why]);
  await gate.acquire();
  const queued = gate.acquire({ onPause }).then(() => gate.releaseSlot());
  gate.pauseUntil(7000, "slow down");
  const later = gate.acquire({ onPause });
  gate.pauseUntil(5000, "again");
  expect(told).toEqual(Array.from({ length: 4 }, () => [7000, "slow down"]));
  gate.releaseSlot();
  await time.run(Promise.all([queued, later]));
});

test("a wait beyond the deadline fails now, for those in the queue as well", async () => {
  const time = manualTime();
  const gate = new Gate({ time, concurrency: 1 });
  const begin = time.now();
  const turn = await gate.acquire();
  const queued = gate.acquire({ deadline: begin + 5000 }).catch((error: unknown) => error);
  gate.refused(turn, 60_000);
  expect(isDeadline(await queued)).toBe(true);
  await expect(gate.acquire({ deadline: begin + 5000 })).rejects.toThrow(
    "asked clients to back off for 60 s, which is beyond the deadline",
  );
  expect(time.now()).toBe(begin);
});

test("a caller that gives up leaves the queue, and the next one gets the turn", async () => {
  const time = manualTime();
  const gate = new Gate({ time, concurrency: 1 });
  await gate.acquire();
  const controller = new AbortController();
  const given = gate.acquire({ signal: controller.signal });
  const next = gate.acquire();
  controller.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
  gate.releaseSlot();
  await expect(next).resolves.toBeDefined();
});

test("a repeated request goes before those that were never sent", async () => {
  const time = manualTime();
  const gate = new Gate({ time, concurrency: 1 });
  const order: string[] = [];
  await gate.acquire();
  const join = async (name: string, repeated: boolean): Promise<void> => {
    await gate.acquire({ repeated });
    order.push(name);
    gate.releaseSlot();
  };
  const all = Promise.all([join("new", false), join("repeated", true)]);
  gate.releaseSlot();
  await all;
  expect(order).toEqual(["repeated", "new"]);
});

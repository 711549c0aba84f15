import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator } from "../../emulator/index";
import { createClient } from "../../provider/api/client";
import { Gate } from "../../provider/api/limits/gate";
import { ownStore, type RateStore } from "../../provider/api/limits/rate";
import { firstEstimate } from "../../provider/api/limits/rate-estimate";
import { fileStore, rateFile } from "../../provider/api/limits/rate-file";
import { createCatalogue } from "../../provider/api/operations";
import { resolveSettings } from "../../provider/api/settings/config";
import { tidyFolder } from "../../provider/lifecycle/journal/upkeep";
import { allSpecs } from "../../provider/resources/index";
import { type Limit, type SenderOutcome, sendAll } from "./support/limited-server";
import { type ManualTime, manualTime } from "./support/manual-time";

const key = "key-that-nobody-may-see";
const origin = "https://api.example.com";
const limit: Limit = { perSecond: 10, burst: 1, latency: 20, advice: "exact" };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rates-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (): string => rateFile(folder, origin, key);
const gatesOn = (time: ManualTime, count: number, store: () => RateStore): Gate[] =>
  Array.from({ length: count }, () => new Gate({ time, store: store() }));

/** Processes that share what they learn within this one. */
const sendTogether = (processes: number, count: number, each: Limit): Promise<SenderOutcome> => {
  const time = manualTime();
  const store = ownStore();
  return sendAll(
    gatesOn(time, processes, () => store),
    time,
    count,
    each,
  );
};

test.each(
  [2, 4, 8].flatMap((processes) =>
    (["exact", "seconds", "none"] as const).map((advice) => ({
      processes,
      advice,
      count: advice === "seconds" ? 1000 : 400,
    })),
  ),
)(
  "$processes processes send $count requests in 1.25 of the least time, $advice",
  async ({ processes, advice, count }) => {
    const { took, least, refused } = await sendTogether(processes, count, { ...limit, advice });
    expect(took / least).toBeLessThanOrEqual(1.25);
    expect(refused).toBeLessThanOrEqual(50);
  },
);

const processCounts = [1, 2, 4, 8];
const coldStart = (index: number): number => (index < 5 ? 200 - 30 * index : 0);
const everySeventh = (index: number): number => (index % 7 === 3 ? 12 : 0);

test.each(
  processCounts.flatMap((processes) => [
    { processes, slow: "the first ones", late: coldStart },
    { processes, slow: "every seventh", late: everySeventh },
  ]),
)("$processes processes do so when $slow of their requests arrive late", async ({ processes, late }) => {
  const { took, least, refused } = await sendTogether(processes, 400, { ...limit, latency: 4, late });
  expect(took / least).toBeLessThanOrEqual(1.25);
  expect(refused).toBeLessThanOrEqual(60);
});

test.each(processCounts.flatMap((processes) => ([5, 20] as const).map((burst) => ({ processes, burst }))))(
  "$processes processes share what a burst of $burst lets through",
  async ({ processes, burst }) => {
    const { took, least, refused } = await sendTogether(processes, 400, { ...limit, burst, advice: "seconds" });
    expect(took / least).toBeLessThanOrEqual(1.25);
    expect(refused).toBeLessThanOrEqual(60);
  },
);

test("a request that was refused comes first, whoever waits", async () => {
  const time = manualTime();
  const store = ownStore();
  const [refused, waits] = gatesOn(time, 2, () => store) as [Gate, Gate];
  await sendAll([refused, waits], time, 100, limit);
  const turn = await time.run(refused.enter());
  const order: string[] = [];
  const other = waits.enter().then(() => order.push("waits"));
  turn.refused(30);
  turn.leave();
  const again = refused.enter({ repeated: true }).then(() => order.push("refused"));
  await time.run(Promise.all([other, again]));
  expect(order).toEqual(["refused", "waits"]);
});

test.each([2, 8])("%d processes share it by a file as well", async (processes) => {
  const time = manualTime();
  const gates = gatesOn(time, processes, () => fileStore(fileOf(), time.now));
  const { took, least } = await sendAll(gates, time, 100, limit);
  expect(took / least).toBeLessThanOrEqual(1.2);
});

test("they take turns: all of them end at about the same time", async () => {
  const time = manualTime();
  const store = ownStore();
  const ends: number[] = [];
  const start = time.now();
  let free = start;
  const one = async (gate: Gate): Promise<void> => {
    for (let sent = 0; sent < 50; ) {
      const turn = await gate.enter();
      await time.sleep(20);
      const taken = time.now() >= free;
      if (taken) {
        free = time.now() + 100;
        sent++;
        turn.accepted();
      } else turn.refused(free - time.now());
      turn.leave();
    }
    ends.push(time.now() - start);
  };
  await time.run(Promise.all(gatesOn(time, 4, () => store).map(one)));
  expect(Math.min(...ends)).toBeGreaterThanOrEqual(0.9 * Math.max(...ends));
});

test("a process that begins later starts with what others have learnt, for a minute", async () => {
  const time = manualTime();
  const refusals = async (): Promise<number> =>
    (await sendAll(new Gate({ time, store: fileStore(fileOf(), time.now) }), time, 50, limit)).refused;
  const first = await refusals();
  await time.run(time.sleep(2000));
  expect(await refusals()).toBeLessThan(first / 2);
  await time.run(time.sleep(61_000));
  expect(await refusals()).toBe(first);
});

test("a waiter that never returns does not hold others up for long", async () => {
  const time = manualTime();
  const store = ownStore();
  const [gone, stays] = gatesOn(time, 2, () => store) as [Gate, Gate];
  await sendAll(stays, time, 100, limit);
  const controller = new AbortController();
  const given = gone.enter({ signal: controller.signal }).catch(() => undefined);
  controller.abort(new Error("killed"));
  await given;
  const { took, least } = await sendAll(stays, time, 50, limit);
  expect(took).toBeLessThanOrEqual(1.1 * least + 300);
});

test("a ceiling is a process's own, beside the limit that is shared", async () => {
  const time = manualTime();
  const store = ownStore();
  const gates = [new Gate({ time, store, requestsPerSecond: 2 }), new Gate({ time, store, requestsPerSecond: 2 })];
  const { took } = await sendAll(gates, time, 80, { ...limit, perSecond: 10, burst: 1 });
  expect(took).toBeGreaterThanOrEqual(39 * 500);
  expect(took).toBeLessThanOrEqual(1.15 * 39 * 500);
});

test("the file exists from the first refusal on, is private and hides the key", async () => {
  const time = manualTime();
  const gate = new Gate({ time, store: fileStore(fileOf(), time.now) });
  await sendAll(gate, time, 50, { ...limit, perSecond: 1e9, burst: 1e9 });
  expect(readdirSync(folder)).toEqual([]);
  await sendAll(gate, time, 50, limit);
  const [name] = readdirSync(folder);
  expect([readdirSync(folder), name]).toEqual([[expect.stringMatching(/^[0-9a-f]{40}\.rate$/)], name]);
  expect(readFileSync(join(folder, name!), "utf8")).not.toContain(key);
});

test.each([
  ["is torn", '{"perMs":0.01,"refusedPer'],
  ["is empty", ""],
  ["is something else", "[1,2,3]"],
  [
    "says what no process wrote",
    JSON.stringify({ ...firstEstimate(1, 20), refusedAt: 0, perMs: 1e-300, usedAt: Date.UTC(2026, 0, 1) }),
  ],
])("a file that %s is not believed, and written anew", async (_, text) => {
  const time = manualTime();
  writeFileSync(fileOf(), text);
  const { took, least } = await sendAll(new Gate({ time, store: fileStore(fileOf(), time.now) }), time, 50, limit);
  expect(took / least).toBeLessThanOrEqual(1.5);
  expect(JSON.parse(readFileSync(fileOf(), "utf8"))).toHaveProperty("perMs");
});

test("where the file cannot be written, each process learns for itself", async () => {
  const time = manualTime();
  writeFileSync(join(folder, "taken"), "");
  const file = rateFile(join(folder, "taken"), origin, key);
  const { took, least } = await sendAll(new Gate({ time, store: fileStore(file, time.now) }), time, 200, limit);
  expect(took / least).toBeLessThanOrEqual(1.25);
  expect(existsSync(file)).toBe(false);
});

test("a lock that a killed process left is broken", async () => {
  const time = manualTime();
  writeFileSync(`${fileOf()}.lock`, "");
  const { utimesSync } = jest.requireActual<typeof import("node:fs")>("node:fs");
  utimesSync(`${fileOf()}.lock`, 0, 0);
  await sendAll(new Gate({ time, store: fileStore(fileOf(), time.now) }), time, 20, limit);
  expect(readdirSync(folder)).toHaveLength(1);
});

test("no change of processes that write at once is lost", async () => {
  const time = manualTime(Date.now());
  await sendAll(new Gate({ time, store: fileStore(fileOf(), time.now) }), time, 20, limit);
  const { accepted } = JSON.parse(readFileSync(fileOf(), "utf8")) as { accepted: number };
  const writers = Array.from({ length: 4 }, () => fork(join(__dirname, "support/rate-writer.cjs"), [fileOf(), "20"]));
  const ended = (child: ChildProcess): Promise<unknown[]> => once(child, "exit");
  expect(await Promise.all(writers.map(ended))).toEqual(writers.map(() => [0, null]));
  expect(JSON.parse(readFileSync(fileOf(), "utf8"))).toMatchObject({ accepted: accepted + 80 });
});

test("clients with one key share a folder, and yesterday's files are removed", async () => {
  const emulator = createEmulator({ accounts: { acme: key } });
  const { url } = await emulator.listen({ port: 0 });
  await emulator.fetch(
    new Request(`${url}/_emulator/faults`, {
      method: "POST",
      headers: { host: "127.0.0.1", "content-type": "application/json" },
      body: JSON.stringify({ match: { operation: "listUsers" }, fault: { kind: "status", status: 429 }, times: 1 }),
    }),
  );
  const given: Record<string, string> = { accountId: "acme", apiKey: key, baseUrl: url };
  const settings = resolveSettings({ config: { get: (name) => given[name.replace("modelplatform:", "")] }, env: {} });
  const client = createClient({ settings, catalogue: createCatalogue(allSpecs), env: {}, rates: folder });
  await client.call("listUsers");
  await client.close();
  await emulator.close();
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/\.rate$/)]);
  tidyFolder(folder, Date.now() + 25 * 60 * 60 * 1000);
  expect(readdirSync(folder)).toEqual([]);
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileJournal, maxAgeMs } from "../../drift/scan/journal";
import { instantTime } from "../api/support/instant-time";
import type { WatchedRequest } from "./support/in-process";
import { createScene } from "./support/scene";
import { type RecordedResource, secretText } from "./support/stacks";

const accounts = ["acme", "beta", "gamma", "delta"];
const inputs = {
  baseModel: "accounts/platform/models/open-8b",
  maxReplicaCount: 2,
  directRouteApiKeys: secretText("v1:key"),
};
const deployment = (account: string, maxReplicaCount = 2) => ({
  name: `accounts/${account}/deployments/chat`,
  ...inputs,
  maxReplicaCount,
  state: "READY",
});
const recorded: RecordedResource[] = accounts.map((account) => ({
  kind: "Deployment",
  inputs,
  live: deployment(account),
}));

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "drift-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One collection of one account. */
const collectionOf = ({ path }: WatchedRequest): string => path.split("?")[0]!.split("/").slice(3, 5).join("/");

/** A world in which the scan is interrupted when half of what it takes has been answered. */
function world() {
  const time = instantTime();
  const abort = new AbortController();
  const answered = new Set<string>();
  let interrupting = true;
  const scene = createScene({
    accounts,
    time,
    travel: async (request) => {
      if (interrupting && answered.size >= 16) abort.abort();
      if (!abort.signal.aborted) answered.add(collectionOf(request));
    },
  });
  for (const account of accounts)
    scene.put(deployment(account).name, { ...deployment(account, 5), directRouteApiKeys: ["key"] });
  const journal = (run?: string) => fileJournal(join(folder, "kept"), ["1.2.3", run], time.now);
  const interrupt = async (): Promise<void> => {
    await expect(scene.scan(recorded, { journal: journal(), signal: abort.signal, concurrency: 1 })).rejects.toThrow();
    interrupting = false;
    scene.requests.length = 0;
  };
  return { scene, time, answered, journal, interrupt };
}

const files = (): string[] => readdirSync(join(folder, "kept"));

test("what an interrupted scan has read is not read again", async () => {
  const { scene, journal, interrupt, answered } = world();
  const whole = await createWhole();
  await interrupt();
  const kept = files().length;
  expect(kept).toBeGreaterThan(8);
  const progress = new Map<string, number>();
  const report = await scene.scan(recorded, {
    journal: journal(),
    onProgress: ({ account, objects }) => void progress.set(account, objects),
  });
  expect([...progress.values()]).toEqual(accounts.map(() => 1));
  const lists = scene.requests.filter(({ path }) => !/deployments\/chat/.test(path)).map(collectionOf);
  expect(lists.length).toBe(whole.lists - kept);
  // What had been asked for and not been compared in full when ^C came is the only thing that is asked twice.
  expect(lists.filter((list) => answered.has(list)).length).toBeLessThanOrEqual(answered.size - kept);
  expect({ ...report, startedAt: "", finishedAt: "", accounts: [] }).toEqual({
    ...whole.report,
    startedAt: "",
    finishedAt: "",
    accounts: [],
  });
});

async function createWhole() {
  const scene = createScene({ accounts });
  for (const account of accounts)
    scene.put(deployment(account).name, { ...deployment(account, 5), directRouteApiKeys: ["key"] });
  const report = await scene.scan(recorded);
  return { report, lists: scene.requests.filter(({ path }) => !/deployments\/chat/.test(path)).length };
}

test("a scan that came to its end leaves nothing", async () => {
  const { scene, journal, interrupt } = world();
  await interrupt();
  await scene.scan(recorded, { journal: journal() });
  expect(files()).toEqual([]);
  scene.requests.length = 0;
  await scene.scan(recorded, { journal: journal() });
  expect(scene.requests.length).toBeGreaterThan(30);
});

test.each<
  [string, (time: ReturnType<typeof instantTime>) => Promise<unknown>, RecordedResource[], Record<string, unknown>]
>([
  [
    "an hour later",
    (time) =>
      time.sleep(49_000).then(async () => {
        for (let passed = 0; passed < maxAgeMs; passed += 40_000) await time.sleep(40_000);
      }),
    recorded,
    {},
  ],
  ["with another state", async () => {}, recorded.map((each) => ({ ...each, outputs: { maxReplicaCount: 3 } })), {}],
  ["with other flags", async () => {}, recorded, { all: true }],
])("%s everything is read anew", async (_, pass, stacks, options) => {
  const { scene, time, journal, interrupt } = world();
  await interrupt();
  await pass(time);
  await scene.scan(stacks, { journal: journal(), ...options });
  const lists = new Set(scene.requests.map(collectionOf));
  expect(accounts.every((account) => lists.has(`${account}/deployments`))).toBe(true);
});

test("a collection that could not be read is tried again", async () => {
  const { scene, journal } = world();
  await scene.fault({ match: { operation: "listUsers" }, fault: { kind: "status", status: 403 }, times: 4 });
  const abort = new AbortController();
  await scene.scan(recorded.slice(0, 1), {
    journal: { ...journal(), clear: async () => {} },
    signal: abort.signal,
    accounts: ["acme"],
  });
  scene.requests.length = 0;
  await scene.scan(recorded.slice(0, 1), { journal: journal(), accounts: ["acme"] });
  // What others' models say is not kept.
  expect(scene.requests.map(collectionOf)).toEqual(["acme/users", "platform/models"]);
});

test("what is kept is the owner's to read, and holds no secret", async () => {
  const { interrupt } = world();
  await interrupt();
  for (const file of files()) {
    expect(statSync(join(folder, "kept", file)).mode & 0o077).toBe(0);
    expect(readFileSync(join(folder, "kept", file), "utf8")).not.toMatch(/v1:key|acme-key/);
  }
});

test("a folder that cannot be used costs nothing but the resuming", async () => {
  const { scene, time } = world();
  expect(
    (
      await scene.scan(recorded.slice(0, 1), {
        journal: fileJournal("/dev/null/kept", ["1.2.3"], time.now),
        accounts: ["acme"],
      })
    ).exitCode,
  ).toBe(2);
});

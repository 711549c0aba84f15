import { scopeOf } from "../../drift/report/wording";
import { baselineOf } from "../../drift/scan/baseline";
import type { Journal, Progress } from "../../drift/scan/scan";
import { managedSpecs } from "../../provider/resources/index";
import { virtualClock } from "../lifecycle/virtual-clock";
import { deployment, time } from "./support/deployment";
import { byName, createScene, keyOf } from "./support/scene";
import { type RecordedResource, recordedStack } from "./support/stacks";

const chat = "accounts/acme/deployments/chat";
const chatInputs = { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 2 };
const recordedChat: RecordedResource = { kind: "Deployment", inputs: chatInputs, live: deployment(chat) };

test("an object that is as recorded is counted, and listed only when asked for", async () => {
  const scene = createScene();
  scene.put(chat, deployment(chat));
  const report = await scene.scan([recordedChat]);
  expect(report).toMatchObject({
    complete: true,
    drifted: false,
    exitCode: 0,
    summary: { "in-sync": 1, changed: 0 },
    coverage: { managed: 1, total: 1 },
    findings: [],
  });
  expect((await scene.scan([recordedChat], { all: true })).findings).toMatchObject([
    { name: chat, verdict: "in-sync", ruleId: "drift/in-sync" },
  ]);
});

test("a report counts the objects read beside the objects judged", async () => {
  const scene = createScene();
  scene.put(chat, deployment(chat));
  scene.put("accounts/acme/deployments/gone", deployment("accounts/acme/deployments/gone", { state: "DELETING" }));
  const report = await scene.scan([recordedChat]);
  const { collections } = report.accounts[0]!;
  expect(collections.find(({ name }) => name === "deployments")).toMatchObject({ status: "read", read: 2 });
  expect(scopeOf(report)).toContain("2 objects read, 1 judged");
});

test("what a refresh has taken over is compared as the refresh compares it", async () => {
  const annotations = { "custom/zone": "a" };
  const live = deployment(chat, { annotations });
  const scene = createScene();
  scene.put(chat, live);
  // The program set no entry, and the service answered none; a refresh has recorded what it then found.
  const inputs = { ...chatInputs, annotations: {} };
  const recorded = {
    kind: "Deployment",
    inputs,
    live: deployment(chat),
    state: { inputs: { ...inputs, annotations } },
  };
  const refreshed = { ...recorded, outputs: { annotations } };
  expect(await scene.scan([refreshed])).toMatchObject({ exitCode: 0, summary: { "in-sync": 1, changed: 0 } });
  expect(await scene.scan([{ ...refreshed, state: {} }])).toMatchObject({ exitCode: 2, summary: { changed: 1 } });
});

test.each([
  ["in a list of other objects", { items: [{ id: 1 }] }, { complete: false, exitCode: 3, coverage: { total: null } }],
  ["by their number alone", { totalSize: 2 }, { complete: false, exitCode: 3, coverage: { total: null } }],
  // A total is a hint: it may count what was deleted.
  [
    "in part",
    { deployments: [deployment(chat)], totalSize: 2 },
    { complete: true, exitCode: 0, coverage: { managed: 1, total: null } },
  ],
  [
    "in a list under another key",
    { items: [deployment(chat)] },
    { complete: true, exitCode: 0, coverage: { managed: 1, total: 1 } },
  ],
])("a scan of a service that shows objects %s claims no more than it has seen", async (_, body, expected) => {
  const scene = createScene();
  scene.put(chat, deployment(chat));
  await scene.fault({
    match: { operation: "listDeployments" },
    fault: { kind: "status", status: 200, body },
    times: 50,
  });
  expect(await scene.scan([recordedChat], { unmanaged: true })).toMatchObject(expected);
});

test("a changed field is reported with both values, its severity and its stack", async () => {
  const scene = createScene();
  scene.put(chat, deployment(chat, { maxReplicaCount: 5, updateTime: "2026-02-02T00:00:00Z" }));
  const report = await scene.scan([recordedChat]);
  expect(report).toMatchObject({ drifted: true, exitCode: 2, complete: true });
  expect(report.findings).toMatchObject([
    {
      verdict: "changed",
      ruleId: "drift/changed",
      severity: "warning",
      account: "acme",
      type: "Deployment",
      name: chat,
      urn: "urn:pulumi:prod::shop::pulumi-nodejs:dynamic/modelplatform:Deployment::chat",
      stacks: ["shop/prod"],
      updateTime: "2026-02-02T00:00:00Z",
      changes: [{ path: "maxReplicaCount", kind: "changed", recorded: 2, live: 5, severity: "warning", managed: true }],
    },
  ]);
});

test("a resource of the plugin is one of the provider, too", async () => {
  const scene = createScene();
  scene.put(chat, deployment(chat, { maxReplicaCount: 5 }));
  expect((await scene.scan([{ ...recordedChat, token: "plugin" }])).summary.changed).toBe(1);
});

test("what is gone is missing: purged, and soft-deleted", async () => {
  const scene = createScene();
  const code = "accounts/acme/deployments/code";
  scene.put(code, deployment(code, { state: "DELETED", deleteTime: time }));
  const report = await scene.scan([recordedChat, { kind: "Deployment", inputs: chatInputs, live: deployment(code) }]);
  expect(report).toMatchObject({ exitCode: 2, summary: { missing: 2 }, coverage: { managed: 0, total: 0 } });
  expect(report.findings).toMatchObject([
    { name: chat, verdict: "missing", severity: "error", changes: [] },
    { name: code, verdict: "missing" },
  ]);
});

test("an unmanaged object is counted, and is reported as drift on request", async () => {
  const scene = createScene();
  scene.put(chat, deployment(chat));
  scene.put("accounts/acme/deployments/by-hand", deployment("accounts/acme/deployments/by-hand"));
  expect(await scene.scan([recordedChat])).toMatchObject({
    exitCode: 0,
    summary: { unmanaged: 1 },
    coverage: { managed: 1, total: 2 },
    findings: [],
  });
  expect(await scene.scan([recordedChat], { unmanaged: true })).toMatchObject({
    exitCode: 2,
    drifted: true,
    findings: [
      { verdict: "unmanaged", name: "accounts/acme/deployments/by-hand", urn: null, stacks: [], severity: "warning" },
    ],
  });
});

test("an unmanaged object is reported with its owner, and no comparison sees its marks", async () => {
  const scene = createScene();
  const other = "accounts/acme/deployments/other";
  const [stack, urn] = ["organization/web/prod", "pulumi-nodejs:dynamic/modelplatform:Deployment::other"];
  const annotations = { "custom/pulumi-stack": stack, "custom/pulumi-urn": urn };
  scene.put(chat, deployment(chat, { annotations: { ...annotations, "custom/team": "search" } }));
  scene.put(other, deployment(other, { annotations }));
  const labelled = {
    ...recordedChat,
    inputs: { ...chatInputs, annotations: { "custom/team": "search" } },
    live: deployment(chat, { annotations: { "custom/team": "search" } }),
  };
  const report = await scene.scan([labelled], { unmanaged: true, all: true });
  expect(byName(report)).toMatchObject({
    [chat]: { verdict: "in-sync", changes: [] },
    [other]: {
      verdict: "unmanaged",
      claimedBy: { stack, urn },
      reason: expect.stringContaining(`${urn} of the stack ${stack}`),
    },
  });
  expect(byName(report)[chat]).not.toHaveProperty("claimedBy");
});

test("without accounts asked for, those of the stacks are read, each with its own key", async () => {
  const scene = createScene({ accounts: ["acme", "beta", "gamma"] });
  const other = "accounts/beta/deployments/chat";
  scene.put(chat, deployment(chat));
  scene.put(other, deployment(other));
  const report = await scene.scan([recordedChat, { ...recordedChat, live: deployment(other) }]);
  expect(report.accounts.map(({ account, status }) => [account, status])).toEqual([
    ["acme", "read"],
    ["beta", "read"],
  ]);
  const lists = scene.requests.filter(({ path }) => !path.startsWith("/v1/accounts/platform/models/"));
  expect(new Set(lists.map(({ account }) => account))).toEqual(new Set(["acme", "beta"]));
  expect(
    (await scene.scan([recordedChat, { ...recordedChat, live: deployment(other) }], { accounts: ["beta"] })).summary[
      "in-sync"
    ],
  ).toBe(1);
});

test("with all accounts, those that a key lists are read as well", async () => {
  const scene = createScene({ accounts: ["acme", "beta"] });
  scene.put(chat, deployment(chat));
  const report = await scene.scan([recordedChat], { allAccounts: true });
  expect(report.scope.accounts).toEqual(["acme", "beta"]);
});

test("where a list of accounts fails, what only it shows is missing", async () => {
  const scene = createScene({ accounts: ["acme", "beta"] });
  scene.put(chat, deployment(chat));
  await scene.fault({ match: { operation: "listAccounts" }, fault: { kind: "status", status: 500 }, times: 1000 });
  const report = await scene.scan([recordedChat], { allAccounts: true });
  expect(report).toMatchObject({
    ...{ complete: false, exitCode: 3, coverage: { total: null } },
    missing: [
      { part: "list", name: "acme" },
      { part: "list", name: "beta" },
    ],
  });
});

test("shards list with the keys of their own accounts and one other", async () => {
  const accounts = Array.from({ length: 12 }, (_, index) => `acme-${index}`);
  let lists = 0;
  for (const index of [1, 2, 3]) {
    const scene = createScene({ accounts });
    const report = await scene.scan([], { allAccounts: true, shard: { index, count: 3 } });
    expect(report.scope.accounts).toEqual([...accounts].sort());
    lists += scene.requests.filter(({ path }) => path.startsWith("/v1/accounts?")).length;
  }
  expect(lists).toBe(accounts.length + 3);
});

test("an object recorded in two stacks is reported, with both", async () => {
  const scene = createScene();
  scene.put(chat, deployment(chat));
  const report = await scene.scan([recordedStack([recordedChat]), recordedStack([recordedChat], { project: "base" })]);
  expect(report.findings).toMatchObject([
    {
      name: chat,
      ruleId: "drift/recorded-twice",
      verdict: "in-sync",
      severity: "warning",
      stacks: ["shop/prod", "base/prod"],
      reason: expect.stringMatching(
        /\(shop\/prod as urn:pulumi:prod::shop::\S+, base\/prod as urn:pulumi:prod::base::\S+\)/,
      ),
    },
  ]);
  expect(report.summary["in-sync"]).toBe(1);
  expect(report).toMatchObject({ drifted: true, exitCode: 2 });
});

test("an object recorded in two stacks counts as a change, and fits a baseline", async () => {
  const scene = createScene();
  scene.put(chat, deployment(chat));
  const stacks = [recordedStack([recordedChat]), recordedStack([recordedChat], { project: "base" })];
  expect(await scene.scan(stacks, { failOn: ["missing"] })).toMatchObject({ drifted: false, exitCode: 0 });
  const terms = { owner: "ada", reason: "a move", expires: "2026-12-31", allowError: false };
  const { entries } = baselineOf(await scene.scan(stacks), terms);
  expect(entries).toMatchObject([{ name: chat, owner: "ada" }]);
});

test("a stack that is read twice records nothing twice", async () => {
  const scene = createScene();
  scene.put(chat, deployment(chat));
  expect(
    (await scene.scan([recordedStack([recordedChat]), { ...recordedStack([recordedChat]), stack: "acme/shop/prod" }]))
      .findings,
  ).toEqual([]);
});

test("an object that was recorded at another service is not held missing", async () => {
  const scene = createScene();
  const report = await scene.scan([{ ...recordedChat, outputs: { endpoint: "https://other.example.com" } }]);
  expect(report).toMatchObject({ exitCode: 3, complete: false });
  expect(byName(report)[chat]).toMatchObject({
    verdict: "error",
    reason: expect.stringContaining("was recorded at https://other.example.com"),
  });
});

test("an account without a key costs only its own rows", async () => {
  const scene = createScene();
  scene.put(chat, deployment(chat));
  const report = await scene.scan([
    recordedChat,
    { ...recordedChat, live: deployment("accounts/nobody/deployments/chat") },
  ]);
  expect(report).toMatchObject({ exitCode: 3, summary: { "in-sync": 1, error: 1 } });
  expect(report.findings).toMatchObject([
    { account: "nobody", verdict: "error", reason: expect.stringContaining("no API key for account `nobody`") },
  ]);
});

test("where nothing can be read for want of a key, that is an error and no report", async () => {
  await expect(
    createScene().scan([{ ...recordedChat, live: deployment("accounts/nobody/deployments/chat") }]),
  ).rejects.toThrow(/no API key for account `nobody`/);
});

test("an account that does not answer in time costs its own rows alone", async () => {
  const time = virtualClock();
  const other = "accounts/beta/deployments/chat";
  const scene = createScene({
    accounts: ["acme", "beta"],
    time,
    travel: ({ account }) => (account === "beta" ? new Promise(() => {}) : Promise.resolve()),
  });
  scene.put(chat, deployment(chat));
  let cleared = 0;
  const journal: Journal = {
    find: async () => undefined,
    write: async () => {},
    clear: async () => void (cleared += 1),
  };
  const report = await scene.scan([recordedChat, { ...recordedChat, live: deployment(other) }], {
    timeout: 60_000,
    journal,
  });
  expect(report).toMatchObject({
    exitCode: 3,
    summary: { "in-sync": 1, error: 1 },
    accounts: [
      { account: "acme", status: "read" },
      { account: "beta", status: "error" },
    ],
  });
  expect(Date.parse(report.finishedAt) - Date.parse(report.startedAt)).toBeLessThan(61_000);
  expect(cleared).toBe(0);
});

test("a key that turned up in a live field is not shown", async () => {
  const scene = createScene();
  scene.put(chat, deployment(chat, { description: "use acme-key to call" }));
  const report = await scene.scan([{ ...recordedChat, inputs: { ...chatInputs, description: "chat" } }]);
  expect(byName(report)[chat]!.changes).toMatchObject([{ path: "description", live: "use [redacted] to call" }]);
});

test("progress is reported by account, up to its last collection", async () => {
  const scene = createScene();
  scene.put(chat, deployment(chat));
  const told: Progress[] = [];
  await scene.scan([recordedChat], { onProgress: (progress) => void told.push(progress) });
  const of = managedSpecs.length;
  expect(told[0]).toEqual({ account: "acme", done: 0, of, objects: 0 });
  expect(told.at(-1)).toEqual({ account: "acme", done: of, of, objects: 1 });
});

test("an account that was named and refuses the key is not read, nor asked again", async () => {
  const scene = createScene({ accounts: ["acme", "other"], wrongKeys: ["other"] });
  scene.put(chat, deployment(chat));
  const told: Progress[] = [];
  const onProgress = (progress: Progress): void => void told.push(progress);
  const report = await scene.scan([recordedChat], { accounts: ["acme", "other"], onProgress });
  expect(report).toMatchObject({
    complete: false,
    drifted: false,
    exitCode: 3,
    accounts: [
      { account: "acme", status: "read" },
      { account: "other", status: "forbidden", requests: 1 },
    ],
  });
  expect(scene.requests.filter(({ account }) => account === "other")).toHaveLength(1);
  expect(told.filter(({ account }) => account === "other").at(-1)).toMatchObject({
    done: managedSpecs.length,
    problem: "refused the key (401)",
  });
});

test("progress of an account whose key no command prints says so", async () => {
  const env = {
    MODELPLATFORM_ACCOUNTS: JSON.stringify({
      acme: { apiKey: keyOf("acme") },
      other: { keyCommand: ["no-such-program", "other"] },
    }),
  };
  const scene = createScene({ accounts: ["acme", "other"], env });
  const told: Progress[] = [];
  const onProgress = (progress: Progress): void => void told.push(progress);
  await scene.scan([recordedChat], { accounts: ["acme", "other"], onProgress });
  expect(told.filter(({ account }) => account === "other").at(-1)).toMatchObject({
    done: managedSpecs.length,
    problem: expect.stringMatching(/^the key command `no-such-program` of account `other` failed/),
  });
});

test("an account that refuses whatever is asked first is asked no more", async () => {
  const scene = createScene({ accounts: ["acme", "other"] });
  await scene.fault({ match: { account: "other" }, fault: { kind: "status", status: 403 }, times: 1000 });
  scene.put(chat, deployment(chat));
  expect(await scene.scan([recordedChat], { accounts: ["acme", "other"] })).toMatchObject({ exitCode: 3 });
  expect(scene.requests.filter(({ account }) => account === "other")).toHaveLength(1);
});

test("a service that cannot be reached is one reason for whatever it has", async () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const scene = createScene({ travel: () => Promise.reject(refused) });
  const ada: RecordedResource = {
    kind: "User",
    inputs: { email: "ada@example.com" },
    live: { name: "accounts/acme/users/ada" },
  };
  const { findings, groups, accounts } = await scene.scan([recordedChat, ada]);
  const reasons = [...findings.map(({ reason }) => reason), ...accounts[0]!.collections.map(({ problem }) => problem)];
  expect(findings).toHaveLength(2);
  expect([...new Set(reasons)]).toEqual([expect.stringMatching(/^got no connection to .* \(ECONNREFUSED\)/)]);
  expect(groups).toMatchObject([{ verdict: "error", accounts: ["acme"], reason: reasons[0] }]);
});

test("an account that was not asked for by name may refuse its key", async () => {
  const scene = createScene({ accounts: ["acme", "other"], wrongKeys: ["other"] });
  scene.put(chat, deployment(chat));
  expect(await scene.scan([recordedChat], { allAccounts: true })).toMatchObject({
    exitCode: 0,
    accounts: [{ account: "acme" }, { account: "other", status: "forbidden" }],
  });
});

describe("a creation time other than the recorded one", () => {
  const moved = (seconds: number) =>
    deployment(chat, { createTime: new Date(Date.parse(time) + seconds * 1000).toISOString() });

  test("is another object where a second look agrees", async () => {
    const scene = createScene();
    scene.put(chat, moved(60));
    const report = await scene.scan([recordedChat]);
    expect(report).toMatchObject({ exitCode: 2, summary: { changed: 1 } });
    expect(JSON.stringify(report.findings)).toContain("another object of the same name");
  });

  test("identifies nothing where it moves with each look", async () => {
    let looks = 0;
    const scene = createScene({ travel: async () => void scene.put(chat, moved(++looks)) });
    expect(await scene.scan([recordedChat])).toMatchObject({ exitCode: 0, summary: { "in-sync": 1, changed: 0 } });
  });

  test("hides no other change where it moves", async () => {
    let looks = 0;
    const scene = createScene({
      travel: async () => void scene.put(chat, { ...moved(++looks), maxReplicaCount: 5 }),
    });
    const report = await scene.scan([recordedChat]);
    expect(report).toMatchObject({ exitCode: 2, summary: { changed: 1 } });
    expect(JSON.stringify(report.findings)).not.toContain("another object of the same name");
  });
});

import type { DriftReport } from "../../drift/scan/document";
import type { Values } from "../values";
import { byName, createScene, type DriftScene } from "./support/scene";
import { type RecordedResource, recordedStack, secretText } from "./support/stacks";

const time = "2026-01-01T00:00:00Z";
const base = "accounts/platform/models/open-8b";
const deployment = (name: string, fields: Values = {}): Values => ({
  name,
  baseModel: base,
  maxReplicaCount: 2,
  state: "READY",
  createTime: time,
  updateTime: time,
  ...fields,
});
const declared = { baseModel: base, maxReplicaCount: 2 };
const of = (name: string): RecordedResource => ({ kind: "Deployment", inputs: declared, live: deployment(name) });

const names = {
  changed: "accounts/acme/deployments/changed",
  failed: "accounts/acme/deployments/failed",
  missing: "accounts/acme/deployments/missing",
  moving: "accounts/acme/deployments/moving",
  unmanaged: "accounts/acme/deployments/by-hand",
  secret: "accounts/acme/secrets/storage-key",
  retired: "accounts/acme/supervisedFineTuningJobs/tickets",
  running: "accounts/acme/supervisedFineTuningJobs/running",
  policy: "accounts/acme/policySettings",
  output: "accounts/acme/models/tickets",
  calm: "accounts/acme/users/ada",
  refused: "accounts/globex/deployments/chat",
  broken: "accounts/initech/deployments/chat",
} as const;

const job = { dataset: "accounts/acme/datasets/tickets", baseModel: base };
const output = {
  kind: "HUB_PEFT_ADDON",
  state: "READY",
  fineTuningJob: "accounts/acme/supervisedFineTuningJobs/tickets",
};
const policy = { residency: "EUROPE", zeroDataRetention: { defaultEnforced: true } };
const user = { email: "ada@example.com", role: "user" };

const stack = recordedStack([
  of(names.changed),
  of(names.failed),
  of(names.missing),
  of(names.moving),
  {
    kind: "Secret",
    inputs: { keyName: "STORAGE_KEY", value: secretText("v1:abc") },
    live: { name: names.secret, keyName: "STORAGE_KEY" },
  },
  { kind: "SupervisedFineTuningJob", inputs: job, live: { name: names.retired, ...job, state: "JOB_STATE_COMPLETED" } },
  {
    kind: "SupervisedFineTuningJob",
    inputs: { ...job, waitFor: "submitted" },
    live: { name: names.running, ...job, state: "JOB_STATE_PENDING" },
  },
  { kind: "PolicySettings", inputs: policy, live: { name: names.policy, ...policy, updateTime: time } },
  { kind: "User", inputs: user, live: { name: names.calm, ...user, state: "READY" } },
  of(names.refused),
  of(names.broken),
]);

async function troubledWorld(): Promise<DriftScene> {
  const scene = createScene({ accounts: ["acme", "globex", "initech"], wrongKeys: ["globex"] });
  scene.put(names.changed, deployment(names.changed, { maxReplicaCount: 8 }));
  scene.put(
    names.failed,
    deployment(names.failed, {
      state: "FAILED",
      status: { code: "RESOURCE_EXHAUSTED", message: "no accelerators are left" },
    }),
  );
  scene.put(names.moving, deployment(names.moving, { state: "UPDATING" }));
  scene.put(names.unmanaged, deployment(names.unmanaged));
  scene.put(names.secret, { keyName: "STORAGE_KEY" });
  scene.put(names.output, output);
  scene.put(names.running, { ...job, state: "JOB_STATE_RUNNING" });
  scene.put(names.policy, { ...policy, residency: "GLOBAL", updateTime: time });
  scene.put(names.calm, { ...user, state: "READY" });
  scene.put(names.refused, deployment(names.refused));
  scene.put(names.broken, deployment(names.broken));
  await scene.fault({
    match: { account: "initech", operation: "listDeployments" },
    fault: { kind: "status", status: 500 },
    times: 1000,
  });
  return scene;
}

const verdictsOf = (report: DriftReport): Record<string, string> =>
  Object.fromEntries(report.findings.map(({ name, verdict }) => [name, verdict]));

test("every verdict names its object; an unreadable account costs its own rows only", async () => {
  const report = await (await troubledWorld()).scan([stack], { unmanaged: true, all: true });
  expect(verdictsOf(report)).toEqual({
    [names.changed]: "changed",
    [names.failed]: "changed",
    [names.missing]: "missing",
    [names.moving]: "in-flight",
    [names.unmanaged]: "unmanaged",
    [names.secret]: "unverifiable",
    [names.retired]: "retired",
    [names.running]: "in-flight",
    [names.policy]: "changed",
    [names.calm]: "in-sync",
    [names.refused]: "forbidden",
    [names.broken]: "error",
  });
  expect(report).toMatchObject({
    complete: false,
    drifted: true,
    exitCode: 3,
    summary: {
      error: 1,
      forbidden: 1,
      missing: 1,
      retired: 1,
      changed: 3,
      "in-flight": 2,
      unverifiable: 1,
      "in-sync": 1,
      unmanaged: 1,
    },
    coverage: { managed: 7, total: null },
    accounts: [
      { account: "acme", status: "read" },
      { account: "globex", status: "forbidden" },
      { account: "initech", status: "partial" },
    ],
  });
});

test("a finding says why its object differs", async () => {
  const found = byName(await (await troubledWorld()).scan([stack], { unmanaged: true }));
  expect(found[names.failed]).toMatchObject({
    severity: "error",
    reason: "has failed: RESOURCE_EXHAUSTED, no accelerators are left",
    changes: [{ path: "state", recorded: "READY", live: "FAILED", severity: "error", managed: false }],
  });
  expect(found[names.policy]).toMatchObject({
    ruleId: "drift/loosened",
    severity: "error",
    changes: [{ path: "residency", recorded: "EUROPE", live: "GLOBAL", severity: "error", managed: true }],
  });
  expect(found[names.secret]).toMatchObject({ unverified: ["value"], severity: "note", changes: [] });
  expect(found[names.refused]!.reason).toMatch(/listDeployments .* answered 401/);
  expect(found[names.broken]!.reason).toMatch(/listDeployments .* answered 500/);
  expect(found[names.moving]!.reason).toBe("is UPDATING");
});

test("without the accounts that cannot be read the scan is whole, and ends with drift", async () => {
  const report = await (await troubledWorld()).scan([stack], { accounts: ["acme"] });
  expect(report).toMatchObject({ complete: true, drifted: true, exitCode: 2, scope: { accounts: ["acme"] } });
  expect(report.findings.every(({ account }) => account === "acme")).toBe(true);
});

test("a healed world is in sync: invisible and finished objects are not drift", async () => {
  const scene = createScene({ accounts: ["acme", "globex", "initech"] });
  for (const name of [names.changed, names.failed, names.missing, names.moving, names.refused, names.broken])
    scene.put(name, deployment(name));
  scene.put(names.secret, { keyName: "STORAGE_KEY" });
  scene.put(names.output, output);
  scene.put(names.running, { ...job, state: "JOB_STATE_COMPLETED" });
  scene.put(names.policy, { ...policy, updateTime: time });
  scene.put(names.calm, { ...user, state: "READY" });
  const report = await scene.scan([stack], { unmanaged: true });
  expect(report).toMatchObject({ complete: true, drifted: false, exitCode: 0, coverage: { managed: 10, total: 10 } });
  expect(verdictsOf(report)).toEqual({ [names.secret]: "unverifiable", [names.retired]: "retired" });
});

test("an unreadable collection matters if it holds something or all is asked for", async () => {
  const scene = createScene();
  scene.put(names.changed, deployment(names.changed));
  await scene.fault({ match: { operation: "listUsers" }, fault: { kind: "status", status: 403 }, times: 1000 });
  expect(await scene.scan([of(names.changed)])).toMatchObject({
    complete: true,
    exitCode: 0,
    coverage: { managed: 1, total: null },
  });
  expect(await scene.scan([of(names.changed)], { unmanaged: true })).toMatchObject({ complete: false, exitCode: 3 });
});

test("what is recorded nowhere because a managed object brings it is not unmanaged", async () => {
  const scene = createScene();
  scene.put(names.changed, deployment(names.changed));
  const put = (name: string, fields: Values): void => void scene.put(`accounts/acme/${name}`, fields);
  put("deployedModels/auto", { model: base, deployment: names.changed, state: "DEPLOYED" });
  put("deployedModels/by-hand", { model: "accounts/acme/models/other", deployment: names.changed, state: "DEPLOYED" });
  put("models/tickets", { kind: "HUB_PEFT_ADDON", state: "READY", fineTuningJob: names.retired });
  put("models/other", { kind: "HUB_PEFT_ADDON", state: "READY" });
  put("supervisedFineTuningJobs/over", { ...job, state: "JOB_STATE_COMPLETED" });
  put("supervisedFineTuningJobs/lost", { ...job, state: "JOB_STATE_FAILED" });
  put("supervisedFineTuningJobs/going", { ...job, state: "JOB_STATE_RUNNING" });
  const recorded: RecordedResource[] = [
    of(names.changed),
    {
      kind: "SupervisedFineTuningJob",
      inputs: job,
      live: { name: names.retired, ...job, state: "JOB_STATE_COMPLETED" },
    },
  ];
  const { findings } = await scene.scan(recorded, { unmanaged: true });
  expect(findings.filter(({ verdict }) => verdict === "unmanaged").map(({ name }) => name)).toEqual([
    "accounts/acme/deployedModels/by-hand",
    "accounts/acme/models/other",
    "accounts/acme/supervisedFineTuningJobs/going",
  ]);
});

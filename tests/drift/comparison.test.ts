import { compare, judge } from "../../drift/scan/verdict";
import type { Values } from "../values";
import { type RecordedResource, recordedStack, secretText } from "./support/stacks";

const chat = "accounts/acme/deployments/chat";
const shape = "accounts/platform/deploymentShapes/open-8b-fast";
const base = { baseModel: "accounts/platform/models/open-8b" };
const live = { name: chat, ...base, state: "READY" };

const recorded = (
  kind: string,
  inputs: Values,
  answered: Values,
  state: Values = {},
): ReturnType<typeof recordedStack>["objects"][number] =>
  recordedStack([{ kind, inputs, live: answered, state } satisfies RecordedResource]).objects[0]!;
const deployment = (inputs: Values, answered: Values = {}, state: Values = {}) =>
  recorded("Deployment", { ...base, ...inputs }, { ...live, ...inputs, ...answered }, state);
const policyName = "accounts/acme/policySettings";
const policy = (inputs: Values, answered: Values = inputs) =>
  recorded("PolicySettings", inputs, { name: policyName, ...answered, updateTime: "2026-01-01T00:00:00Z" });
const row = (allowTraining: boolean): Values => ({
  allowServerless: true,
  allowDedicatedDeployments: true,
  allowTraining,
  allowServerlessFast: false,
});

test.each<[string, ReturnType<typeof deployment>, Values]>([
  [
    "a duration in other words",
    deployment({ autoscalingPolicy: { scaleDownWindow: "10m" } }),
    { ...live, autoscalingPolicy: { scaleDownWindow: "600s", scaleUpWindow: "30s" } },
  ],
  [
    "fields that nobody set",
    deployment({}),
    { ...live, acceleratorCount: 2, precision: "FP8", region: "US_IOWA_1", replicaCount: 3, desiredReplicaCount: 5 },
  ],
  [
    "the version that a shape stood for",
    deployment({ deploymentShape: shape }, { deploymentShape: `${shape}/versions/v1` }),
    { ...live, deploymentShape: `${shape}/versions/v1` },
  ],
  [
    "rules in another order",
    policy({
      rules: [
        { model: "a", permissions: row(true) },
        { model: "b", permissions: row(false) },
      ],
    }),
    {
      name: policyName,
      rules: [
        { model: "b", permissions: row(false) },
        { model: "a", permissions: row(true) },
      ],
    },
  ],
  ["a zero that is left out", deployment({ minReplicaCount: 0 }), live],
  [
    "labels of the platform",
    deployment({ annotations: { "custom/team": "search" } }),
    { ...live, annotations: { "custom/team": "search", billing: "x" } },
  ],
])("%s is no change", (_, object, now) => {
  expect(compare(object, now)).toEqual({ changes: [], unverified: [] });
});

test.each<[string, ReturnType<typeof deployment>, Values, Values]>([
  [
    "a label that is gone",
    deployment({ annotations: { "custom/team": "search" } }),
    live,
    { path: 'annotations["custom/team"]', kind: "removed", recorded: "search", severity: "note", managed: true },
  ],
  [
    "a label that someone added",
    deployment({ annotations: { "custom/a": "1" } }),
    { ...live, annotations: { "custom/a": "1", "custom/b": "2" } },
    { path: 'annotations["custom/b"]', kind: "added", live: "2", severity: "note", managed: true },
  ],
  [
    "a bound",
    deployment({ maxReplicaCount: 2 }),
    { ...live, maxReplicaCount: 0 },
    { path: "maxReplicaCount", kind: "changed", recorded: 2, live: 0, severity: "warning", managed: true },
  ],
  [
    "a route that was opened by hand",
    deployment({}),
    { ...live, directRouteType: "INTERNET" },
    { path: "directRouteType", kind: "added", live: "INTERNET", severity: "error", managed: false },
  ],
  [
    "another version of a shape that nobody set",
    deployment({}, { deploymentShape: `${shape}/versions/v1` }),
    { ...live, deploymentShape: `${shape}/versions/v2` },
    {
      path: "deploymentShape",
      kind: "changed",
      recorded: `${shape}/versions/v1`,
      live: `${shape}/versions/v2`,
      severity: "warning",
      managed: false,
    },
  ],
  [
    "another version of the shape that was asked for",
    deployment({ deploymentShape: shape }, { deploymentShape: `${shape}/versions/v1` }),
    { ...live, deploymentShape: `${shape}/versions/v2` },
    {
      path: "deploymentShape",
      kind: "changed",
      recorded: shape,
      live: `${shape}/versions/v2`,
      severity: "warning",
      managed: true,
    },
  ],
  [
    "a rule, by its model",
    policy({ rules: [{ model: "accounts/acme/models/a", permissions: row(false) }] }),
    { name: policyName, rules: [{ model: "accounts/acme/models/a", permissions: row(true) }] },
    {
      path: 'rules["accounts/acme/models/a"].permissions.allowTraining',
      kind: "changed",
      recorded: false,
      live: true,
      severity: "error",
      managed: true,
    },
  ],
  [
    "a part of a policy that the program leaves alone",
    policy({ residency: "EUROPE" }),
    { name: policyName, residency: "EUROPE", cmekRequired: true },
    { path: "cmekRequired", kind: "added", live: true, severity: "error", managed: false },
  ],
])("%s is a change", (_, object, now, change) => {
  expect(compare(object, now).changes).toEqual([change]);
});

test("ciphertext is never compared, and what is below it neither", () => {
  const object = deployment({
    directRouteApiKeys: secretText("v1:keys"),
    displayName: secretText("v1:name"),
    annotations: { "custom/a": secretText("v1:a"), "custom/b": "2" },
  });
  expect(
    compare(object, {
      ...live,
      directRouteApiKeys: ["plain"],
      displayName: "Chat",
      annotations: { "custom/a": "1", "custom/b": "3" },
    }),
  ).toEqual({
    changes: [
      { path: 'annotations["custom/b"]', kind: "changed", recorded: "2", live: "3", severity: "note", managed: true },
    ],
    unverified: ["displayName", 'annotations["custom/a"]', "directRouteApiKeys"],
  });
});

test("what only the service says of a secret field is not shown", () => {
  const object = deployment({ directRouteApiKeys: ["old-key"] });
  expect(compare(object, { ...live, directRouteApiKeys: ["new-key"] }).changes).toMatchObject([
    { path: "directRouteApiKeys", recorded: { redacted: true }, live: { redacted: true } },
  ]);
});

test("a secret is unverifiable however the program gave it", () => {
  const name = "accounts/acme/secrets/key";
  const given = [{ value: secretText("v1:x") }, { valueFrom: { env: "KEY" } }];
  for (const way of given)
    expect(
      judge(recorded("Secret", { keyName: "KEY", ...way }, { name, keyName: "KEY" }), { name, keyName: "KEY" }),
    ).toMatchObject({ verdict: "unverifiable", unverified: ["value"], changes: [] });
});

test("a field that nobody can see is reported whatever the verdict", () => {
  const name = "accounts/acme/secrets/key";
  expect(
    judge(recorded("Secret", { keyName: "KEY", value: secretText("v1:x") }, { name, keyName: "KEY" }), {
      name,
      keyName: "OTHER",
    }),
  ).toMatchObject({ verdict: "changed", unverified: ["value"], changes: [{ path: "keyName" }] });
});

test("of a moving object, what the service moves is left alone and the rest compared", () => {
  const object = deployment(
    { maxReplicaCount: 2, deploymentShape: "default", activeModelVersion: "v1" },
    { deploymentShape: `${shape}/versions/v1` },
  );
  const moving = { ...live, state: "UPDATING", maxReplicaCount: 2, activeModelVersion: "v2" };
  expect(judge(object, moving)).toMatchObject({ verdict: "in-flight", changes: [] });
  expect(judge(object, { ...moving, maxReplicaCount: 9 })).toMatchObject({
    verdict: "changed",
    changes: [{ path: "maxReplicaCount" }],
  });
  expect(judge(object, { ...moving, state: "READY", deploymentShape: `${shape}/versions/v1` })).toMatchObject({
    verdict: "changed",
    changes: [{ path: "activeModelVersion" }],
  });
});

const job = { dataset: "accounts/acme/datasets/d", baseModel: base.baseModel };
const jobName = "accounts/acme/supervisedFineTuningJobs/j";
const jobIn = (state: string, inputs: Values = {}) =>
  recorded("SupervisedFineTuningJob", { ...job, ...inputs }, { name: jobName, ...job, state });

test.each<[string, string, string | undefined, string]>([
  ["a job that succeeded and is gone", "JOB_STATE_COMPLETED", undefined, "retired"],
  ["a job that succeeded and is archived", "JOB_STATE_EARLY_STOPPED", "JOB_STATE_ARCHIVED", "retired"],
  ["a job that had not succeeded and is gone", "JOB_STATE_RUNNING", undefined, "missing"],
  ["a job at work", "JOB_STATE_PENDING", "JOB_STATE_RUNNING", "in-flight"],
  ["a job that is paused", "JOB_STATE_RUNNING", "JOB_STATE_PAUSED", "in-flight"],
  ["a job that failed", "JOB_STATE_RUNNING", "JOB_STATE_FAILED", "changed"],
  ["a job in an unknown state", "JOB_STATE_RUNNING", "JOB_STATE_DREAMING", "in-flight"],
  ["a job that is over", "JOB_STATE_RUNNING", "JOB_STATE_COMPLETED", "in-sync"],
])("%s", (_, before, now, verdict) => {
  expect(judge(jobIn(before), now === undefined ? undefined : { name: jobName, ...job, state: now })?.verdict).toBe(
    verdict,
  );
});

test("a deployed model without a state of failure fails by its status", () => {
  const name = "accounts/acme/deployedModels/m";
  const inputs = { model: "accounts/acme/models/a", deployment: chat };
  const object = recorded("DeployedModel", inputs, { name, ...inputs, state: "DEPLOYED" });
  expect(
    judge(object, { name, ...inputs, state: "DEPLOYING", status: { code: "INTERNAL", message: "no memory" } }),
  ).toMatchObject({ verdict: "changed", severity: "error", reason: "has failed: INTERNAL, no memory" });
});

describe("an answer that stands for something else that was sent (A033)", () => {
  const answers = { baseModel: `${base.baseModel}@v1`, maxReplicaCount: 4, displayName: "Ch" };
  const recorded = (): ReturnType<typeof deployment> => {
    const object = deployment({ maxReplicaCount: 9, displayName: "Chat" }, answers);
    const { resolutions = {} } = object.outputs;
    const stand = Object.entries(resolutions).map(([name, pair]) => [name, { ...pair, stands: true as const }]);
    return { ...object, outputs: { ...object.outputs, resolutions: Object.fromEntries(stand) } };
  };

  test("is unverified, but for a name with its version", () => {
    expect(judge(recorded(), { ...live, ...answers })).toMatchObject({
      verdict: "unverifiable",
      reason:
        "the service keeps another value of `displayName`, `maxReplicaCount` than the one that was sent, as it did then",
      unverified: ["displayName", "maxReplicaCount"],
    });
  });

  test("is a change once the service answers something else", () => {
    expect(judge(recorded(), { ...live, ...answers, maxReplicaCount: 5 })).toMatchObject({
      verdict: "changed",
      changes: [{ path: "maxReplicaCount", recorded: 9, live: 5 }],
      unverified: ["displayName"],
    });
  });

  test("is in sync once the service answers what was sent", () => {
    const set = { ...live, maxReplicaCount: 9, displayName: "Chat" };
    expect(judge(recorded(), set)).toMatchObject({ verdict: "in-sync", unverified: [] });
  });
});

test("a policy that was taken away is missing", () => {
  expect(judge(policy({ residency: "EUROPE" }), { name: policyName })).toMatchObject({
    verdict: "missing",
    severity: "error",
  });
});

test("what a policy opens up is said in words; what it closes is a change like others", () => {
  const strict = policy({ residency: "EUROPE", defaultPermissions: row(false) });
  expect(
    judge(strict, { name: policyName, residency: "EUROPE", defaultPermissions: row(true), updateTime: "x" }),
  ).toMatchObject({
    rule: "loosened",
    reason: "opens up what the record does not: `defaultPermissions.allowTraining` was denied and is allowed",
  });
  const open = policy({ defaultPermissions: row(true) });
  const closed = judge(open, { name: policyName, defaultPermissions: row(false), updateTime: "x" });
  expect([closed?.verdict, closed?.rule]).toEqual(["changed", undefined]);
});

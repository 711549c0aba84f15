import { desiredFields } from "../../provider/core/comparison/desired";
import { changesBetween } from "../../provider/core/comparison/diff";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { createMessage, encode, separateRequestFor, type Update, updateOf } from "../../provider/core/wire/messages";
import { specs } from "../../provider/resources/index";
import type { Values } from "../values";

const { Deployment, DeployedModel, Model, PolicySettings, Secret, SupervisedFineTuningJob, User } =
  specs as unknown as Readonly<Record<string, ResourceSpec>>;

const fieldOf = (spec: ResourceSpec | undefined, name: string): Field =>
  spec!.fields.message.find((field) => field.name === name)!;

test.each([
  ["5m", "300s"],
  ["1h", "3600s"],
  ["300s", "300s"],
  ["250ms", "0.25s"],
  ["1ms", "0.001s"],
  ["0s", "0s"],
  ["1.1m", "66s"],
  ["0.0001ms", "0.0000001s"],
  ["7 days", "7 days"],
])("the duration %s is written as %s (A045)", (text, written) => {
  expect(encode(fieldOf(Deployment, "autoscalingPolicy"), { scaleUpWindow: text })).toEqual({ scaleUpWindow: written });
});

test("members not declared are written as they are, absent ones not at all", () => {
  expect(
    encode(fieldOf(Deployment, "autoscalingPolicy"), {
      addedLater: { b: "5m" },
      scaleUpWindow: undefined,
      loadTargets: { default: 0.8 },
      scaleDownWindow: null,
    }),
  ).toEqual({ addedLater: { b: "5m" }, loadTargets: { default: 0.8 }, scaleDownWindow: null });
});

test("what only the service sets is not sent (A018)", () => {
  expect(encode(fieldOf(SupervisedFineTuningJob, "trackingConfig"), { project: "p", url: "https://t" })).toEqual({
    project: "p",
  });
});

test("a create sends what the program sets and nothing else", () => {
  const inputs = {
    accountId: "acme",
    deploymentId: "chat",
    baseModel: "m",
    displayName: null,
    minReplicaCount: 0,
    enableAddons: false,
    draftModel: "",
    autoscalingPolicy: { scaleUpWindow: "5m" },
    expireTime: "2030-01-31T00:00:00Z",
    skipShapeValidation: true,
    waitFor: "ready",
    timeouts: { create: "1h" },
    __modelplatform: {},
  };
  expect(createMessage(Deployment!, inputs)).toEqual({
    baseModel: "m",
    minReplicaCount: 0,
    enableAddons: false,
    draftModel: "",
    autoscalingPolicy: { scaleUpWindow: "300s" },
    expireTime: "2030-01-31T00:00:00Z",
  });
});

/** The update that a program asks for, from what is live and what was recorded. */
function update(
  spec: ResourceSpec | undefined,
  live: Values,
  inputs: Values,
  managedFields: string[] = Object.keys(inputs),
): Update {
  const changes = changesBetween(spec!, { ...live, managedFields }, inputs);
  return updateOf(spec!, live, desiredFields(spec!, inputs, managedFields), changes);
}

const shape = "accounts/platform/deploymentShapes/s1";
const live = {
  name: "accounts/acme/deployments/chat",
  baseModel: "m",
  state: "READY",
  replicaCount: 2,
  region: "US_OHIO_1",
  createTime: "2030-01-31T00:00:00Z",
  minReplicaCount: 1,
  maxReplicaCount: 2,
};

const updates: [
  clause: string,
  spec: ResourceSpec | undefined,
  live: Values,
  inputs: Values,
  managed: string[] | undefined,
  expected: Update,
][] = [
  [
    "the mask is what changed, the body what is required and managed (A031)",
    Deployment,
    live,
    { baseModel: "m", minReplicaCount: 1, maxReplicaCount: 4 },
    undefined,
    { mask: ["max_replica_count"], body: { baseModel: "m", minReplicaCount: 1, maxReplicaCount: 4 } },
  ],
  [
    "zeros are sent (A031)",
    Deployment,
    live,
    { baseModel: "m", minReplicaCount: 0, maxReplicaCount: 2 },
    undefined,
    { mask: ["min_replica_count"], body: { baseModel: "m", minReplicaCount: 0, maxReplicaCount: 2 } },
  ],
  [
    "what the program does not manage goes back as it was read (A031)",
    Deployment,
    { ...live, displayName: "set by hand" },
    { baseModel: "m", maxReplicaCount: 4 },
    undefined,
    {
      mask: ["max_replica_count"],
      body: { baseModel: "m", displayName: "set by hand", minReplicaCount: 1, maxReplicaCount: 4 },
    },
  ],
  [
    "clearing is a path and null (A032)",
    Deployment,
    { ...live, displayName: "Chat" },
    { baseModel: "m" },
    ["baseModel", "displayName"],
    { mask: ["display_name"], body: { baseModel: "m", displayName: null, minReplicaCount: 1, maxReplicaCount: 2 } },
  ],
  [
    "resetting is a path and the documented default (A035)",
    Deployment,
    live,
    { baseModel: "m" },
    ["baseModel", "maxReplicaCount"],
    { mask: ["max_replica_count"], body: { baseModel: "m", minReplicaCount: 1, maxReplicaCount: 1 } },
  ],
  [
    "an unset member that an answer spells out as an empty text is not sent, whoever manages the message (A094)",
    Deployment,
    {
      ...live,
      autoscalingPolicy: { scaleUpWindow: "60s", scaleDownWindow: "", scaleToZeroWindow: null, loadTargets: {} },
      autoTune: { longPrompt: false, addedLater: "" },
    },
    { baseModel: "m", autoscalingPolicy: { scaleUpWindow: "2m" }, maxReplicaCount: 2 },
    undefined,
    {
      mask: ["autoscaling_policy"],
      body: {
        baseModel: "m",
        minReplicaCount: 1,
        maxReplicaCount: 2,
        autoscalingPolicy: { scaleUpWindow: "120s", scaleToZeroWindow: null, loadTargets: {} },
        autoTune: { longPrompt: false, addedLater: "" },
      },
    },
  ],
  [
    "an unchanged shape is sent as the version that it stands for, what it owns is not (A031, A047)",
    Deployment,
    { ...live, deploymentShape: `${shape}/versions/7`, acceleratorCount: 8, precision: "FP8", numPeftDeviceCached: 4 },
    { baseModel: "m", deploymentShape: shape, maxReplicaCount: 4 },
    undefined,
    {
      mask: ["max_replica_count"],
      body: { baseModel: "m", deploymentShape: `${shape}/versions/7`, minReplicaCount: 1, maxReplicaCount: 4 },
    },
  ],
  [
    "what a shape owns is sent where the program sets it",
    Deployment,
    { ...live, deploymentShape: `${shape}/versions/7`, acceleratorCount: 8 },
    { baseModel: "m", deploymentShape: shape, acceleratorCount: 8, maxReplicaCount: 4 },
    undefined,
    {
      mask: ["max_replica_count"],
      body: {
        baseModel: "m",
        deploymentShape: `${shape}/versions/7`,
        acceleratorCount: 8,
        minReplicaCount: 1,
        maxReplicaCount: 4,
      },
    },
  ],
  [
    "a changed shape is sent as the program spells it",
    Deployment,
    { ...live, deploymentShape: `${shape}/versions/7` },
    { baseModel: "m", deploymentShape: "s2" },
    undefined,
    {
      mask: ["deployment_shape"],
      body: { baseModel: "m", deploymentShape: "s2", minReplicaCount: 1, maxReplicaCount: 2 },
    },
  ],
  [
    "without its shape a deployment keeps the accelerators that it has",
    Deployment,
    { ...live, deploymentShape: `${shape}/versions/7`, acceleratorCount: 8 },
    { baseModel: "m", deploymentShape: null },
    undefined,
    {
      mask: ["deployment_shape"],
      body: { baseModel: "m", deploymentShape: null, acceleratorCount: 8, minReplicaCount: 1, maxReplicaCount: 2 },
    },
  ],
  [
    "what cannot change goes back as it was read, and so do keys that the program does not manage (A031)",
    Deployment,
    {
      ...live,
      placement: { region: "", multiRegion: "US" },
      preemptible: true,
      enableHotLoad: false,
      directRouteApiKeys: ["k"],
    },
    { baseModel: "m", maxReplicaCount: 4, placement: { multiRegion: "EUROPE" } },
    undefined,
    {
      mask: ["max_replica_count"],
      body: {
        baseModel: "m",
        minReplicaCount: 1,
        maxReplicaCount: 4,
        placement: { multiRegion: "US" },
        preemptible: true,
        directRouteApiKeys: ["k"],
      },
    },
  ],
  [
    "model versions are the server's to move (A004)",
    Deployment,
    { ...live, activeModelVersion: "1", targetModelVersion: "2" },
    { baseModel: "m", maxReplicaCount: 4 },
    undefined,
    { mask: ["max_replica_count"], body: { baseModel: "m", minReplicaCount: 1, maxReplicaCount: 4 } },
  ],
  [
    "a model version that the program gives is sent (A004)",
    Deployment,
    { ...live, targetModelVersion: "1" },
    { baseModel: "m", targetModelVersion: "2" },
    undefined,
    {
      mask: ["target_model_version"],
      body: { baseModel: "m", targetModelVersion: "2", minReplicaCount: 1, maxReplicaCount: 2 },
    },
  ],
  [
    "deprecated fields go back as they were read, directives are for creation (A004, A005)",
    Deployment,
    { ...live, expireTime: "2030-01-31T00:00:00Z", disableDeploymentSizeValidation: true },
    { baseModel: "m", maxReplicaCount: 4, expireTime: "2031-01-31T00:00:00Z", disableDeploymentSizeValidation: false },
    undefined,
    {
      mask: ["max_replica_count"],
      body: { baseModel: "m", minReplicaCount: 1, maxReplicaCount: 4, expireTime: "2030-01-31T00:00:00Z" },
    },
  ],
  [
    "annotations go along as they were read and wait for a request of their own (A046)",
    Deployment,
    { ...live, annotations: { "custom/a": "1" } },
    { baseModel: "m", maxReplicaCount: 4, annotations: { "custom/a": "2" } },
    undefined,
    {
      mask: ["max_replica_count"],
      body: { baseModel: "m", annotations: { "custom/a": "1" }, minReplicaCount: 1, maxReplicaCount: 4 },
    },
  ],
  [
    "a message is sent whole, with the service's own members (A034)",
    Deployment,
    { ...live, autoscalingPolicy: { scaleUpWindow: "30s", scaleDownWindow: "600s", addedLater: 1 } },
    { baseModel: "m", autoscalingPolicy: { scaleUpWindow: "5m" } },
    undefined,
    {
      mask: ["autoscaling_policy"],
      body: {
        baseModel: "m",
        autoscalingPolicy: { scaleUpWindow: "300s", scaleDownWindow: "600s", addedLater: 1 },
        minReplicaCount: 1,
        maxReplicaCount: 2,
      },
    },
  ],
  [
    "a role goes with every update of a user (A031)",
    User,
    { name: "accounts/acme/users/a", email: "a@b", role: "admin" },
    { email: "a@b", displayName: "Ada" },
    undefined,
    { mask: ["display_name"], body: { email: "a@b", role: "admin", displayName: "Ada" } },
  ],
  [
    "the name of a key and a value at hand go with every update of a secret (A031)",
    Secret,
    { name: "accounts/acme/secrets/k", keyName: "K" },
    { keyName: "L", value: "v" },
    undefined,
    { mask: ["key_name"], body: { keyName: "L", value: "v" } },
  ],
  [
    "nothing but what changed is in the mask of a deployed model",
    DeployedModel,
    { model: "m", deployment: "d", default: true, public: false },
    { model: "m", deployment: "d", public: true },
    undefined,
    { mask: ["public"], body: { model: "m", deployment: "d", default: true, public: true } },
  ],
  [
    "removed members of a whole message are said to be null (A032)",
    Model,
    { conversationConfig: { style: "jinja", system: "Be brief." } },
    { conversationConfig: { style: "jinja" } },
    undefined,
    { mask: ["conversation_config"], body: { conversationConfig: { style: "jinja", system: null } } },
  ],
  [
    "removed scopes of a policy are said to be null, and a required customer key is not sent (A032, A061)",
    PolicySettings,
    {
      zeroDataRetention: { defaultEnforced: true, training: { enforcement: "NOT_ENFORCED" } },
      cmekRequired: true,
      rules: [],
    },
    { zeroDataRetention: { defaultEnforced: true } },
    undefined,
    {
      mask: ["zero_data_retention"],
      body: { zeroDataRetention: { defaultEnforced: true, training: null }, rules: [] },
    },
  ],
  [
    "a required customer key is sent where the program sets it and it differs (A061)",
    PolicySettings,
    { cmekRequired: true },
    { cmekRequired: false },
    undefined,
    { mask: ["cmek_required"], body: { cmekRequired: false } },
  ],
  [
    "a required customer key that does not differ is not sent (A061)",
    PolicySettings,
    { cmekRequired: true, residency: "US" },
    { cmekRequired: true, residency: "EUROPE" },
    undefined,
    { mask: ["residency"], body: { residency: "EUROPE" } },
  ],
];

test.each(updates)("%s", (_, spec, object, inputs, managed, expected) => {
  expect(update(spec, object, inputs, managed)).toEqual(expected);
});

test("a change that touches no field of the message has an empty mask (A033)", () => {
  expect(update(Deployment, live, { baseModel: "m", ignoreChecks: true }).mask).toEqual([]);
});

test("a value that is never answered goes with every update, masked if new (A054)", () => {
  const object = { name: "accounts/acme/secrets/k", keyName: "K" };
  const inputs = { keyName: "K", value: "v2" };
  const changes = changesBetween(Secret!, object, inputs, () => false);
  expect(updateOf(Secret!, object, inputs, changes)).toEqual({ mask: ["value"], body: { keyName: "K", value: "v2" } });
  expect(updateOf(Secret!, object, inputs, [])).toEqual({ mask: [], body: { keyName: "K", value: "v2" } });
  expect(updateOf(Secret!, object, { keyName: "L" }, [])).toEqual({ mask: [], body: { keyName: "L" } });
});

const annotations = fieldOf(Deployment, "annotations");

test.each<[string, Values | null | undefined, Values, ReturnType<typeof separateRequestFor>]>([
  [
    "one more, one other, one less",
    { "custom/a": "2", "custom/new": "1" },
    { "custom/a": "1", "custom/old": "1" },
    {
      message: { annotations: { "custom/a": "2", "custom/new": "1" } },
      set: { "custom/a": "2", "custom/new": "1" },
      remove: ["custom/old"],
    },
  ],
  [
    "keys of others stay",
    { "custom/a": "2" },
    { "custom/a": "1", bare: "x" },
    { message: { annotations: { "custom/a": "2", bare: "x" } }, set: { "custom/a": "2" }, remove: [] },
  ],
  [
    "cleared, keys of others stay",
    null,
    { "custom/a": "1", bare: "x" },
    { message: { annotations: { bare: "x" } }, set: {}, remove: ["custom/a"] },
  ],
  [
    "none before",
    { "custom/a": "1" },
    {},
    { message: { annotations: { "custom/a": "1" } }, set: { "custom/a": "1" }, remove: [] },
  ],
])("annotations have a request of their own, or verbs if refused (A046): %s", (_, wanted, found, expected) => {
  expect(separateRequestFor(annotations, { annotations: found }, { annotations: wanted })).toEqual(expected);
});

test("a user who leaves the role `custom` and drops the preset has it cleared", () => {
  const live = { email: "ada@example.com", role: "custom", permissionPreset: "auditor" };
  const inputs = { email: "ada@example.com", role: "user" };
  const { mask, body } = update(User, live, inputs, ["email", "permissionPreset", "role"]);
  expect(mask).toEqual(expect.arrayContaining(["role", "permission_preset"]));
  expect(body).toEqual({ email: "ada@example.com", role: "user", permissionPreset: null });
});

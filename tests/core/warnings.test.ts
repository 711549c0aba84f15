import { check } from "../../provider/core/check";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { specOf, specs } from "../../provider/resources/index";

const { Deployment, Model, RlorTrainerJob, Secret, SupervisedFineTuningJob, User } = specs as unknown as Readonly<
  Record<string, ResourceSpec>
>;

const warningsOf = (spec: ResourceSpec | undefined, inputs: Record<string, unknown>): string[] => {
  const { failures, warnings } = check(spec!, {}, inputs);
  expect(failures).toEqual([]);
  return warnings;
};

const baseModel = "accounts/platform/models/m";

const deployment = (inputs: Record<string, unknown>) =>
  warningsOf(Deployment, { baseModel, deploymentShape: "default", ...inputs });
const job = (inputs: Record<string, unknown>) => warningsOf(SupervisedFineTuningJob, { baseModel, ...inputs });
const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`custom/k${index}`, "v"]));

test.each<[string, string[], string]>([
  [
    "an id beyond the convention",
    deployment({ deploymentId: "Chat_1" }),
    "`deploymentId` should start with a lower-case letter",
  ],
  [
    "the name of a key in lower case (A052)",
    warningsOf(Secret, { keyName: "my-key", value: "v" }),
    "`keyName` should be upper-case letters, digits and underscores, starting with a letter (A052)",
  ],
  [
    "too short a wait before scaling to zero (A045)",
    deployment({ autoscalingPolicy: { scaleToZeroWindow: "299s" } }),
    "`autoscalingPolicy.scaleToZeroWindow` should be at least 5m (A045)",
  ],
  ["too many annotations (A046)", deployment({ annotations: many }), "`annotations` should have at most 64 entries"],
  [
    "an annotation key with a space (A046)",
    deployment({ annotations: { "custom/a b": "v" } }),
    "`annotations` should have",
  ],
  [
    "an annotation without a value (A046)",
    deployment({ annotations: { "custom/a": "" } }),
    "`annotations` should have",
  ],
  [
    "an annotation value of 129 characters (A046)",
    deployment({ annotations: { "custom/a": "\u{1F642}".repeat(129) } }),
    "`annotations` should have",
  ],
  [
    "a value newer than this provider (A002)",
    deployment({ precision: "INT3" }),
    "`precision`: `INT3` is not a value this provider knows; it is sent as it is",
  ],
  [
    "a value that differs from known ones in digits only, with the nearest (A002)",
    deployment({ placement: { region: "US_OHIO_2" } }),
    "`placement.region`: `US_OHIO_2` is not a value this provider knows; it is sent as it is; did you mean `US_OHIO_1`?",
  ],
  [
    "an accelerator of the same family (A002)",
    deployment({ acceleratorType: "VENDOR1_B400_288GB" }),
    "`acceleratorType`: `VENDOR1_B400_288GB` is not a value",
  ],
  [
    "a placement of members that this provider does not know (A045)",
    deployment({ placement: {} }),
    "`placement`: none of `region`, `multiRegion` and `regions` is set (A045)",
  ],
  [
    "a deployment without a shape",
    deployment({ deploymentShape: undefined }),
    "`deploymentShape`: without a shape nothing is validated",
  ],
  [
    "a job that starts from nothing (A076)",
    warningsOf(SupervisedFineTuningJob, { dataset: "accounts/acme/datasets/d" }),
    "`baseModel`: neither it nor `warmStartFrom` is set",
  ],
  [
    "a step that starts from nothing (A076)",
    warningsOf(RlorTrainerJob, { dataset: "accounts/acme/datasets/d" }),
    "`trainingConfig.baseModel`: neither it nor `trainingConfig.warmStartFrom` is set",
  ],
  [
    "a deprecated field (A004)",
    deployment({ expireTime: "2030-01-31T00:00:00Z" }),
    "`expireTime` is deprecated: it no longer deletes anything; drop it",
  ],
  ["a field of first-generation jobs (A004)", job({ nodes: 1 }), "`nodes` is deprecated"],
  [
    "what only the service sets",
    job({ trackingConfig: { url: "https://a" } }),
    "`trackingConfig.url` is set by the service; it is not sent",
  ],
  [
    "a member that an open message does not list (A045)",
    deployment({ autoscalingPolicy: { scaleUpWindw: "5m" } }),
    "`autoscalingPolicy.scaleUpWindw` is not a member this provider knows and is sent as it is; did you mean `scaleUpWindow`?",
  ],
  [
    "accelerators beside a named shape (A047)",
    deployment({ deploymentShape: "accounts/platform/deploymentShapes/s1", acceleratorCount: 2 }),
    "`acceleratorCount` is set beside `deploymentShape` `accounts/platform/deploymentShapes/s1`; the service refuses the deployment where the two conflict",
  ],
  [
    "the shape's cache of addons by its other name (A047)",
    deployment({ deploymentShape: "accounts/platform/deploymentShapes/s1", numPeftDeviceCached: 2 }),
    "`numPeftDeviceCached` is set beside",
  ],
  [
    "a directive that the shape decides (A047)",
    deployment({ deploymentShape: "accounts/platform/deploymentShapes/s1", disableSpeculativeDecoding: true }),
    "`disableSpeculativeDecoding` is set beside",
  ],
  [
    "the id of a model where its name is wanted",
    deployment({ baseModel: "open-8b" }),
    '`baseModel`: "open-8b" is an id and not a resource name, `accounts/{account}/models/{id}`; the service may refuse it',
  ],
  [
    "the id of a shape where its name is wanted",
    deployment({ deploymentShape: "fast" }),
    '`deploymentShape`: "fast" is an id and not a resource name',
  ],
  ["the id of a dataset", job({ dataset: "tickets" }), '`dataset`: "tickets" is an id and not a resource name'],
  [
    "half a name",
    job({ dataset: "datasets/a" }),
    '`dataset`: "datasets/a" is the end of a name and not a resource name',
  ],
  [
    "more replicas than with revocable ones",
    deployment({ maxReplicaCount: 3, maxWithRevocableReplicaCount: 2 }),
    "`maxReplicaCount`: it is above `maxWithRevocableReplicaCount`",
  ],
  [
    "keys of a direct route that there is not",
    deployment({ directRouteApiKeys: ["k"], directRouteType: "DIRECT_ROUTE_TYPE_UNSPECIFIED" }),
    "`directRouteApiKeys`: nothing uses the keys",
  ],
  [
    "a transition of weights that are never loaded",
    deployment({ hotLoadTransitionType: "SYNC" }),
    "`hotLoadTransitionType`: it has no effect without `enableHotLoad`",
  ],
  [
    "a misspelt measure of load (A045)",
    deployment({ autoscalingPolicy: { loadTargets: { defualt: 0.5 } } }),
    "`autoscalingPolicy.loadTargets.defualt` is not a key this provider knows and is sent as it is; did you mean `default`?",
  ],
  ["no epochs (A077)", job({ epochs: 0 }), "`epochs` should be at least 1 (A077)"],
  ["a negative rate (A077)", job({ learningRate: -0.1 }), "`learningRate` should not be negative (A077)"],
  [
    "two evaluation datasets (A077)",
    job({ evaluationDataset: "accounts/acme/datasets/e", evalAutoCarveout: true }),
    "`evalAutoCarveout`: `evaluationDataset` and `evalAutoCarveout` are both set (A077)",
  ],
  ["a model's id with spaces (A016)", job({ outputModel: "my model" }), "`outputModel` should be an id"],
  [
    "a step on no nodes (A077)",
    warningsOf(RlorTrainerJob, { trainingConfig: { baseModel }, nodeCount: 0 }),
    "`nodeCount` should be at least 1 (A077)",
  ],
  [
    "a step that starts from two models (A077)",
    warningsOf(RlorTrainerJob, { trainingConfig: { baseModel, warmStartFrom: baseModel } }),
    "`trainingConfig.warmStartFrom`: `baseModel` and `warmStartFrom` are both set (A077)",
  ],
  [
    "an address that is none (A051)",
    warningsOf(User, { email: "not-an-address", role: "user" }),
    "`email` should be an e-mail address (A051)",
  ],
  [
    "the role `custom` without a preset",
    warningsOf(User, { email: "ada@example.com", role: "custom" }),
    "`permissionPreset`: it is not set, and the role `custom` has no permissions",
  ],
  [
    "a thirteenth month (A077)",
    warningsOf(Model, { kind: "CUSTOM_MODEL", deprecationDate: { year: 2030, month: 13, day: 1 } }),
    "`deprecationDate.month` should be from 1 to 12 (A077)",
  ],
])("%s is allowed and worth a warning", (_, warnings, text) => {
  expect(warnings).toEqual([expect.stringContaining(text)]);
});

test.each<[string, string[]]>([
  [
    "what keeps to every convention",
    deployment({
      deploymentId: "chat-1",
      annotations: { "custom/team": "search" },
      autoscalingPolicy: { scaleToZeroWindow: "5m" },
    }),
  ],
  [
    "an annotation value of 128 characters, however many bytes they take (A002)",
    deployment({ annotations: { "custom/a": "\u{1F642}".repeat(128) } }),
  ],
  ["64 annotations", deployment({ annotations: Object.fromEntries(Object.entries(many).slice(1)) })],
  [
    "accelerators beside the shape `default`, which they constrain (A047)",
    deployment({ deploymentShape: "default", acceleratorCount: 2 }),
  ],
  [
    "accelerators without a shape, at an accepted risk",
    deployment({
      deploymentShape: undefined,
      acceptShapelessRisk: true,
      acceleratorCount: 2,
      acceleratorType: "VENDOR1_H100_80GB",
    }),
  ],
  [
    "a field that a shape has no say in",
    deployment({ deploymentShape: "accounts/platform/deploymentShapes/s1", maxReplicaCount: 2 }),
  ],
  [
    "a shape not yet known",
    deployment({ deploymentShape: "04da6b54-80e4-46f7-96ec-b56ff0331ba9", acceleratorCount: 2 }),
  ],
  [
    "a value not yet known",
    deployment({
      deploymentId: "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
      annotations: "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }),
  ],
  ["an annotation not yet known", deployment({ annotations: { "custom/a": "04da6b54-80e4-46f7-96ec-b56ff0331ba9" } })],
])("%s is worth no warning", (_, warnings) => {
  expect(warnings).toEqual([]);
});

test("who has failures to correct is not bothered with warnings", () => {
  expect(check(Deployment!, {}, { deploymentId: "Chat_1" }).warnings).toEqual([]);
});

test("what a new object may lack is reported for a new one only", () => {
  const inputs = { baseModel };
  expect(check(Deployment!, {}, inputs).warnings).toHaveLength(1);
  expect(check(Deployment!, inputs, { ...inputs, displayName: "Chat" }).warnings).toEqual([]);
});

const kept = (path: string) =>
  `\`${path}\` is no longer set: the object keeps what it has there, unless it is replaced`;

test.each<[string, Record<string, unknown>, Record<string, unknown>, string[]]>([
  ["a policy that stays live", { autoscalingPolicy: { scaleUpWindow: "40s" } }, {}, [kept("autoscalingPolicy")]],
  [
    "a member of one",
    { autoscalingPolicy: { scaleUpWindow: "40s", scaleDownWindow: "5m" } },
    { autoscalingPolicy: { scaleDownWindow: "5m" } },
    [kept("autoscalingPolicy.scaleUpWindow")],
  ],
  ["what a removal clears or resets", { displayName: "Chat", maxReplicaCount: 3 }, {}, []],
  ["what was cleared before", { autoscalingPolicy: null }, {}, []],
  ["what is cleared now", { autoscalingPolicy: { scaleUpWindow: "40s" } }, { autoscalingPolicy: null }, []],
  [
    "what was set beside a shape that stays",
    { deploymentShape: "default", enableSessionAffinity: true, acceleratorCount: 2 },
    { deploymentShape: "default" },
    [kept("acceleratorCount"), kept("enableSessionAffinity")],
  ],
  [
    "what a shape decides from now on",
    { acceleratorCount: 2 },
    { deploymentShape: "accounts/platform/deploymentShapes/s1" },
    [],
  ],
])("a program that stops setting a field is told that it stays: %s", (_, before, now, expected) => {
  const { failures, warnings } = check(Deployment!, { baseModel, ...before }, { baseModel, ...now });
  expect(failures).toEqual([]);
  expect(warnings.filter((text) => text.includes("no longer set"))).toEqual(expected);
});

test.each<[string, string, Record<string, unknown>, Record<string, unknown>]>([
  [
    "a part of a retention policy, which is sent as a whole",
    "PolicySettings",
    { zeroDataRetention: { defaultEnforced: false, inference: { enforcement: "ENFORCED" } } },
    { zeroDataRetention: { defaultEnforced: false } },
  ],
  [
    "a preset of permissions",
    "User",
    { email: "ada@example.com", role: "custom", permissionPreset: "auditor" },
    { email: "ada@example.com", role: "user" },
  ],
])("a program that stops setting %s is not told that it stays", (_, kind, before, now) => {
  const spec = specOf(kind);
  const { failures, warnings } = check(spec!, before, now);
  expect(failures).toEqual([]);
  expect(warnings.filter((text) => text.includes("no longer set"))).toEqual([]);
});

test("a user without a role is warned of: every update needs one", () => {
  const email = "ada@example.com";
  const warned = (inputs: Record<string, unknown>) =>
    check(User!, {}, inputs).warnings.filter((text) => text.startsWith("`role`"));
  expect(warned({ email })).toEqual([expect.stringContaining("every update needs it")]);
  expect(warned({ email, role: "user" })).toEqual([]);
});

test("a change warns of risks that it sets, not of what only new objects should have", () => {
  const olds = { baseModel };
  expect(check(Deployment!, olds, { baseModel, hotLoadTransitionType: "SYNC" }).warnings).toEqual([
    expect.stringContaining("`hotLoadTransitionType`: it has no effect"),
  ]);
});

test.each(["replicaCount", "state", "name"])("`%s`, which only the service sets, is refused as read-only", (name) => {
  const { failures } = check(Deployment!, {}, { baseModel, deploymentShape: "default", [name]: 1 });
  expect(failures.map(({ reason }) => reason)).toEqual([
    expect.stringContaining("is read-only: the service sets it; drop it"),
  ]);
});

test("two swapped letters of a role are a suggestion", () => {
  const [failure] = check(User!, {}, { email: "ada@example.com", role: "amdin" }).failures;
  expect(failure?.reason).toContain("did you mean `admin`?");
});

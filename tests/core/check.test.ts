import { type CheckFailure, check } from "../../provider/core/check";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { containsSecret } from "../../provider/core/secrets";
import { managedSpecs, specs } from "../../provider/resources/index";
import { secretPositions } from "../contract/reference/secret-positions";
import { settableFields, settableKinds } from "../contract/reference/tables";

const { Deployment, DeployedModel, Model, PolicySettings, RlorTrainerJob, Secret, SupervisedFineTuningJob, User } =
  specs as unknown as Readonly<Record<string, ResourceSpec>>;

type Inputs = Record<string, unknown>;

const failuresOf = (spec: ResourceSpec | undefined, news: Inputs, olds: Inputs = {}): CheckFailure[] =>
  check(spec!, olds, news).failures;

test.each(managedSpecs)("the example of $kind is a program that nothing is wrong with", (spec) => {
  expect(check(spec, {}, spec.example as Inputs)).toMatchObject({ failures: [], warnings: [] });
});

const wordings: [spec: ResourceSpec | undefined, inputs: Inputs, property: string, reason: string][] = [
  [Deployment, {}, "baseModel", "is required; give a string"],
  [Deployment, { baseModel: 7 }, "baseModel", "must be a string, not a number"],
  [Deployment, { baseModel: null }, "baseModel", "must be a string, not null"],
  [Deployment, { baseModel: "m", maxReplicaCount: Number.NaN }, "maxReplicaCount", "must be a number, not NaN"],
  [Deployment, { baseModel: "m", maxReplicaCount: 1.5 }, "maxReplicaCount", "must be an integer, not 1.5"],
  [Deployment, { baseModel: "m", maxReplicaCount: "2" }, "maxReplicaCount", "must be a number, not a string; write 2"],
  // No integer that a program sets is negative (A007).
  [Deployment, { baseModel: "m", maxReplicaCount: -1 }, "maxReplicaCount", "must be at least 0"],
  [Deployment, { baseModel: "m", enableAddons: "yes" }, "enableAddons", "must be true or false, not a string"],
  [Deployment, { baseModel: "m", annotations: ["a"] }, "annotations", "must be a map, not a list"],
  [
    Deployment,
    { baseModel: "m", placement: { regions: "US_OHIO_1" } },
    "placement.regions",
    "must be a list, not a string",
  ],
  [Deployment, { baseModel: "m", waitFor: "done" }, "waitFor", "must be one of `ready`, `accepted`"],
  [
    Deployment,
    { baseModel: "m", waitFor: "redy" },
    "waitFor",
    "must be one of `ready`, `accepted`; did you mean `ready`?",
  ],
  [
    Deployment,
    { baseModel: "m", maxReplicaCuont: 2 },
    "maxReplicaCuont",
    "is not a property; did you mean `maxReplicaCount`?",
  ],
  [
    Deployment,
    { baseModel: "m", deployment_id: "chat" },
    "deployment_id",
    "is not a property; did you mean `deploymentId`?",
  ],
  [Deployment, { baseModel: "m", acountId: "acme" }, "acountId", "is not a property; did you mean `accountId`?"],
  [Deployment, { baseModel: "m", displayName: "x".repeat(64) }, "displayName", "must have fewer than 64 characters"],
  [
    Deployment,
    { baseModel: "m", annotations: { team: "a" } },
    "annotations.team",
    "keys must begin with `custom/`; write `custom/team`",
  ],
  [
    Deployment,
    { baseModel: "m", autoscalingPolicy: { scaleUpWindow: "5 minutes" } },
    "autoscalingPolicy.scaleUpWindow",
    "must be a duration such as `300s`, `5m` or `1h`",
  ],
  [
    Deployment,
    { baseModel: "m", timeouts: { create: "soon" } },
    "timeouts.create",
    "must be a duration such as `300s`, `5m` or `1h`",
  ],
  [
    Deployment,
    { baseModel: "m", deploymentId: "a/b" },
    "deploymentId",
    "must be a single path segment, without `/`, `?`, `#`, `%` or spaces",
  ],
  [
    Deployment,
    { baseModel: "m", minReplicaCount: 3, maxReplicaCount: 2 },
    "minReplicaCount",
    "must not be above `maxReplicaCount` (2)",
  ],
  [Deployment, { baseModel: "m", precision: "FP8_MN" }, "precision", "`FP8_MN` is not a value; did you mean `FP8_MM`?"],
  [
    Deployment,
    { baseModel: "m", directRouteType: "internet" },
    "directRouteType",
    "`internet` is not a value; did you mean `INTERNET`?",
  ],
  [
    Deployment,
    { baseModel: "m", immutable: ["precision", "acceleratorTyp"] },
    "immutable[1]",
    "`acceleratorTyp` is not a field that a program can set; did you mean `acceleratorType`?",
  ],
  [
    Deployment,
    { baseModel: "m", immutable: ["autoscalingPolicy.scaleUpWindow"] },
    "immutable[0]",
    "`autoscalingPolicy.scaleUpWindow` is not a field that a program can set; did you mean `autoscalingPolicy`?",
  ],
  [
    Deployment,
    { baseModel: "m", immutable: ["state"] },
    "immutable[0]",
    "`state` is not a field that a program can set",
  ],
  [
    User,
    { email: "a@b", role: "Admin" },
    "role",
    "must be one of `admin`, `user`, `contributor`, `inference-user`, `custom`; did you mean `admin`?",
  ],
  [User, { email: "a@b", role: "owner" }, "role", "must be one of `admin`"],
  [Deployment, { baseModel: "m", placement: { region: "us_ohio_2" } }, "placement.region", "did you mean `US_OHIO_1`?"],
  [Deployment, { baseModel: "" }, "baseModel", "must not be empty"],
  [DeployedModel, { model: "", deployment: "d" }, "model", "must not be empty"],
  [DeployedModel, { model: "m", deployment: "" }, "deployment", "must not be empty"],
  [
    Deployment,
    { baseModel: "m", placement: { region: "US_IOWA_1", multiRegion: "US" } },
    "placement.multiRegion",
    "only one of `placement.region`, `placement.multiRegion`, `placement.regions` may be set; drop `placement.multiRegion` or `placement.region` (A045)",
  ],
  [Deployment, { baseModel: "m", minReplicaCount: 3, maxReplicaCount: 2 }, "minReplicaCount", "(A008)"],
  [Deployment, { baseModel: "m", waitFor: { toString: 0 } }, "waitFor", "must be one of `ready`, `accepted`"],
  [User, {}, "email", "set `email`, or `serviceAccount` `true` with `userId`"],
  [Secret, { keyName: "", value: "v" }, "keyName", "must not be empty"],
  [
    PolicySettings,
    { residency: "MARS" },
    "residency",
    "must be one of `MULTI_REGION_UNSPECIFIED`, `GLOBAL`, `US`, `CANADA`, `EUROPE`, `APAC`",
  ],
  [PolicySettings, { residency: "europe" }, "residency", "did you mean `EUROPE`?"],
  [
    PolicySettings,
    { zeroDataRetention: { defaultEnforced: true, inference: { enforcement: "ENFORCE" } } },
    "zeroDataRetention.inference.enforcement",
    "did you mean `ENFORCED`?",
  ],
  [RlorTrainerJob, { rewardWeights: ["helpful"] }, "rewardWeights[0]", "must be `<reward name>=<weight>`"],
  [
    Model,
    { kind: "CUSTOM_MODEL", conversationConfig: { styl: "a" } },
    "conversationConfig.styl",
    "is not a property of `conversationConfig`; did you mean `style`?",
  ],
  [DeployedModel, { model: "m" }, "deployment", "is required; give a string"],
];

const named = wordings.map(([spec, ...rest]) => [spec?.kind ?? "an unknown kind", ...rest, spec] as const);

test.each(named)("%s fails at %s: %s", (_, inputs, property, reason, spec) => {
  const failures = failuresOf(spec, inputs);
  expect(failures).toContainEqual({ property, reason: expect.stringContaining(reason) });
  expect(failures).toHaveLength(1);
});

test("all mistakes are reported at once, each with its own property", () => {
  const inputs = { displayName: 7, maxReplicaCount: "two", precison: "FP16", annotations: { team: "a" } };
  expect(
    failuresOf(Deployment, inputs)
      .map(({ property }) => property)
      .sort(),
  ).toEqual(["annotations.team", "baseModel", "displayName", "maxReplicaCount", "precison"]);
});

test.each<[string, ResourceSpec | undefined, Inputs, string]>([
  ["a secret of the wrong type", Secret, { keyName: "K", value: ["canary"] }, "value: must be a string, not a list"],
  ["a misspelt secret", Secret, { keyName: "K", vallue: "canary" }, "vallue: is not a property; did you mean `value`?"],
  ["a secret by another name", Secret, { keyName: "K", value: "v", password: "canary" }, "password: is not a property"],
  [
    "the key of a tracking account",
    SupervisedFineTuningJob,
    { trackingConfig: { apiKey: { canary: true } } },
    "trackingConfig.apiKey: must be a string, not an object",
  ],
  [
    "anything beside the key of a tracking account",
    SupervisedFineTuningJob,
    { trackingConfig: { apiKey: "canary", enabled: "yes" } },
    "trackingConfig.enabled: must be true or false, not a string",
  ],
  [
    "a key of a direct route",
    Deployment,
    { baseModel: "m", directRouteApiKeys: ["canary", 7] },
    "directRouteApiKeys[1]: must be a string, not a number",
  ],
])("%s is told without a property, since the engine would print its value", (_, spec, inputs, reason) => {
  const failures = failuresOf(spec, inputs);
  expect(failures).toContainEqual({ property: "", reason });
  expect(JSON.stringify(failures)).not.toContain("canary");
});

test("fields that hold a secret are those with one anywhere inside", () => {
  const holders = managedSpecs.flatMap(({ kind, fields }) =>
    [...fields.message, ...fields.behaviours].filter(containsSecret).map(({ name }) => `${kind} ${name}`),
  );
  const stated = settableKinds.flatMap((kind) => {
    const inputs = settableFields(kind).map(({ path }) => path);
    const secrets = (secretPositions[kind] ?? []).filter((path) => inputs.includes(path));
    return secrets.map((path) => `${kind} ${path.split(".")[0]}`);
  });
  expect(stated).toContain("SupervisedFineTuningJob trackingConfig");
  expect(holders.sort()).toEqual(stated.sort());
});

test("defaults are those of the options; the service's own stay the service's (A049)", () => {
  expect(check(Deployment!, {}, { baseModel: "m" }).inputs).toEqual({
    baseModel: "m",
    waitFor: "ready",
    onTimeout: "keep",
    onSoftDeletedConflict: "error",
    ignoreChecks: false,
  });
  expect(check(PolicySettings!, {}, {}).inputs).toEqual({ allowLoosening: false, onDelete: "retain" });
  expect(check(SupervisedFineTuningJob!, {}, {}).inputs).toEqual({
    onFailure: "hold",
    maxAttempts: 3,
    recreateIfPurged: false,
  });
});

test("inputs that the engine and the resource class add are kept, and are not errors", () => {
  const news = { baseModel: "m", __provider: "text", __modelplatform: { kind: "Deployment" } };
  expect(check(Deployment!, {}, news)).toMatchObject({ failures: [], inputs: news });
});

const user = { email: "ada@example.com", userId: "ada", accountId: "acme" };

test.each<[string, Inputs, string[]]>([
  ["another id", { ...user, userId: "lovelace" }, ["userId"]],
  ["another account", { ...user, accountId: "other" }, ["accountId"]],
  ["another e-mail address", { ...user, email: "lovelace@example.com" }, []],
  ["no id any more", { email: "ada@example.com", accountId: "acme" }, []],
  ["an account not yet known", { ...user, accountId: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }, []],
])("a user is never replaced: %s (A050)", (_, news, properties) => {
  const failures = failuresOf(User, news, user);
  expect(failures.map(({ property }) => property)).toEqual(properties);
  for (const { reason } of failures)
    expect(reason).toContain("cannot change: a change would delete this user and create another");
});

const job = { supervisedFineTuningJobId: "tune", dataset: "d1", baseModel: "m", epochs: 2, triggers: { data: "1" } };

test.each<[string, Inputs, string[]]>([
  // The object may have them already.
  ["another dataset and more epochs", { ...job, dataset: "d2", epochs: 3 }, []],
  ["another value of a trigger", { ...job, triggers: { data: "2" } }, ["triggers"]],
  ["another dataset under another id", { ...job, dataset: "d2", supervisedFineTuningJobId: "tune-2" }, []],
  ["another dataset and no id", { dataset: "d2", baseModel: "m", epochs: 2 }, []],
  ["another display name", { ...job, displayName: "Tune" }, []],
  ["a dataset not yet known", { ...job, dataset: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }, []],
])("the id of a job is never free again: %s", (_, news, properties) => {
  const failures = failuresOf(SupervisedFineTuningJob, news, job);
  expect(failures.map(({ property }) => property)).toEqual(properties);
  for (const { reason } of failures) expect(reason).toContain("give a new `supervisedFineTuningJobId` or drop it");
});

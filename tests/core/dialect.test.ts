import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { createDialect } from "../../provider/core/wire/dialect";
import { readDialect } from "../../provider/core/wire/vocabulary";
import { allSpecs, specs } from "../../provider/resources/index";
import { elvish } from "./dialects";

const { theirs, ours } = createDialect(elvish, allSpecs);
const of = (kind: keyof typeof specs, verb = "create") => ({ spec: specs[kind] as unknown as ResourceSpec, verb });

/** What is said in our words, and in the service's. */
const requests: readonly [what: string, operation: ReturnType<typeof of>, ours: unknown, theirs: unknown][] = [
  [
    "fields at the top",
    of("Deployment"),
    { baseModel: "m", acceleratorCount: 2, minReplicaCount: 0 },
    { llm: "m", gpus: 2, minReplicaCount: 0 },
  ],
  [
    "fields of messages within",
    of("Deployment"),
    { autoscalingPolicy: { scaleUpWindow: "30s", scaleDownWindow: "60s" } },
    { elasticity: { growWindow: "30s", scaleDownWindow: "60s" } },
  ],
  [
    "fields of elements of lists",
    of("PolicySettings", "update"),
    { rules: [{ model: "m", permissions: { allowTraining: true, allowServerless: false } }] },
    { modelRules: [{ model: "m", grants: { mayTrain: true, allowServerless: false } }] },
  ],
  [
    "values, by prefix and one by one",
    of("Deployment"),
    { acceleratorType: "VENDOR1_H100_80GB", placement: { multiRegion: "EUROPE" } },
    { gpuKind: "ELF_H100_80GB", placement: { multiRegion: "RIVENDELL" } },
  ],
  [
    "values that the API's description lacks",
    of("Deployment"),
    { acceleratorType: "VENDOR1_NEXT_1TB" },
    { gpuKind: "ELF_NEXT_1TB" },
  ],
  [
    "values in no dialect",
    of("Deployment"),
    { acceleratorType: "VENDOR2_MI300X_192GB", precision: "FP8" },
    { gpuKind: "VENDOR2_MI300X_192GB", precision: "FP8" },
  ],
  [
    "null and zero",
    of("Deployment"),
    { description: null, acceleratorCount: 0, annotations: null },
    { notes: null, gpus: 0, labels: null },
  ],
  [
    "keys of maps, which are nobody's fields",
    of("Deployment"),
    {
      annotations: { baseModel: "READY", "custom/role": "baseModel" },
      autoscalingPolicy: { loadTargets: { default: 1, baseModel: 2 } },
    },
    {
      labels: { baseModel: "READY", "custom/role": "baseModel" },
      elasticity: { targets: { default: 1, baseModel: 2 } },
    },
  ],
  [
    "free text",
    of("Deployment"),
    { displayName: "READY", description: "baseModel of VENDOR1_H100_80GB" },
    { title: "READY", notes: "baseModel of VENDOR1_H100_80GB" },
  ],
  [
    "names of other objects",
    of("DeployedModel"),
    { deployment: "accounts/a/deployments/READY", model: "accounts/a/models/contributor" },
    { endpoint: "accounts/a/deployments/READY", model: "accounts/a/models/contributor" },
  ],
  [
    "a name that is free because its owner has another",
    of("SupervisedFineTuningJob"),
    { dataset: "d", evaluationDataset: "e" },
    { trainingData: "d", dataset: "e" },
  ],
  [
    "members that no message declares",
    of("Deployment"),
    { autoscalingPolicy: { later: { baseModel: "m" } } },
    { elasticity: { later: { baseModel: "m" } } },
  ],
  [
    "a message with its name",
    of("Secret"),
    { name: "accounts/a/secrets/s", keyName: "K", value: "READY" },
    { name: "accounts/a/secrets/s", variable: "K", content: "READY" },
  ],
  [
    "a message in a wrapper",
    of("Model"),
    { modelId: "x", model: { displayName: "X", kind: "HUB_BASE_MODEL" }, cluster: "c" },
    { modelId: "x", model: { title: "X", kind: "GROVE_BASE_MODEL" }, cluster: "c" },
  ],
  [
    "a message of another kind, deeper",
    of("DeploymentShapeVersion", "match"),
    { createDeploymentRequest: { deployment: { baseModel: "m" } } },
    { createDeploymentRequest: { deployment: { llm: "m" } } },
  ],
  [
    "a message of a verb's own, with a mask in camel case",
    of("Model", "getUploadEndpoint"),
    { filenameToSize: { filenameToSize: 1 }, readMask: "filenameToSignedUrls" },
    { sizes: { filenameToSize: 1 }, readMask: "links" },
  ],
  [
    "tags, whose keys are a map's",
    of("Deployment", "setTags"),
    { tags: { "custom/baseModel": "READY" } },
    { tags: { "custom/baseModel": "READY" } },
  ],
];

test.each(requests)("a request says in the service's words: %s", (_, operation, mine, its) => {
  expect(theirs.request(operation, mine)).toEqual(its);
  expect(ours.request(operation, its)).toEqual(mine);
});

const answers: readonly [what: string, operation: ReturnType<typeof of>, ours: unknown, theirs: unknown][] = [
  [
    "an object",
    of("Deployment", "get"),
    { name: "n", state: "READY", baseModel: "m" },
    { name: "n", phase: "AWAKE", llm: "m" },
  ],
  ["states that change places", of("Deployment", "get"), { state: "CREATING" }, { phase: "UPDATING" }],
  [
    "a list",
    of("User", "list"),
    { users: [{ name: "n", role: "contributor", state: "UPDATING" }], totalSize: 1, nextPageToken: "READY" },
    { users: [{ name: "n", rank: "builder", phase: "CREATING" }], totalSize: 1, nextPageToken: "READY" },
  ],
  [
    "what a match finds",
    of("DeploymentShapeVersion", "match"),
    { deploymentShapeVersions: [{ snapshot: { baseModel: "m" } }] },
    { deploymentShapeVersions: [{ blueprint: { llm: "m" } }] },
  ],
  [
    "a map by file",
    of("Model", "getUploadEndpoint"),
    { filenameToSignedUrls: { value: "https://x" } },
    { links: { value: "https://x" } },
  ],
  [
    "an object after a verb",
    of("SupervisedFineTuningJob", "cancel"),
    { state: "JOB_STATE_ARCHIVED" },
    { phase: "STATE_ARCHIVED" },
  ],
  ["nothing", of("User", "delete"), {}, {}],
];

test.each(answers)("an answer is read in the service's words: %s", (_, operation, mine, its) => {
  expect(ours.answer(operation, its)).toEqual(mine);
  expect(theirs.answer(operation, mine)).toEqual(its);
});

const parameters: readonly [name: string, operation: ReturnType<typeof of>, ours: string, theirs: string][] = [
  [
    "updateMask",
    of("Deployment", "update"),
    "accelerator_type,autoscaling_policy.scale_up_window,min_replica_count",
    "gpu_kind,elasticity.grow_window,min_replica_count",
  ],
  ["updateMask", of("Deployment", "update"), "acceleratorType,annotations.base_model,*", "gpuKind,labels.base_model,*"],
  ["readMask", of("DeploymentShapeVersion", "list"), "name, snapshot.base_model", "name, blueprint.llm"],
  ["orderBy", of("Deployment", "list"), "display_name desc, create_time", "title desc, create_time"],
  ["order_by", of("Deployment", "list"), "base_model", "llm"],
  [
    "filter",
    of("DeploymentShapeVersion", "list"),
    'snapshot.base_model="base_model" AND latest_validated=true',
    'blueprint.llm="base_model" AND latest_validated=true',
  ],
  ["filter", of("Deployment", "list"), 'state = READY OR NOT state="FAILED"', 'phase = AWAKE OR NOT phase="FAILED"'],
  ["filter", of("Deployment", "list"), '-state=READY accelerator_type="VENDOR1_*"', '-phase=AWAKE gpu_kind="ELF_*"'],
  ["filter", of("Deployment", "list"), "state:(READY OR CREATING)", "phase:(AWAKE OR UPDATING)"],
  [
    "filter",
    of("Deployment", "list"),
    'annotations.base_model:"READY" AND autoscaling_policy:scale_up_window',
    'labels.base_model:"READY" AND elasticity:grow_window',
  ],
  [
    "filter",
    of("Deployment", "list"),
    '"state = READY" READY (display_name="a\\"b = state")',
    '"state = READY" READY (title="a\\"b = state")',
  ],
  ["filter", of("PolicySettings", "get"), "rules.permissions.allow_training:true", "model_rules.grants.may_train:true"],
  [
    "filter",
    of("Deployment", "list"),
    "create_time>2026-01-01T00:00:00Z AND max_replica_count<1.5",
    "create_time>2026-01-01T00:00:00Z AND max_replica_count<1.5",
  ],
  ["pageToken", of("Deployment", "list"), "base_model", "base_model"],
];

test.each(parameters)(
  "the parameter %s of %s is put into the service's words and back",
  (name, operation, mine, its) => {
    expect(theirs.parameter(operation, name, mine)).toEqual([name, its]);
    expect(ours.parameter(operation, name, its)).toEqual([name, mine]);
  },
);

test("an option of a create is called what the service calls it", () => {
  expect(theirs.parameter(of("Deployment"), "skipShapeValidation", "true")).toEqual(["anyShape", "true"]);
  expect(ours.parameter(of("Deployment"), "anyShape", "true")).toEqual(["skipShapeValidation", "true"]);
});

test.each([
  ["rules[0].permissions.allowTraining", "modelRules[0].grants.mayTrain"],
  ['annotations["custom/baseModel"]', 'annotations["custom/baseModel"]'],
  ["body", "body"],
])("an error's place %s is read in our words", (mine, its) => {
  const operation = of("PolicySettings", "update");
  expect(theirs.place(operation, mine)).toBe(its);
  expect(ours.place(operation, its)).toBe(mine);
});

test("this package's name of a renamed field is no field of the service", () => {
  expect(ours.request(of("User"), { role: "contributor" })).not.toHaveProperty("role");
  expect(ours.parameter(of("Deployment", "update"), "updateMask", "base_model")).toEqual(["updateMask", "llm"]);
  expect(ours.request(of("Deployment"), { gpuKind: "VENDOR1_H100_80GB" })).toEqual({
    acceleratorType: "ELF_H100_80GB",
  });
});

const wrong: readonly [given: unknown, says: RegExp][] = [
  [{ fields: { displayNme: "title" } }, /`displayNme` is not a field; did you mean `displayName`\?/],
  [{ fields: { acceleratorType: "gpu", precision: "gpu" } }, /`acceleratorType` and `precision` both become `gpu`\./],
  [
    { fields: { displayName: "description" } },
    /`displayName` becomes `description`, which is the name of another field of Deployment, (?:\w+, )*DeployedModel, Model/,
  ],
  [{ fields: { displayName: "display-name" } }, /`displayName` cannot become "display-name"/],
  [{ fields: { displayName: "display_name" } }, /camelCase/],
  [{ fields: { created_at: "createdAt" } }, /lower case with underscores/],
  [{ values: { CONTRIBUTER: "x" } }, /`CONTRIBUTER` is not a value of any field; did you mean `contributor`\?/],
  [{ values: { NOBODY_: "ELF_" } }, /No value begins with `NOBODY_`/],
  [{ values: { VENDOR1_: "" } }, /The prefix `VENDOR1_` cannot become ""/],
  [{ values: { READY: "FAILED" } }, /Of `state`, `READY` and `FAILED` both become `FAILED`/],
  [
    { values: { VENDOR1_GB200: "ELF_GB300", VENDOR1_: "ELF_" } },
    /`VENDOR1_GB200` and `VENDOR1_GB300` both become `ELF_GB300`/,
  ],
  [{ values: { VENDOR1_: "ELF_", VENDOR2_: "ELF_" } }, /`VENDOR1_` and `VENDOR2_` both become `ELF_`/],
  [{ values: { READY: "two words" } }, /cannot become "two words"/],
  [{ filds: {} }, /There is no `filds`.*It has the form/],
  [{ fields: { baseModel: 1 } }, /`fields.baseModel`/],
  [[], /It has the form/],
];

test.each(wrong)("a dialect that loses names is refused, with the reason: %j", (given, says) => {
  expect(readDialect(given, allSpecs).problems.join(" ")).toMatch(says);
});

test.each([
  {},
  { fields: {} },
  { values: {} },
  elvish,
  { fields: { displayName: "description", description: "displayName" } },
])("a dialect that loses nothing is taken: %j", (given) => {
  expect(readDialect(given, allSpecs).problems).toEqual([]);
});

import fc from "fast-check";
import { type Difference, differences, isUnset, type Resolution } from "../../provider/core/fields/equality";
import type { Field } from "../../provider/core/fields/fields";
import { managedSpecs, specs } from "../../provider/resources/index";

type Named = { readonly fields: { readonly message: readonly Field[] } };

const fieldOf = (spec: Named, name: string): Field => spec.fields.message.find((field) => field.name === name)!;

const { Deployment, Model, PolicySettings, RlorTrainerJob, SupervisedFineTuningJob, User } = specs;
const deployment = (name: string) => fieldOf(Deployment, name);
const all = { allowServerless: true, allowDedicatedDeployments: true, allowTraining: true, allowServerlessFast: true };
const none = {
  allowServerless: false,
  allowDedicatedDeployments: false,
  allowTraining: false,
  allowServerlessFast: false,
};
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const same: [why: string, field: Field, desired: unknown, live: unknown][] = [
  ["an unset text is absent (A094)", deployment("description"), "", undefined],
  ["an absent text is unset (A094)", deployment("description"), undefined, ""],
  ["zero may be left out (A094)", deployment("minReplicaCount"), 0, undefined],
  ["false may be left out (A094)", deployment("enableAddons"), false, undefined],
  ["null and the zero value are both nothing (A094)", deployment("enableAddons"), null, false],
  ["zero replicas at most may be left out for a managed field (A094)", deployment("maxReplicaCount"), 0, undefined],
  ["an empty draft model may be left out for a managed field (A094)", deployment("draftModel"), "", undefined],
  ["an unspecified value is unset (A094)", deployment("precision"), "PRECISION_UNSPECIFIED", undefined],
  ["an absent enum is unspecified (A094)", deployment("precision"), undefined, "PRECISION_UNSPECIFIED"],
  ["the documented first default is unset (A094)", fieldOf(Model, "snapshotType"), "FULL_SNAPSHOT", undefined],
  ["the platform's own concurrency is 0 or unset", deployment("maxConcurrencyPerReplica"), 0, null],
  ["an empty list may be left out (A094)", fieldOf(PolicySettings, "rules"), [], undefined],
  ["an empty map may be left out (A094)", deployment("annotations"), {}, undefined],
  ["an empty message may be left out (A094)", deployment("autoscalingPolicy"), {}, null],
  [
    "a scope that says nothing may be left out (A094)",
    fieldOf(PolicySettings, "zeroDataRetention"),
    { defaultEnforced: true },
    { defaultEnforced: true, inference: { enforcement: "ENFORCEMENT_UNSPECIFIED" }, training: null },
  ],
  [
    "a retention policy that is off is as good as none",
    fieldOf(PolicySettings, "zeroDataRetention"),
    { defaultEnforced: false },
    undefined,
  ],
  [
    "none is as good as a retention policy that is off",
    fieldOf(PolicySettings, "zeroDataRetention"),
    null,
    { defaultEnforced: false },
  ],
  [
    "durations are compared in seconds (A045)",
    deployment("autoscalingPolicy"),
    { scaleUpWindow: "5m", scaleToZeroWindow: "1h" },
    { scaleUpWindow: "300s", scaleToZeroWindow: "3600s" },
  ],
  [
    "a duration with decimals too",
    deployment("autoscalingPolicy"),
    { scaleUpWindow: "1.1m" },
    { scaleUpWindow: "66s" },
  ],
  [
    "members that the program does not set are the service's (A049)",
    deployment("autoscalingPolicy"),
    { scaleUpWindow: "30s" },
    { scaleUpWindow: "30s", scaleDownWindow: "600s", addedLater: 1 },
  ],
  [
    "undeclared members pass through whatever their order (A045)",
    deployment("autoTune"),
    { a: { b: 1, c: [1] } },
    { a: { c: [1], b: 1 } },
  ],
  [
    "32-bit numbers are rounded (A074)",
    fieldOf(SupervisedFineTuningJob, "learningRate"),
    0.0001,
    0.00009999999747378752,
  ],
  [
    "32-bit numbers in messages too (A074)",
    fieldOf(RlorTrainerJob, "lossConfig"),
    { dpo: { beta: 0.1 } },
    { dpo: { beta: 0.10000000149011612 } },
  ],
  ["e-mail addresses have no letter case (A051)", fieldOf(User, "email"), "Ada@Example.com", "ada@example.com"],
  ["the keys of a direct route have no order", deployment("directRouteApiKeys"), ["a", "b"], ["b", "a"]],
  [
    "regions have no order",
    deployment("placement"),
    { regions: ["US_OHIO_1", "US_IOWA_1"] },
    { regions: ["US_IOWA_1", "US_OHIO_1"] },
  ],
  [
    "rules have no order",
    fieldOf(PolicySettings, "rules"),
    [
      { model: "m1", permissions: all },
      { model: "m2", permissions: none },
    ],
    [
      { model: "m2", permissions: none },
      { model: "m1", permissions: all },
    ],
  ],
  [
    "keys of others in the annotations are not the program's (A046)",
    deployment("annotations"),
    { "custom/a": "1" },
    { "custom/a": "1", bare: "x" },
  ],
  [
    "modules of an addon in another order",
    fieldOf(Model, "peftDetails"),
    { targetModules: ["q_proj", "v_proj"] },
    { targetModules: ["v_proj", "q_proj"] },
  ],
  ["a text in another Unicode form", deployment("displayName"), "Zo\u00eb", "Zoe\u0308"],
  ["a text with other line ends and fewer blanks", deployment("description"), "a \nb\n", "a\r\nb"],
  [
    "an annotation in another Unicode form",
    deployment("annotations"),
    { "custom/a": "Zo\u00eb" },
    { "custom/a": "Zoe\u0308" },
  ],
  [
    "the model of a rule with its version (A033)",
    fieldOf(PolicySettings, "rules"),
    [
      { model: "accounts/acme/models/m", permissions: all },
      { model: "accounts/acme/models/m@v1", permissions: none },
      { model: "accounts/acme/models/n", permissions: none },
    ],
    [
      { model: "accounts/acme/models/n@v3", permissions: none },
      { model: "accounts/acme/models/m@v2", permissions: all },
      { model: "accounts/acme/models/m@v1", permissions: none },
    ],
  ],
  ["a model with its version (A033)", deployment("baseModel"), "accounts/acme/models/m", "accounts/acme/models/m@v1"],
  [
    "a dataset with its version (A033)",
    fieldOf(SupervisedFineTuningJob, "dataset"),
    "accounts/acme/datasets/d",
    "accounts/acme/datasets/d/versions/1",
  ],
  ["what is never answered cannot differ (A054)", fieldOf(specs.Secret, "value"), "new", undefined],
  [
    "a signed address differs on each read and never counts (A097)",
    fieldOf(SupervisedFineTuningJob, "metricsFileSignedUrl"),
    "https://a",
    "https://b",
  ],
];

test.each(same)("%s", (_, field, desired, live) => {
  expect(differences(field, desired, live)).toEqual([]);
});

const differing: [why: string, field: Field, desired: unknown, live: unknown, paths: string[]][] = [
  ["a text", deployment("description"), "a", "b", ["description"]],
  ["a blank within a text", deployment("displayName"), "a b", "ab", ["displayName"]],
  ["a blank at the end of what is no free text", deployment("hotLoadBucketUrl"), "a ", "a", ["hotLoadBucketUrl"]],
  ["another model", deployment("baseModel"), "accounts/acme/models/m", "accounts/acme/models/m2", ["baseModel"]],
  [
    "another version of a model",
    deployment("baseModel"),
    "accounts/acme/models/m@v1",
    "accounts/acme/models/m@v2",
    ["baseModel"],
  ],
  ["null where something is set (A035)", deployment("description"), null, "b", ["description"]],
  ["null where a zero is a value like another (A094)", deployment("maxReplicaCount"), null, 0, ["maxReplicaCount"]],
  ["a bound that is left out is zero (A094)", deployment("maxReplicaCount"), 2, undefined, ["maxReplicaCount"]],
  [
    "a duration",
    deployment("autoscalingPolicy"),
    { scaleUpWindow: "5m" },
    { scaleUpWindow: "301s" },
    ["autoscalingPolicy.scaleUpWindow"],
  ],
  ["an undeclared member", deployment("autoTune"), { a: 1 }, { a: 2 }, ["autoTune.a"]],
  [
    "a load target that someone added (A034)",
    deployment("autoscalingPolicy"),
    { loadTargets: { default: 0.8 } },
    { loadTargets: { default: 0.8, requests_per_second: 5 } },
    ["autoscalingPolicy.loadTargets.requests_per_second"],
  ],
  [
    "an annotation more and one less (A046)",
    deployment("annotations"),
    { "custom/a": "1" },
    { "custom/b": "1", bare: "x" },
    ["annotations.custom/a", "annotations.custom/b"],
  ],
  [
    "a number beyond 32 bits of precision",
    fieldOf(SupervisedFineTuningJob, "learningRate"),
    0.0001,
    0.00010001,
    ["learningRate"],
  ],
  [
    "a key more of a direct route",
    deployment("directRouteApiKeys"),
    ["a", "b"],
    ["a", "b", "c"],
    ["directRouteApiKeys"],
  ],
  ["a key twice instead of two keys", deployment("directRouteApiKeys"), ["a", "a"], ["a", "b"], ["directRouteApiKeys"]],
  [
    "a rule, told by its model",
    fieldOf(PolicySettings, "rules"),
    [
      { model: "m1", permissions: all },
      { model: "m2", permissions: none },
    ],
    [
      { model: "m2", permissions: { ...none, allowTraining: true } },
      { model: "m1", permissions: all },
    ],
    ["rules.m2.permissions.allowTraining"],
  ],
  [
    "a rule of a versioned model, told by the program's name",
    fieldOf(PolicySettings, "rules"),
    [{ model: "accounts/acme/models/m", permissions: all }],
    [{ model: "accounts/acme/models/m@v2", permissions: none }],
    Object.keys(all).map((name) => `rules.accounts/acme/models/m.permissions.${name}`),
  ],
  [
    "a rule more and one less",
    fieldOf(PolicySettings, "rules"),
    [{ model: "m1", permissions: all }],
    [{ model: "m2", permissions: all }],
    ["rules.m1", "rules.m2"],
  ],
  [
    "permissions that allow nothing are not the same as none, which allow everything",
    fieldOf(PolicySettings, "defaultPermissions"),
    none,
    undefined,
    ["defaultPermissions"],
  ],
  [
    "no permissions are not the same as ones that allow nothing",
    fieldOf(PolicySettings, "defaultPermissions"),
    null,
    none,
    ["defaultPermissions"],
  ],
  [
    "a member of a whole message that the program leaves out",
    fieldOf(PolicySettings, "zeroDataRetention"),
    { defaultEnforced: false },
    { defaultEnforced: false, inference: { enforcement: "ENFORCED" } },
    ["zeroDataRetention.inference"],
  ],
  [
    "a member of a member of a whole message",
    fieldOf(PolicySettings, "zeroDataRetention"),
    { defaultEnforced: false, inference: {} },
    { defaultEnforced: false, inference: { enforcement: "ENFORCED" } },
    ["zeroDataRetention.inference.enforcement"],
  ],
  [
    "the order of a list that is no set",
    { ...deployment("directRouteApiKeys"), markers: {} },
    ["a", "b"],
    ["b", "a"],
    ["directRouteApiKeys"],
  ],
  ["an unknown, whatever is there (preview)", deployment("description"), unknown, "b", ["description"]],
  ["an unknown, even where nothing is there", deployment("minReplicaCount"), unknown, undefined, ["minReplicaCount"]],
  ["an unknown in a list", deployment("directRouteApiKeys"), ["a", unknown], ["a", "b"], ["directRouteApiKeys"]],
  [
    "an unknown member",
    deployment("autoscalingPolicy"),
    { scaleUpWindow: unknown, scaleDownWindow: "600s" },
    { scaleUpWindow: "30s", scaleDownWindow: "600s" },
    ["autoscalingPolicy.scaleUpWindow"],
  ],
];

const places = (found: readonly Difference[]): string[] => found.map(({ path }) => path.join("."));

test.each(differing)("%s is a difference", (_, field, desired, live, paths) => {
  expect(places(differences(field, desired, live))).toEqual(paths);
});

const shape = deployment("deploymentShape");
const s1 = "accounts/platform/deploymentShapes/s1";
const recorded = (input: string, value: string): Resolution => ({ input, value });

const shapes: [
  clause: string,
  input: string,
  live: string | undefined,
  resolution: Resolution | undefined,
  same: boolean,
][] = [
  ["the output is the input", s1, s1, undefined, true],
  ["the output is a version of the input", s1, `${s1}/versions/7`, undefined, true],
  ["the output is the version that was asked for", `${s1}/versions/7`, `${s1}/versions/7`, undefined, true],
  [
    "the output is the version that the input stood for when recorded",
    "default",
    `${s1}/versions/7`,
    recorded("default", `${s1}/versions/7`),
    true,
  ],
  [
    "another version than the recorded one is a change",
    s1,
    `${s1}/versions/8`,
    recorded(s1, `${s1}/versions/7`),
    false,
  ],
  [
    "another version of `default` than the recorded one is a change",
    "default",
    `${s1}/versions/8`,
    recorded("default", `${s1}/versions/7`),
    false,
  ],
  [
    "`default` is whatever shape there is where nothing is recorded, as after an import",
    "default",
    `${s1}/versions/7`,
    undefined,
    true,
  ],
  [
    "`default` is a change where another input was recorded",
    "default",
    `${s1}/versions/7`,
    recorded(s1, `${s1}/versions/7`),
    false,
  ],
  ["`default` is a change where there is no shape", "default", undefined, undefined, false],
  [
    "a new input is judged by itself, not by what the old one stood for",
    s1,
    `${s1}/versions/8`,
    recorded("default", `${s1}/versions/7`),
    true,
  ],
  ["another shape is a change", s1, "accounts/platform/deploymentShapes/s2/versions/7", undefined, false],
  ["another version than asked for is a change", `${s1}/versions/7`, `${s1}/versions/8`, undefined, false],
  ["an input without a slash is compared by the last segment", "s1", `${s1}/versions/7`, undefined, true],
  ["an input without a slash is the whole segment", "1", `${s1}/versions/7`, undefined, false],
  [
    "the last segment does not decide for an input with a slash",
    "accounts/acme/deploymentShapes/s1",
    `${s1}/versions/7`,
    undefined,
    false,
  ],
  ["a deployment that lost its shape has changed", s1, undefined, recorded(s1, `${s1}/versions/7`), false],
];

test.each(shapes)("shape (A047): %s", (_, input, live, resolution, equal) => {
  expect(differences(shape, input, live, resolution)).toEqual(
    equal ? [] : [{ path: ["deploymentShape"], desired: input, live }],
  );
});

const cleared: [why: string, field: Field, live: unknown, resolution: Resolution | undefined, same: boolean][] = [
  [
    "stays cleared while the service's own value is what it was",
    deployment("maxReplicaCount"),
    1,
    { input: null, value: 1 },
    true,
  ],
  [
    "has changed when the service's own value is another",
    deployment("maxReplicaCount"),
    5,
    { input: null, value: 1 },
    false,
  ],
  ["is still to be cleared where it was set before", deployment("maxReplicaCount"), 5, { input: 5, value: 5 }, false],
  ["is still to be cleared where nothing is recorded", deployment("maxReplicaCount"), 5, undefined, false],
  [
    "has changed when something is there that was not",
    deployment("description"),
    "b",
    { input: null, value: null },
    false,
  ],
];

test.each(cleared)("a field that the program clears %s (A035)", (_, field, live, resolution, equal) => {
  expect(differences(field, null, live, resolution)).toEqual(
    equal ? [] : [{ path: [field.name], desired: null, live }],
  );
});

test("a cleared member stays cleared while the service's own value is what it was", () => {
  const resolution = { input: { scaleUpWindow: null }, value: { scaleUpWindow: "30s" } };
  const policy = deployment("autoscalingPolicy");
  expect(differences(policy, { scaleUpWindow: null }, { scaleUpWindow: "30s" }, resolution)).toEqual([]);
  expect(places(differences(policy, { scaleUpWindow: null }, { scaleUpWindow: "60s" }, resolution))).toEqual([
    "autoscalingPolicy.scaleUpWindow",
  ]);
});

test.each<[value: unknown, unset: boolean]>([
  [undefined, true],
  [null, true],
  [{}, true],
  [{ defaultEnforced: false }, true],
  [{ inference: { enforcement: "ENFORCEMENT_UNSPECIFIED" } }, true],
  [{ defaultEnforced: true }, false],
  [{ defaultEnforced: false, addedLater: 0 }, false],
])("of a retention policy, %j says nothing: %s", (value, unset) => {
  expect(isUnset(fieldOf(PolicySettings, "zeroDataRetention"), value)).toBe(unset);
});

test("whatever was answered and whatever was recorded is compared without an error", () => {
  const fields = managedSpecs.flatMap((spec) => spec.fields.message);
  const resolution = fc.option(fc.record({ input: fc.jsonValue(), value: fc.jsonValue() }), { nil: undefined });
  fc.assert(
    fc.property(
      fc.constantFrom(...fields),
      fc.jsonValue(),
      fc.jsonValue(),
      resolution,
      (field, desired, live, recordedAs) => {
        expect(Array.isArray(differences(field, desired, live, recordedAs))).toBe(true);
      },
    ),
    { numRuns: 1000 },
  );
});

const policy: Resolution = {
  input: { scaleUpWindow: "5m", loadTargets: { a: 1, b: 2 } },
  value: { scaleUpWindow: "60s", loadTargets: { a: 3, b: 2 } },
  stands: true,
};

test.each<[why: string, desired: unknown, live: unknown, paths: string[]]>([
  ["neither side has changed", policy.input, policy.value, []],
  ["the service has filled in more", policy.input, { ...(policy.value as object), scaleDownWindow: "1s" }, []],
  [
    "a member that the program changes counts, the others stand",
    { scaleUpWindow: "5m", loadTargets: { a: 1, b: 4 } },
    policy.value,
    ["autoscalingPolicy.loadTargets.b"],
  ],
  [
    "a member that the service changes counts, the others stand",
    policy.input,
    { scaleUpWindow: "61s", loadTargets: { a: 3, b: 2 } },
    ["autoscalingPolicy.scaleUpWindow"],
  ],
])("what was answered to an own write stands (A033): %s", (_, desired, live, paths) => {
  const found = differences(deployment("autoscalingPolicy"), desired, live, policy);
  expect(found.map(({ path }) => path.join("."))).toEqual(paths);
});

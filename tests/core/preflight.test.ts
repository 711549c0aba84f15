import { conflictsWith, modelIn, shapeFailures, tuningFailures } from "../../provider/core/declaration/preflight";
import { managedSpecs, specs } from "../../provider/resources/index";

const deploying = specs.Deployment.preflight!;
const training = specs.SupervisedFineTuningJob.preflight!;
const reinforcing = specs.RlorTrainerJob.preflight!;
const owned = [...specs.Deployment.fields.message, ...specs.Deployment.fields.directives].filter(
  ({ markers }) => markers.ownedBy?.field === "deploymentShape",
);

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const model = "accounts/platform/models/m";

test("only deployments and training jobs are checked beforehand", () => {
  expect(
    managedSpecs
      .filter(({ preflight }) => preflight)
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual(["Deployment", "RlorTrainerJob", "SupervisedFineTuningJob"]);
});

test.each([
  ["its base model", training, { baseModel: model }, { path: "baseModel", name: model }],
  ["the addon that it continues from", training, { warmStartFrom: model }, { path: "warmStartFrom", name: model }],
  [
    "the one in a message",
    reinforcing,
    { trainingConfig: { baseModel: model } },
    { path: "trainingConfig.baseModel", name: model },
  ],
  ["none where none is set", training, { baseModel: null, warmStartFrom: "" }, undefined],
  ["none where it is not known yet", training, { baseModel: unknown, warmStartFrom: model }, undefined],
])("the model of an object is %s", (_, rules, inputs, expected) => {
  expect(modelIn(rules, inputs)).toEqual(expected);
});

test.each([
  ["an adapter where adapters are trained", { name: model, supervisedLoraTunable: true }, {}, 0],
  ["all parameters where only adapters are trained", { name: model, supervisedLoraTunable: true }, { loraRank: 0 }, 1],
  [
    "an adapter where only all parameters are trained",
    { name: model, supervisedFullParameterTunable: true },
    { loraRank: 8 },
    1,
  ],
  ["a public model without a flag", { name: model, public: true }, {}, 1],
  ["a model without any flag", { name: model }, {}, 0],
  ["a model of the first generation", { name: model, public: true, tunable: true }, {}, 0],
  ["a rank that is not known yet", { name: model, public: true }, { loraRank: unknown }, 0],
])("tuning %s", (_, base, inputs, count) => {
  expect(tuningFailures(training, { path: "baseModel", name: model }, base, inputs)).toHaveLength(count);
});

test.each([
  ["the same value", { precision: "FP8" }, { precision: "FP8" }, []],
  ["another value", { precision: "FP16" }, { precision: "FP8" }, ["precision"]],
  [
    "a flag that is off where the snapshot has it on",
    { enableAddons: false },
    { enableAddons: true },
    ["enableAddons"],
  ],
  ["what the snapshot does not say", { precision: "FP16" }, { acceleratorCount: 1 }, []],
  [
    "what the snapshot leaves unset",
    { precision: "FP16", acceleratorCount: 2, enableAddons: true },
    { precision: "PRECISION_UNSPECIFIED", acceleratorCount: 0, enableAddons: false },
    [],
  ],
  [
    "what the program leaves unset",
    { maxContextLength: 0, precision: null },
    { maxContextLength: 8192, precision: "FP8" },
    [],
  ],
  ["an empty draft model, which is a value", { draftModel: "" }, { draftModel: "d" }, ["draftModel"]],
  [
    "a field with another name in the snapshot",
    { numPeftDeviceCached: 4 },
    { numLoraDeviceCached: 8 },
    ["numPeftDeviceCached"],
  ],
  ["a directive", { disableSpeculativeDecoding: true }, { disableSpeculativeDecoding: false, draftModel: "d" }, []],
  ["a value that is not known yet", { precision: unknown }, { precision: "FP8" }, []],
])("against a snapshot, %s (A047)", (_, inputs, snapshot, expected) => {
  expect(conflictsWith(owned, snapshot, inputs)).toEqual(expected);
});

const version = (name: string, snapshot: object) => ({ name, snapshot });

test("of the shapes that the service may pick one without a conflict is enough", () => {
  const compatible = [version("a", { precision: "FP8" }), version("b", { precision: "FP16" })];
  expect(shapeFailures(deploying.shape!, owned, { precision: "FP16" }, { compatible })).toEqual([]);
  expect(shapeFailures(deploying.shape!, owned, { precision: "NF4" }, { compatible: [] })).toEqual([]);
  const [failure] = shapeFailures(deploying.shape!, owned, { precision: "NF4" }, { compatible });
  expect(failure).toEqual({
    path: "deploymentShape",
    reason:
      "every compatible shape conflicts with fields set here: a with `precision`; b with `precision`. Drop these fields",
  });
});

test("for a named shape, the conflicts are reported, with the shapes that fit", () => {
  const [a, b] = [version("a", { precision: "FP8" }), version("b", { precision: "FP16" })];
  const failures = (inputs: object) =>
    shapeFailures(deploying.shape!, owned, { ...inputs }, { named: a, compatible: [a, b] });
  expect(failures({ precision: "FP8" })).toEqual([]);
  expect(failures({ precision: "FP16" })[0]!.reason).toBe(
    "the shape conflicts with fields set here: a with `precision`. Drop these fields or take a compatible shape that does not conflict: b",
  );
  expect(failures({ precision: "NF4" })[0]!.reason).toContain("there is none");
});

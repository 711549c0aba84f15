import type { Lifecycle, ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { managedSpecs, specOf, specs } from "../../provider/resources/index";
import { differing, within } from "./declared";
import {
  mutableDeploymentFields,
  mutableModelFields,
  notSemanticJobFields,
  replacingDeploymentFields,
  replacingModelFields,
} from "./reference/mutability";
import { deployedModelStates, deploymentStates, jobStateClasses, modelStates, userStates } from "./reference/states";
import { settableFields } from "./reference/tables";
import type { FieldFact, SettableKind } from "./reference/types";

/** Facts about whole fields that a program can set. */
const topLevel = ({ kind }: ResourceSpec): FieldFact[] =>
  settableFields(kind as SettableKind).filter(({ path }) => /^\w+$/.test(path));

const sorted = (values: readonly string[]): string[] => [...values].sort();

const named = (fields: readonly Field[], of: (field: Field) => boolean): string[] =>
  sorted(fields.filter(of).map(({ name }) => name));

const immutable = ({ markers }: Field): boolean => markers.immutable === true;
const recordedOnly = ({ markers }: Field): boolean => markers.recordedOnly === true || markers.deprecated !== undefined;

test.each([
  ["Deployment", mutableDeploymentFields, replacingDeploymentFields, "A041"],
  ["Model", mutableModelFields, replacingModelFields, "A080"],
])("fields of %s change in place or by replacement, as their convention says (%#)", (kind, mutable, replacing) => {
  const { message } = specOf(kind)!.fields;
  expect(named(message, immutable)).toEqual(sorted(replacing));
  expect(named(message, (field) => !immutable(field) && !recordedOnly(field))).toEqual(sorted(mutable));
});

test.each([specs.SupervisedFineTuningJob, specs.RlorTrainerJob] as readonly ResourceSpec[])(
  "a change of $kind that trains something else replaces it, others record (A070)",
  ({ fields: { message } }) => {
    const cosmetic = notSemanticJobFields.filter((name) => message.some((field) => field.name === name));
    expect(named(message, recordedOnly)).toEqual(sorted(cosmetic));
    expect(named(message, immutable)).toEqual(named(message, ({ name }) => !cosmetic.includes(name)));
  },
);

test.each([specs.User, specs.Secret, specs.PolicySettings, specs.DeployedModel] as readonly ResourceSpec[])(
  "no change of $kind replaces it (A051, A060, A081)",
  ({ fields: { message } }) => {
    expect(named(message, (field) => immutable(field) || recordedOnly(field))).toEqual([]);
  },
);

test("size validation is a directive in all but its place: it sends nothing (A005)", () => {
  expect(named(specs.Deployment.fields.message, ({ markers }) => markers.recordedOnly === true)).toEqual([
    "disableDeploymentSizeValidation",
  ]);
});

test("create-deployment's query options but validateOnly and id are directives (A005)", () => {
  expect(named(specs.Deployment.fields.directives, () => true)).toEqual([
    "acceptShapelessRisk",
    "disableAutoDeploy",
    "disableSpeculativeDecoding",
    "skipImageTagValidation",
    "skipShapeValidation",
  ]);
});

const updatable = managedSpecs.filter(({ operations }) => operations["update"]);

const onRemoval = { clear: "cleared", reset: "reset", keep: undefined } as const;

test.each(updatable)("what a program of $kind drops is cleared, reset or kept as stated (A035)", (each) => {
  const changeable = (field: Field): boolean => !immutable(field) && !recordedOnly(field);
  expect(
    differing(
      each.kind,
      topLevel(each),
      (field) => (changeable(field) ? onRemoval[field.markers.onRemoval ?? "keep"] : undefined),
      ({ dropped }) => dropped,
    ),
  ).toEqual([]);
});

test("replica bounds go back to their documented defaults", () => {
  const resets = specs.Deployment.fields.message
    .filter(({ markers }) => markers.onRemoval === "reset")
    .map(({ name, markers }) => [name, markers.resetTo]);
  expect(Object.fromEntries(resets)).toEqual({
    minReplicaCount: 0,
    maxReplicaCount: { largerOf: ["minReplicaCount", 1] },
  });
});

test.each(managedSpecs)("drift watches without a program what is stated of $kind (A049)", (each) => {
  expect(
    differing(
      each.kind,
      topLevel(each),
      ({ markers }) => markers.watched,
      ({ watched }) => watched,
    ),
  ).toEqual([]);
});

test.each(managedSpecs)("zero is a value of $kind, or stands for unset, as stated (A094)", (each) => {
  expect(
    differing(
      each.kind,
      topLevel(each).filter(({ type }) => type !== "object"),
      ({ markers }) => markers.zero,
      ({ zero }) => zero,
    ),
  ).toEqual([]);
});

test("every number of a job that need not be whole is kept with 32 bits (A074)", () => {
  const numbers = [specs.SupervisedFineTuningJob, specs.RlorTrainerJob]
    .flatMap(({ fields }) => fields.message.flatMap(within))
    .filter(({ type }) => type === "number");
  expect(numbers.length).toBeGreaterThan(5);
  expect(numbers.filter(({ markers }) => !markers.float32).map(({ path }) => path)).toEqual([]);
});

test("signed addresses are never stored or compared (A004, A097)", () => {
  const volatile = managedSpecs
    .flatMap(({ fields }) => [...fields.message, ...fields.outputs])
    .filter(({ markers }) => markers.volatile);
  expect(named(volatile, () => true)).toEqual(["metricsFileSignedUrl", "trainerLogsSignedUrl"]);
});

test("enums of answers are open (A090)", () => {
  const answered = Object.values(specs).flatMap((spec: ResourceSpec) => spec.fields.outputs.flatMap(within));
  expect(answered.filter(({ closed }) => closed).map(({ path }) => path)).toEqual([]);
});

/** States by class; what is in no class is unknown to a waiter. */
const classes = ({ moving, ready, failed, resting, gone }: Lifecycle) => ({
  moving: sorted(moving),
  ready: sorted(ready),
  failed: sorted(failed),
  resting: sorted(resting),
  gone: sorted(gone),
});

test.each([specs.SupervisedFineTuningJob, specs.RlorTrainerJob] as readonly ResourceSpec[])(
  "each state of $kind has its class (A071)",
  ({ lifecycle }) => {
    const { active, success, failure, resting, gone } = jobStateClasses;
    expect(classes(lifecycle!)).toEqual({
      moving: sorted(active),
      ready: sorted(success),
      failed: sorted(failure),
      resting: sorted(resting),
      gone: sorted(gone),
    });
  },
);

test.each([
  [
    "Deployment",
    {
      moving: ["CREATING", "UPDATING"],
      ready: ["READY"],
      failed: ["FAILED"],
      resting: [],
      gone: ["DELETED", "DELETING"],
    },
    deploymentStates,
  ],
  [
    "DeployedModel",
    { moving: ["DEPLOYING", "UPDATING"], ready: ["DEPLOYED"], failed: [], resting: [], gone: ["UNDEPLOYING"] },
    deployedModelStates,
  ],
  [
    "User",
    { moving: ["CREATING", "UPDATING"], ready: ["READY"], failed: [], resting: [], gone: ["DELETING"] },
    userStates,
  ],
  ["Model", { moving: [], ready: ["READY"], failed: [], resting: ["UPLOADING"], gone: [] }, modelStates],
] as const)("each state of %s but the unspecified one has its class", (kind, expected, states) => {
  const { lifecycle } = specOf(kind)!;
  expect(classes(lifecycle!)).toEqual(expected);
  expect(sorted(Object.values(expected).flat())).toEqual(
    sorted(states.filter((state) => state !== "STATE_UNSPECIFIED")),
  );
});

test.each(managedSpecs.filter(({ lifecycle }) => lifecycle))(
  "transitions and goals of $kind name states that it has",
  ({ lifecycle, fields }) => {
    const { paths, goals = {}, deleted, gone } = lifecycle!;
    const known = [...fields.outputs.find(({ name }) => name === "state")!.values!, "JOB_STATE_ARCHIVED", "*"];
    const used = [
      ...Object.values(paths).flatMap((path) => path!.map(([state]) => state)),
      ...Object.values(goals).flat(),
      ...deleted,
    ];
    expect(used.filter((state) => !known.includes(state))).toEqual([]);
    expect(deleted.filter((state) => !gone.includes(state))).toEqual([]);
  },
);

test.each([
  ["Deployment", { create: "60m", update: "60m", delete: "15m" }],
  ["User", { create: "2m", update: "2m", delete: "2m" }],
  ["SupervisedFineTuningJob", { create: "24h", update: "24h", delete: "15m" }],
])("an operation on a %s has the time that it needs", (kind, timeouts) => {
  expect(specOf(kind)!.timeouts).toEqual(timeouts);
});

test("polling is as patient as the objects are slow (A096)", () => {
  const pauses = managedSpecs
    .filter(({ lifecycle }) => lifecycle)
    .map(({ kind, lifecycle }) => [kind, lifecycle!.longestPause]);
  expect(pauses).toEqual(
    expect.arrayContaining([
      ["Deployment", "5s"],
      ["User", "5s"],
      ["DeployedModel", "5s"],
      ["SupervisedFineTuningJob", "30s"],
      ["RlorTrainerJob", "30s"],
    ]),
  );
});

test("ids, natural keys and who decides them are as the design says", () => {
  const identities = managedSpecs.map(({ kind, identity: { decidedBy, default: automatic, naturalKey } }) => [
    kind,
    { decidedBy, ...(automatic !== undefined && { default: automatic }), ...(naturalKey && { naturalKey }) },
  ]);
  expect(Object.fromEntries(identities)).toEqual({
    Deployment: { decidedBy: "client", default: "automatic" },
    Model: { decidedBy: "client", default: "automatic" },
    SupervisedFineTuningJob: { decidedBy: "client", default: "automatic" },
    RlorTrainerJob: { decidedBy: "client", default: "automatic" },
    Secret: { decidedBy: "client", default: { hyphenOf: "keyName" }, naturalKey: ["keyName"] },
    User: { decidedBy: "client", default: "service", naturalKey: ["email"] },
    DeployedModel: { decidedBy: "service", naturalKey: ["model", "deployment"] },
    PolicySettings: { decidedBy: "account" },
  });
});

test("a delete leaves nothing, a tombstone until purged, or one for good (A042, A072)", () => {
  const after = managedSpecs.map(({ kind, deletion }) => [kind, deletion]);
  expect(Object.fromEntries(after)).toEqual({
    Deployment: "soft",
    User: "hard",
    Secret: "hard",
    PolicySettings: "hard",
    SupervisedFineTuningJob: "forever",
    RlorTrainerJob: "forever",
    DeployedModel: "hard",
    Model: "hard",
  });
});

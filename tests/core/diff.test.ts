import {
  changesBetween,
  type FieldChange,
  goesFirstIfReplaced,
  toDiffResult,
} from "../../provider/core/comparison/diff";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { managedSpecs, specs } from "../../provider/resources/index";
import type { SettableKind } from "../contract/reference/types";
import { valid } from "../contract/reference/valid";
import type { Values } from "../values";
import { otherValue } from "./other-values";
import { outputsFor } from "./records";

const { Deployment, DeployedModel, PolicySettings, RlorTrainerJob, Secret, SupervisedFineTuningJob, User } =
  specs as unknown as Readonly<Record<string, ResourceSpec>>;

/** Outputs of an object that the service answers just as it was asked for. */
const echoed = (spec: ResourceSpec, inputs: Values, more: Values = {}): Values => {
  const id = spec.fields.resourceId && inputs[spec.fields.resourceId.name];
  return outputsFor(spec, inputs, {
    ...Object.fromEntries(spec.fields.message.map(({ name }) => [name, inputs[name]])),
    name: `accounts/acme/${spec.collection}/${String(id ?? "one")}`,
    ...more,
  });
};

const answerFor = (spec: ResourceSpec, before: Values, after: Values, more: Values = {}) => {
  const changes = changesBetween(spec, echoed(spec, before, more), after);
  return { effects: changes.map(({ path, effect }) => `${effect} ${path}`), ...toDiffResult(spec, changes, after) };
};

/** Full programs of every kind that the contract tables have. */
const fullPrograms = managedSpecs.flatMap((spec) =>
  (valid[spec.kind as SettableKind]?.full ?? []).map(
    (body, index) => [spec.kind, index, spec, body as Values] as const,
  ),
);

const effectOf = ({ markers }: Field): string[] => {
  if (markers.volatile || markers.inputOnly || markers.deprecated !== undefined) return [];
  return [markers.immutable ? "replace" : markers.recordedOnly ? "record" : "update"];
};

test.each(fullPrograms)(
  "another value of any field of %s is one change of its own kind (full program %#)",
  (_, __, spec, body) => {
    for (const field of spec.fields.message.filter(
      ({ name, fields }) => body[name] !== undefined && fields?.length !== 0,
    )) {
      const changes = changesBetween(spec, echoed(spec, body), {
        ...body,
        [field.name]: otherValue(field, body[field.name]),
      });
      expect([field.name, changes.map(({ property, effect }) => `${effect} ${property}`)]).toEqual([
        field.name,
        effectOf(field).map((effect) => `${effect} ${field.name}`),
      ]);
    }
  },
);

test.each(fullPrograms)(
  "a program of %s that has not changed differs nowhere (full program %#)",
  (_, __, spec, body) => {
    expect(answerFor(spec, body, body)).toEqual({
      effects: [],
      changes: false,
      replaces: [],
      deleteBeforeReplace: false,
    });
  },
);

const chat = { baseModel: "accounts/platform/models/m1", deploymentId: "chat", accountId: "acme" };
const auto = { baseModel: "accounts/platform/models/m1", accountId: "acme" };

test("a difference that an update makes leaves the comparison to the engine", () => {
  expect(answerFor(Deployment!, auto, { ...auto, maxReplicaCount: 2 })).toEqual({
    effects: ["update maxReplicaCount"],
    changes: undefined,
    replaces: [],
    deleteBeforeReplace: false,
  });
});

test("a difference that replaces names the properties", () => {
  const after = { ...auto, baseModel: "accounts/platform/models/m2", preemptible: true, maxReplicaCount: 2 };
  expect(answerFor(Deployment!, auto, after)).toEqual({
    effects: ["replace baseModel", "update maxReplicaCount", "replace preemptible"],
    changes: true,
    replaces: ["baseModel", "preemptible"],
    deleteBeforeReplace: false,
  });
});

test.each<[string, ResourceSpec | undefined, Values, Values, boolean]>([
  ["an explicit id that stays is needed by the successor", Deployment, chat, { ...chat, baseModel: "other" }, true],
  [
    "an explicit id that changes is not",
    Deployment,
    chat,
    { ...chat, deploymentId: "chat-2", baseModel: "other" },
    false,
  ],
  ["an automatic id never is", Deployment, auto, { ...auto, baseModel: "other" }, false],
  ["another account has ids of its own", Deployment, chat, { ...chat, accountId: "other" }, false],
  ["another id alone is none", Deployment, chat, { ...chat, deploymentId: "chat-2" }, false],
  [
    "a natural key that stays is, whatever the id",
    Secret,
    { keyName: "K", value: "v" },
    { keyName: "K", value: "v", secretId: "k-2" },
    true,
  ],
])("the old object goes first where the new one has its place: %s", (_, spec, before, after, first) => {
  expect(toDiffResult(spec!, changesBetween(spec!, echoed(spec!, before), after), after)).toMatchObject({
    changes: true,
    deleteBeforeReplace: first,
  });
});

test.each<[string, Values, string[]]>([
  ["an id that the program no longer chooses", { baseModel: chat.baseModel }, []],
  ["another id", { ...chat, deploymentId: "chat-2" }, ["replace deploymentId"]],
  ["the id that it has anyway", chat, []],
  ["another account", { ...chat, accountId: "other" }, ["replace accountId"]],
  ["an id not yet known", { ...chat, deploymentId: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }, ["replace deploymentId"]],
])("%s is judged by the name", (_, after, effects) => {
  expect(answerFor(Deployment!, chat, after).effects).toEqual(effects);
});

test("choosing the id that an object already has replaces nothing", () => {
  expect(answerFor(Deployment!, auto, { ...auto, deploymentId: "one" }).changes).toBe(false);
});

test.each<[string, ResourceSpec | undefined, Values, Values, string[]]>([
  [
    "an option of the provider",
    Deployment,
    { ...auto, ignoreChecks: false },
    { ...auto, ignoreChecks: true },
    ["record ignoreChecks"],
  ],
  ["an option that goes back to its default", Deployment, { ...auto, waitFor: "accepted" }, auto, ["record waitFor"]],
  ["a default that is now spelt out", Deployment, auto, { ...auto, waitFor: "ready" }, []],
  [
    "a directive of create (A005)",
    Deployment,
    auto,
    { ...auto, skipShapeValidation: true },
    ["record skipShapeValidation"],
  ],
  [
    "one timeout of two",
    Deployment,
    { ...auto, timeouts: { create: "1h", delete: "5m" } },
    { ...auto, timeouts: { create: "60m" } },
    ["record timeouts.delete"],
  ],
  [
    "size validation (A005)",
    Deployment,
    auto,
    { ...auto, disableDeploymentSizeValidation: true },
    ["record disableDeploymentSizeValidation"],
  ],
  [
    "a trigger of a job (A070)",
    RlorTrainerJob,
    { triggers: { a: "1" } },
    { triggers: { a: "2" } },
    ["replace triggers.a"],
  ],
  [
    "a new trigger of a job",
    RlorTrainerJob,
    { triggers: { a: "1" } },
    { triggers: { a: "1", b: "1" } },
    ["replace triggers.b"],
  ],
  [
    "a trigger less (A070)",
    RlorTrainerJob,
    { triggers: { a: "1", b: "1" } },
    { triggers: { a: "1" } },
    ["record triggers.b"],
  ],
  ["all triggers less", RlorTrainerJob, { triggers: { a: "1" } }, {}, ["record triggers.a"]],
])("%s", (_, spec, before, after, effects) => {
  expect(answerFor(spec!, before, after).effects).toEqual(effects);
});

const secret = { keyName: "K", value: "v1" };

test.each<[string, Values, Values, (field: Field) => boolean, string[]]>([
  ["another value, as its digest tells", secret, { keyName: "K", value: "v2" }, () => false, ["update value"]],
  ["the same value", secret, secret, () => true, []],
  [
    "another version",
    { ...secret, valueVersion: "1" },
    { ...secret, valueVersion: "2" },
    () => true,
    ["update valueVersion"],
  ],
  [
    "another source",
    { keyName: "K", valueFrom: { env: "A" } },
    { keyName: "K", valueFrom: { file: "a" } },
    () => true,
    ["update valueFrom.env", "update valueFrom.file"],
  ],
  ["another name of the key (A051)", secret, { ...secret, keyName: "L" }, () => true, ["update keyName"]],
])("a secret's value is written again for %s (A054)", (_, before, after, unchanged, effects) => {
  const changes = changesBetween(Secret!, echoed(Secret!, before), after, unchanged);
  expect(changes.map(({ path, effect }) => `${effect} ${path}`)).toEqual(effects);
  expect(JSON.stringify(changes)).not.toMatch(/"v[12]"/);
});

test("a change that the inputs do not show is reported", () => {
  const changes = changesBetween(Secret!, echoed(Secret!, secret), secret, () => false);
  expect(toDiffResult(Secret!, changes, secret).changes).toBe(true);
});

const state = (changes: readonly FieldChange[]) =>
  changes.map(({ path, effect, live }) => `${effect} ${path} ${String(live)}`);

test.each<[string, ResourceSpec | undefined, Values, Values, string[]]>([
  ["a deployment that failed is made anew (A048)", Deployment, auto, { state: "FAILED" }, ["replace state FAILED"]],
  ["a deployment that moves is left alone", Deployment, auto, { state: "UPDATING" }, []],
  [
    "a failed job is held",
    SupervisedFineTuningJob,
    { onFailure: "hold", maxAttempts: 3 },
    { state: "JOB_STATE_FAILED" },
    ["update state JOB_STATE_FAILED"],
  ],
  [
    "a failed job is run again where the program says so",
    SupervisedFineTuningJob,
    { onFailure: "rerun", maxAttempts: 3 },
    { state: "JOB_STATE_FAILED", attempts: 2 },
    ["replace state JOB_STATE_FAILED"],
  ],
  [
    "a job is run again so many times and no more",
    SupervisedFineTuningJob,
    { onFailure: "rerun", maxAttempts: 3 },
    { state: "JOB_STATE_FAILED", attempts: 3 },
    ["update state JOB_STATE_FAILED"],
  ],
  [
    "a cancelled job is a failed one (A071)",
    SupervisedFineTuningJob,
    { onFailure: "rerun" },
    { state: "JOB_STATE_CANCELLED" },
    ["replace state JOB_STATE_CANCELLED"],
  ],
  [
    "a job that stopped early succeeded (A071)",
    SupervisedFineTuningJob,
    { onFailure: "rerun" },
    { state: "JOB_STATE_EARLY_STOPPED" },
    [],
  ],
  ["a paused job is left alone", SupervisedFineTuningJob, { onFailure: "rerun" }, { state: "JOB_STATE_PAUSED" }, []],
  [
    "a deployed model that failed says so in its status (A081)",
    DeployedModel,
    { model: "m", deployment: "d" },
    { state: "DEPLOYING", status: { code: "INTERNAL" } },
    ["replace state DEPLOYING"],
  ],
  [
    "a job whose record is gone stays done (A075)",
    SupervisedFineTuningJob,
    { recreateIfPurged: false },
    { state: "JOB_STATE_COMPLETED", retired: true },
    [],
  ],
  [
    "a job whose record is gone is run again where the program says so (A075)",
    SupervisedFineTuningJob,
    { recreateIfPurged: true },
    { state: "JOB_STATE_COMPLETED", retired: true },
    ["replace retired true"],
  ],
])("%s", (_, spec, inputs, live, changes) => {
  expect(state(changesBetween(spec!, { ...echoed(spec!, inputs), ...live }, inputs))).toEqual(changes);
});

test("a failed object is a difference though no input shows it", () => {
  const changes = changesBetween(
    SupervisedFineTuningJob!,
    { ...echoed(SupervisedFineTuningJob!, {}), state: "JOB_STATE_FAILED" },
    { onFailure: "hold" },
  );
  expect(toDiffResult(SupervisedFineTuningJob!, changes, {})).toEqual({
    changes: true,
    replaces: [],
    deleteBeforeReplace: false,
  });
});

test("a field that this service cannot change in place replaces if listed (A033)", () => {
  const after = { ...auto, maxReplicaCount: 2, immutable: ["maxReplicaCount"] };
  expect(answerFor(Deployment!, auto, after)).toMatchObject({
    effects: ["replace maxReplicaCount", "record immutable"],
    replaces: ["maxReplicaCount"],
  });
});

test("what a program stops setting is cleared, reset or kept (A035)", () => {
  const before = {
    ...auto,
    displayName: "Chat",
    maxReplicaCount: 4,
    acceleratorCount: 2,
    annotations: { "custom/team": "search" },
  };
  const changes = changesBetween(Deployment!, echoed(Deployment!, before), auto);
  expect(changes.map(({ path, desired, effect }) => [path, desired, effect])).toEqual([
    ["displayName", null, "update"],
    ['annotations["custom/team"]', undefined, "update"],
    ["maxReplicaCount", 1, "update"],
  ]);
});

test("what no program set is the service's, whatever it says (A049)", () => {
  const live = {
    replicaCount: 3,
    desiredReplicaCount: 4,
    region: "US_OHIO_1",
    precision: "FP8",
    displayName: "set by hand",
    autoscalingPolicy: { scaleUpWindow: "9s" },
  };
  expect(changesBetween(Deployment!, { ...echoed(Deployment!, auto), ...live }, auto)).toEqual([]);
});

test("members of keyed lists and of maps are named by their keys", () => {
  const all = {
    allowServerless: true,
    allowDedicatedDeployments: true,
    allowTraining: true,
    allowServerlessFast: true,
  };
  const before = { rules: [{ model: "accounts/acme/models/m1", permissions: all }] };
  const after = { rules: [{ model: "accounts/acme/models/m1", permissions: { ...all, allowTraining: false } }] };
  expect(changesBetween(PolicySettings!, echoed(PolicySettings!, before), after)).toEqual([
    {
      path: 'rules["accounts/acme/models/m1"].permissions.allowTraining',
      property: "rules",
      desired: false,
      live: true,
      effect: "update",
    },
  ]);
});

test("a user's e-mail address is changed in place, its letter case not at all (A051)", () => {
  const user = { email: "Ada@Example.com", role: "user" };
  expect(answerFor(User!, user, { ...user, email: "ada@example.com" }).effects).toEqual([]);
  expect(answerFor(User!, user, { ...user, email: "ada@example.org" }).effects).toEqual(["update email"]);
});

describe("an object that the engine replaces for a reason of its own goes first", () => {
  const ada = { userId: "ada", email: "ada@example.com", role: "user", displayName: "Ada" };
  const goesFirst = (spec: ResourceSpec, before: Values, after: Values, more: Values = {}): boolean => {
    const outputs = echoed(spec, before, more);
    return goesFirstIfReplaced(spec, outputs, after, changesBetween(spec, outputs, after));
  };

  test("where the program keeps its id", () => {
    expect(goesFirst(User!, ada, { ...ada, displayName: "Countess" })).toBe(true);
    expect(goesFirst(User!, ada, ada)).toBe(false);
  });

  test("and not where its id could never be used again, or it was adopted", () => {
    const job = { rlorTrainerJobId: "run", displayName: "a" };
    expect(goesFirst(RlorTrainerJob!, job, { ...job, displayName: "b" })).toBe(false);
    const outputs = echoed(User!, ada);
    const adopted = { ...outputs, adopted: true };
    const after = { ...ada, displayName: "Countess" };
    expect(goesFirstIfReplaced(User!, adopted, after, changesBetween(User!, adopted, after))).toBe(false);
  });
});

describe("an object that a run has waited for in vain", () => {
  const chat = { baseModel: "accounts/platform/models/open-8b" };
  const changesOf = (state: string, { awaited, ...inputs }: Values = {}) => {
    const outputs = { ...echoed(Deployment!, chat, { state }), ...(awaited === true && { awaited }) };
    return changesBetween(Deployment!, outputs, { ...chat, ...inputs }).map(({ path, effect }) => `${effect} ${path}`);
  };

  test.each([
    ["CREATING", { awaited: true }, ["update state"]],
    ["UPDATING", { awaited: true, waitFor: "ready" }, ["update state"]],
    ["CREATING", {}, []],
    ["READY", { awaited: true }, []],
    ["CREATING", { awaited: true, waitFor: "accepted" }, ["record waitFor"]],
    ["FAILED", { awaited: true }, ["replace state"]],
    ["ANOTHER", { awaited: true }, ["update state"]],
  ])("that is recorded as %s, with %j, differs in %j", (state, more, changes) => {
    expect(changesOf(state, more)).toEqual(changes);
  });
});

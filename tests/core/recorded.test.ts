import {
  inputsAfterRead,
  outputsAfterRead,
  recordedInputs,
  recordedOutputs,
  storedMessage,
} from "../../provider/core/comparison/recorded";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Resolution } from "../../provider/core/fields/equality";
import { specs } from "../../provider/resources/index";
import type { Values } from "../values";
import { outputsFor } from "./records";

const { Deployment, PolicySettings, RlorTrainerJob, Secret, SupervisedFineTuningJob, User } =
  specs as unknown as Readonly<Record<string, ResourceSpec>>;

const shape = "accounts/platform/deploymentShapes/s1";
const chat = {
  accountId: "acme",
  baseModel: "m1",
  deploymentShape: "default",
  autoscalingPolicy: { scaleUpWindow: "5m" },
  annotations: { "custom/team": "search" },
  maxReplicaCount: 2,
  waitFor: "ready",
  skipShapeValidation: true,
};
const chatAnswer = {
  name: "accounts/acme/deployments/chat-1a2b3c4",
  baseModel: "m1",
  deploymentShape: `${shape}/versions/7`,
  autoscalingPolicy: { scaleUpWindow: "300s", scaleDownWindow: "600s" },
  annotations: { "custom/team": "search", bare: "x" },
  maxReplicaCount: 2,
  state: "READY",
};

test("outputs are the answer, the options, the id and what this provider records", () => {
  expect(outputsFor(Deployment!, chat, chatAnswer)).toEqual({
    ...chatAnswer,
    waitFor: "ready",
    skipShapeValidation: true,
    deploymentId: "chat-1a2b3c4",
    accountId: "acme",
    endpoint: "https://api.example.com",
    accepted: { deploymentShape: `${shape}/versions/7`, directRouteType: null, createTime: null },
    managedFields: [
      "annotations",
      "autoscalingPolicy",
      "autoscalingPolicy.scaleUpWindow",
      "baseModel",
      "deploymentShape",
      "maxReplicaCount",
    ],
    resolutions: {
      annotations: { input: { "custom/team": "search" }, value: { "custom/team": "search", bare: "x" } },
      autoscalingPolicy: { input: { scaleUpWindow: "5m" }, value: { scaleUpWindow: "300s", scaleDownWindow: "600s" } },
      deploymentShape: { input: "default", value: `${shape}/versions/7` },
    },
  });
});

test("the hidden input stays, since only the outputs reach a delete", () => {
  const hidden = { kind: "Deployment", urn: "u", organization: "o", stack: "s" };
  expect(outputsFor(Deployment!, { ...chat, __modelplatform: hidden }, chatAnswer)["__modelplatform"]).toBe(hidden);
});

test("what a service answers under a name of ours is not taken for a record", () => {
  const forged = {
    name: "accounts/acme/deployments/a",
    managedFields: ["x"],
    resolutions: {},
    endpoint: "https://evil.example.com",
    __modelplatform: {},
    replicaCount: 1,
  };
  expect(storedMessage(Deployment!, forged)).toEqual({ name: "accounts/acme/deployments/a", replicaCount: 1 });
});

test("a signed address is stored nowhere, whoever set it (A097)", () => {
  const outputs = outputsFor(
    SupervisedFineTuningJob!,
    { metricsFileSignedUrl: "https://storage.example.com/m?signature=canary" },
    {
      name: "accounts/acme/supervisedFineTuningJobs/j",
      metricsFileSignedUrl: "https://storage.example.com/m?signature=canary",
      trainerLogsSignedUrl: "https://storage.example.com/l?signature=canary",
    },
  );
  expect(JSON.stringify(outputs)).not.toContain("canary");
  expect(recordedInputs(SupervisedFineTuningJob!, outputs)).toEqual({ accountId: "acme" });
});

test("a secret of the program is echoed at the top level only, encrypted (A054)", () => {
  const outputs = outputsFor(
    Secret!,
    { keyName: "K", value: "canary" },
    { name: "accounts/acme/secrets/k", keyName: "K" },
  );
  expect(outputs).toMatchObject({ value: "canary", secretId: "k" });
  expect(JSON.stringify({ ...outputs, value: undefined })).not.toContain("canary");
});

test("a secret that comes from a file or a variable is in no output", () => {
  expect(
    outputsFor(
      Secret!,
      { keyName: "K", valueFrom: { env: "V" } },
      { name: "accounts/acme/secrets/k", keyName: "K", value: "canary" },
    ),
  ).not.toHaveProperty("value");
});

test("the key of a tracking account is kept beside what the service answers of it", () => {
  const tracking = { enabled: true, apiKey: "canary" };
  const outputs = outputsFor(
    SupervisedFineTuningJob!,
    { trackingConfig: tracking },
    {
      name: "accounts/acme/supervisedFineTuningJobs/j",
      trackingConfig: { enabled: true, entity: "", url: "https://t" },
    },
  );
  expect(outputs["trackingConfig"]).toEqual({ enabled: true, apiKey: "canary", entity: "", url: "https://t" });
  expect(JSON.stringify({ ...outputs, trackingConfig: undefined })).not.toContain("canary");
  expect(recordedInputs(SupervisedFineTuningJob!, outputs)).toEqual({ accountId: "acme", trackingConfig: tracking });
});

test("a read does not lose the key of a tracking account, however often", () => {
  const name = "accounts/acme/supervisedFineTuningJobs/j";
  const outputs = outputsFor(
    SupervisedFineTuningJob!,
    { trackingConfig: { enabled: true, apiKey: "key" } },
    { name, trackingConfig: { enabled: true } },
  );
  const read = (recorded: Values) =>
    outputsAfterRead(SupervisedFineTuningJob!, recorded, { name, trackingConfig: { enabled: true, url: "https://t" } });
  expect(read(read(outputs))["trackingConfig"]).toEqual({ enabled: true, apiKey: "key", url: "https://t" });
});

test.each<[string, ResourceSpec | undefined, Values, string, string]>([
  [
    "from its own field",
    SupervisedFineTuningJob,
    { outputModel: "support-8b" },
    "j",
    "accounts/acme/models/support-8b",
  ],
  [
    "as a whole name",
    SupervisedFineTuningJob,
    { outputModel: "accounts/acme/models/support-8b" },
    "j",
    "accounts/acme/models/support-8b",
  ],
  ["from the job's id", SupervisedFineTuningJob, {}, "j-1", "accounts/acme/models/j-1"],
  [
    "from the training's configuration",
    RlorTrainerJob,
    { trainingConfig: { outputModel: "step-1" } },
    "j",
    "accounts/acme/models/step-1",
  ],
])("the name of a job's output model follows %s (A070)", (_, spec, message, id, expected) => {
  expect(
    outputsFor(spec!, {}, { ...message, name: `accounts/acme/${spec!.collection}/${id}` })["outputModelName"],
  ).toBe(expected);
});

test.each([".", "a/b", "a\nb"])(
  "an output model called %j has no name, and the job is recorded all the same",
  (outputModel) => {
    expect(
      outputsFor(SupervisedFineTuningJob!, {}, { outputModel, name: "accounts/acme/supervisedFineTuningJobs/j" }),
    ).not.toHaveProperty("outputModelName");
  },
);

test("records that are handed in are recorded", () => {
  const records = {
    accountId: "acme",
    endpoint: "https://api.example.com",
    adopted: true,
    attempts: 2,
    digests: { value: "salt:hash" },
    previous: null,
  };
  expect(
    recordedOutputs(Secret!, { keyName: "K" }, { name: "accounts/acme/secrets/k", keyName: "K" }, records),
  ).toMatchObject(records);
});

test("an id that the service did not take is recorded beside the one it gave (A016)", () => {
  const outputs = outputsFor(User!, { userId: "Ada", email: "a@b" }, { name: "accounts/acme/users/ada", email: "a@b" });
  expect(outputs).toMatchObject({ userId: "ada", resolutions: { userId: { input: "Ada", value: "ada" } } });
  expect(recordedInputs(User!, outputs)).toMatchObject({ userId: "Ada" });
});

const outputs = outputsFor(Deployment!, chat, chatAnswer);

test("a read finds the inputs as the program spelt them where nothing has changed", () => {
  expect(inputsAfterRead(Deployment!, outputs, { ...chatAnswer, replicaCount: 5, displayName: "set by hand" })).toEqual(
    chat,
  );
});

test.each<[string, Values, Values]>([
  ["a number", { maxReplicaCount: 9 }, { maxReplicaCount: 9 }],
  ["a number that is left out", { maxReplicaCount: undefined }, { maxReplicaCount: null }],
  [
    "another version of a shape (A047)",
    { deploymentShape: `${shape}/versions/8` },
    { deploymentShape: `${shape}/versions/8` },
  ],
  [
    "the program's members of a message, and no others",
    { autoscalingPolicy: { scaleUpWindow: "60s", scaleDownWindow: "9s" } },
    { autoscalingPolicy: { scaleUpWindow: "60s" } },
  ],
  ["a message that is gone", { autoscalingPolicy: null }, { autoscalingPolicy: null }],
  [
    "an annotation, without those of others (A046)",
    { annotations: { "custom/team": "other", bare: "x" } },
    { annotations: { "custom/team": "other" } },
  ],
])("a read finds what has changed as it is: %s", (_, live, inputs) => {
  expect(inputsAfterRead(Deployment!, outputs, { ...chatAnswer, ...live })).toEqual({ ...chat, ...inputs });
});

test("a read finds a whole message whole, so that what others added to it shows", () => {
  const policy = outputsFor(
    PolicySettings!,
    { zeroDataRetention: { defaultEnforced: true } },
    { name: "accounts/acme/policySettings", zeroDataRetention: { defaultEnforced: true } },
  );
  const live = { defaultEnforced: true, training: { enforcement: "NOT_ENFORCED" } };
  expect(
    inputsAfterRead(PolicySettings!, policy, { name: "accounts/acme/policySettings", zeroDataRetention: live })[
      "zeroDataRetention"
    ],
  ).toEqual(live);
});

test("a read leaves alone what is only recorded, deprecated or never answered", () => {
  const name = "accounts/acme/supervisedFineTuningJobs/j";
  const inputs = { displayName: "tune", nodes: 1, trackingConfig: { project: "p" } };
  const job = outputsFor(SupervisedFineTuningJob!, inputs, { name, ...inputs });
  expect(
    inputsAfterRead(SupervisedFineTuningJob!, job, {
      name,
      displayName: "renamed",
      nodes: 2,
      trackingConfig: { project: "q" },
    }),
  ).toEqual({ accountId: "acme", ...inputs });
});

test("after a read the outputs are the live message with what was recorded beside it", () => {
  const live = { ...chatAnswer, state: "UPDATING", description: "set by hand", replicaCount: 1 };
  expect(outputsAfterRead(Deployment!, { ...outputs, status: { code: "OK" } }, live)).toEqual({ ...outputs, ...live });
});

test("after a read a field that is no longer answered is gone", () => {
  expect(outputsAfterRead(Deployment!, { ...outputs, description: "old" }, chatAnswer)).not.toHaveProperty(
    "description",
  );
});

test("reading what a foreign object's outputs never recorded makes no inputs up", () => {
  expect(recordedInputs(Deployment!, { ...chatAnswer, accountId: "acme" })).toEqual({ accountId: "acme" });
});

test("what was answered to an own write stands; what a failure leaves does not", () => {
  const inputs = { baseModel: "m1", maxReplicaCount: 5, accountId: "acme" };
  const live = { ...chatAnswer, baseModel: "m2", maxReplicaCount: 3 };
  const known = { accountId: "acme", endpoint: "https://api.example.com" };
  const resolutions = (answers?: "create" | "update", before?: Record<string, Resolution>): unknown =>
    recordedOutputs(Deployment!, inputs, live, { ...known, answers, resolutions: before })["resolutions"];
  const model = { input: "m1", value: "m2" };
  const most = { input: 5, value: 3 };
  expect(resolutions()).toEqual({ baseModel: model, maxReplicaCount: most });
  expect(resolutions("create")).toEqual({
    baseModel: { ...model, stands: true },
    maxReplicaCount: { ...most, stands: true },
  });
  expect(resolutions("update")).toEqual({ baseModel: model, maxReplicaCount: { ...most, stands: true } });
  const before: Record<string, Resolution> = {
    baseModel: { ...model, stands: true },
    maxReplicaCount: { input: 4, value: 3, stands: true },
  };
  expect(resolutions(undefined, before)).toEqual(before);
  expect(resolutions("update", before)).toMatchObject({ baseModel: before["baseModel"] });
});

test("a role that is not the one that was sent never stands", () => {
  const live = { name: "accounts/acme/users/ada", role: "admin" };
  const known = { accountId: "acme", endpoint: "https://api.example.com", answers: "create" } as const;
  expect(recordedOutputs(User!, { role: "user" }, live, known)["resolutions"]).toEqual({
    role: { input: "user", value: "admin" },
  });
});

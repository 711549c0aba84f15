import { decodeResponse } from "../../provider/api/answers";
import { mockService } from "./support/mock-service";
import { catalogue, testClient } from "./support/test-client";

const decode = (operation: string, value: unknown): unknown =>
  decodeResponse(catalogue.operation(operation), value, { parameters: {} }).value;

const name = "accounts/acme/deployments/chat";

test("a deletion that is to come is no value of an object, and said", () => {
  const announced = { name: "accounts/acme/secrets/s", keyName: "S", deleteTime: "2026-01-02T00:00:00Z" };
  const toCome = "Secret.deleteTime is a time to come: until then nothing is deleted";
  const read = (passed: string) =>
    decodeResponse(catalogue.operation("getSecret"), announced, { parameters: {}, passed: () => Date.parse(passed) });
  expect(read("2026-01-01T00:00:00Z")).toMatchObject({
    value: { name: announced.name, keyName: "S" },
    read: [{ findings: { remarks: expect.arrayContaining([toCome]) } }],
  });
  expect(read("2026-01-01T00:00:00Z").value).not.toHaveProperty("deleteTime");
  expect(read("2026-01-02T00:00:00Z").value).toEqual(announced);
});

test.each([
  ["an integer", "getDeployment", { maxReplicaCount: "4096" }, { maxReplicaCount: 4096 }],
  ["zero", "createDeployment", { minReplicaCount: "0" }, { minReplicaCount: 0 }],
  ["a boolean", "updateDeployment", { enableAddons: "false" }, { enableAddons: false }],
  ["a boolean in capitals", "updateDeployment", { enableAddons: "TRUE" }, { enableAddons: true }],
  ["a boolean as a number", "updateDeployment", { enableAddons: 0 }, { enableAddons: false }],
  ["a fraction", "getSupervisedFineTuningJob", { learningRate: "1e-4" }, { learningRate: 0.0001 }],
  [
    "a member of a message",
    "getRlorTrainerJob",
    {
      trainingConfig: { epochs: "2", loraTargetModules: ["q"], trainerShardingScheme: { sequenceParallelism: "true" } },
    },
    { trainingConfig: { epochs: 2, loraTargetModules: ["q"], trainerShardingScheme: { sequenceParallelism: true } } },
  ],
  [
    "a member of a list",
    "getPolicySettings",
    { rules: [{ model: "m", permissions: { allowTraining: "true" } }] },
    { rules: [{ model: "m", permissions: { allowTraining: true } }] },
  ],
  ["an entry of a map", "getDeployment", { annotations: { "custom/n": 1 } }, { annotations: { "custom/n": "1" } }],
  [
    "text that is answered as a number",
    "getModel",
    { baseModelDetails: { parameterCount: 8 } },
    { baseModelDetails: { parameterCount: "8" } },
  ],
  ["a boolean as a digit", "updateDeployment", { enableAddons: "1" }, { enableAddons: true }],
  ["a number with blanks", "getDeployment", { maxReplicaCount: " 3 " }, { maxReplicaCount: 3 }],
  ["a role in capitals", "getUser", { role: "INFERENCE_USER" }, { role: "inference-user" }],
  ["a role with the prefix of its field", "getUser", { role: "ROLE_ADMIN" }, { role: "admin" }],
  ["a place with the prefix of its enum", "getPolicySettings", { residency: "MULTI_REGION_US" }, { residency: "US" }],
  ["a state without its prefix", "getRlorTrainerJob", { state: "Completed" }, { state: "JOB_STATE_COMPLETED" }],
  ["a state with kind and field", "getDeployment", { state: "DEPLOYMENT_STATE_READY" }, { state: "READY" }],
  [
    "an unset value without its prefix",
    "getRlorTrainerJob",
    { state: "unspecified" },
    { state: "JOB_STATE_UNSPECIFIED" },
  ],
  ["the number of an unset value", "getDeployment", { acceleratorType: 0 }, { acceleratorType: "" }],
  ["a code of gRPC as a number", "getUser", { status: { code: 13 } }, { status: { code: "INTERNAL" } }],
  ["the code of a success in other letters", "getUser", { status: { code: "Ok" } }, { status: { code: "OK" } }],
  [
    "a duration as a message",
    "getDeployment",
    { autoscalingPolicy: { scaleUpWindow: { seconds: "90", nanos: 500_000_000 } } },
    { autoscalingPolicy: { scaleUpWindow: "90.5s" } },
  ],
  [
    "durations in other notations",
    "getDeployment",
    { autoscalingPolicy: { scaleUpWindow: "PT1M30S", scaleDownWindow: "1h0m5s" } },
    { autoscalingPolicy: { scaleUpWindow: "90s", scaleDownWindow: "3605s" } },
  ],
  [
    "a time as a message",
    "getUser",
    { createTime: { seconds: 1767225600 } },
    { createTime: "2026-01-01T00:00:00.000Z" },
  ],
  ["a time in seconds", "getUser", { createTime: 1767225600 }, { createTime: "2026-01-01T00:00:00.000Z" }],
  ["a time in milliseconds", "getUser", { createTime: "1767225600000" }, { createTime: "2026-01-01T00:00:00.000Z" }],
  [
    "a time as HTTP has it",
    "getUser",
    { createTime: "Thu, 01 Jan 2026 00:00:00 GMT" },
    { createTime: "2026-01-01T00:00:00.000Z" },
  ],
  [
    "a map as a list of its entries",
    "getDeployment",
    { annotations: [{ key: "custom/a", value: "1" }] },
    { annotations: { "custom/a": "1" } },
  ],
  ["a message in a text", "getDeployment", { placement: '{"multiRegion":"us"}' }, { placement: { multiRegion: "US" } }],
  [
    "every object of a list",
    "listDeployments",
    { deployments: [{ name, maxReplicaCount: "2" }] },
    { deployments: [{ name, maxReplicaCount: 2 }] },
  ],
])("the decoder brings %s to its declared type", (_, operation, answer, decoded) => {
  expect(decode(operation, answer)).toEqual(decoded);
});

test.each([
  ["a role with more than its prefix says", "getUser", { role: "SUPER_ADMIN" }],
  ["a role of another word", "getUser", { role: "owner" }],
  ["a duration without its unit", "getDeployment", { autoscalingPolicy: { scaleUpWindow: "90" } }],
  ["a duration with other members", "getDeployment", { autoscalingPolicy: { scaleUpWindow: "soon" } }],
  ["a time without a zone", "getUser", { createTime: "2026-01-01 00:00:00" }],
  ["a number that is no time", "getUser", { createTime: "20260101" }],
])("the decoder leaves %s as it is", (_, operation, answer) => {
  expect(decode(operation, answer)).toEqual(answer);
});

test.each([
  ["an integer with letters", { maxReplicaCount: "4k" }],
  ["an integer with a fraction", { maxReplicaCount: "1.5" }],
  ["an integer of more than 53 bits", { maxReplicaCount: "9007199254740993" }],
  ["an empty text", { maxReplicaCount: "" }],
  ["a boolean that is none", { enableAddons: "yes" }],
  ["digits of a text", { displayName: "007" }],
  ["a member that is not declared", { later: "12" }],
])("the decoder leaves %s as it is", (_, answer) => {
  expect(decode("getDeployment", answer)).toEqual(answer);
});

const origin = "https://service.test";

test("a call answers scalars in their declared types", async () => {
  const { agent } = mockService([origin], () => ({ body: { name, maxReplicaCount: "2", enableAddons: "true" } }));
  const { value } = await testClient(origin, { dispatcher: agent }).call("getDeployment", { parameters: { name } });
  expect(value).toEqual({ name, maxReplicaCount: 2, enableAddons: true });
});

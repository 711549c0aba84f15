import { readAnswer } from "../../provider/api/answers";
import { mockService } from "./support/mock-service";
import { catalogue, testClient } from "./support/test-client";

const decode = (operation: string, value: unknown): unknown =>
  readAnswer(catalogue.operation(operation), value, { parameters: {} }).value;

const name = "accounts/acme/deployments/chat";

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

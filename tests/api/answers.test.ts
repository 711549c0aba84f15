import { checkAnswer } from "../../provider/api/answers";
import { isAmbiguousOutcome, isModelPlatformError } from "../../provider/core/errors";
import { fillTemplate, matchTemplate, parametersOf } from "../../provider/core/values/names";
import { allSpecs } from "../../provider/resources/index";
import { rejection } from "../rejection";
import { mockService } from "./support/mock-service";
import { catalogue, testClient } from "./support/test-client";

const chat = { name: "accounts/acme/deployments/chat", baseModel: "m" };
const own = { account: "acme", deploymentId: "chat" };
const check = (operation: string, value: unknown, parameters: Record<string, string> = own, readMask?: string) =>
  checkAnswer(catalogue.operation(operation), value, { parameters, readMask });

test.each([
  ["getDeployment", chat, own],
  ["updateDeployment", chat, own],
  ["createDeployment", { ...chat, name: "accounts/acme/deployments/another" }, own],
  ["getPolicySettings", {}, { account: "acme" }],
  ["getPolicySettings", { name: "accounts/acme/policySettings" }, { account: "acme" }],
  ["getResponse", { id: "r", object: "response" }, { responseId: "r" }],
  [
    "getDeploymentShapeVersion",
    { name: "accounts/platform/deploymentShapes/s/versions/v" },
    { account: "platform", deploymentShapeId: "s", versionId: "v" },
  ],
  ["getUser", { name: "accounts/acme/users/a b" }, { account: "acme", userId: "a b" }],
  ["deleteDeployment", {}, own],
  ["undeleteDeployment", {}, own],
  ["listDeployments", { deployments: [chat], nextPageToken: "", totalSize: 1 }, { account: "acme" }],
  ["listDeployments", {}, { account: "acme" }],
  ["listDeployments", { totalSize: 0, nextPageToken: "" }, { account: "acme" }],
  ["listDeployments", { nextPageToken: "2", totalSize: 9 }, { account: "acme" }],
  ["listDeployments", { metadata: { region: "north" } }, { account: "acme" }],
  ["listAccounts", { accounts: [{ name: "accounts/acme" }, { name: "accounts/other" }] }, {}],
  [
    "listDeploymentShapeVersions",
    {
      deploymentShapeVersions: [
        { name: "accounts/platform/deploymentShapes/s/versions/1" },
        { name: "accounts/acme/deploymentShapes/t/versions/1" },
      ],
    },
    { account: "-", deploymentShapeId: "-" },
  ],
  [
    "matchDeploymentShapeVersions",
    {
      deploymentShapeVersions: [
        {
          name: "accounts/platform/deploymentShapes/s/versions/1",
          snapshot: { name: "accounts/platform/deploymentShapes/s", baseModel: "accounts/platform/models/m" },
        },
      ],
    },
    { account: "acme" },
  ],
  [
    "getDeployment",
    { ...chat, baseModel: "accounts/platform/models/m", deploymentShape: "accounts/other/deploymentShapes/s" },
    own,
  ],
  [
    "getSupervisedFineTuningJob",
    {
      name: "accounts/acme/supervisedFineTuningJobs/j",
      baseModel: "accounts/platform/models/m",
      dataset: "accounts/platform/datasets/d",
      outputModel: "m-2",
    },
    { account: "acme", supervisedFineTuningJobId: "j" },
  ],
  ["undeleteDeployment", chat, own],
  ["scaleDeployment", chat, own],
  ["deleteDeployment", chat, own],
  [
    "getModelUploadEndpoint",
    { filenameToSignedUrls: { name: "https://x.example.com" } },
    { account: "acme", modelId: "m" },
  ],
  ["listDeployments", { deployments: null }, { account: "acme" }],
] as [string, unknown, Record<string, string>][])("%s may answer %j", (operation, value, parameters) => {
  expect(check(operation, value, parameters)).toEqual({ remarks: [] });
});

test.each([
  ["getDeployment", [], "a list instead of an object"],
  ["getDeployment", null, "null instead of an object"],
  ["getDeployment", "x", "a string instead of an object"],
  ["getDeployment", {}, "no `name`, which every Deployment has"],
  ["getDeployment", { name: 3 }, "no `name`, which every Deployment has"],
  [
    "getDeployment",
    { name: "accounts/acme/models/chat" },
    'an object whose name is not that of a Deployment: "accounts/acme/models/chat"',
  ],
  ["getDeployment", { name: "accounts/acme/deployments/other" }, 'another object, "accounts/acme/deployments/other"'],
  [
    "createDeployment",
    { name: "accounts/other/deployments/chat" },
    '"accounts/other/deployments/chat", which is not an object of account `acme`',
  ],
  ["listDeployments", { items: [chat], totalSize: 1 }, "the list `items` and no list `deployments`"],
  ["listDeployments", { items: [] }, "the list `items` and no list `deployments`"],
  ["listDeployments", { deployments: null, data: [chat] }, "the list `data` and no list `deployments`"],
  ["listDeployments", { result: { deployments: [] } }, "the list `result.deployments` and no list `deployments`"],
  ["listDeployments", { error: { code: 16 } }, "an `error` and no list `deployments`"],
  ["listDeployments", { totalSize: 2 }, "a `totalSize` of 2 and no list `deployments`"],
  ["listDeployments", { totalSize: "2" }, "a `totalSize` of 2 and no list `deployments`"],
  [
    "listDeployments",
    { deployments: [chat], next_page_token: "2" },
    "`next_page_token`, which is no `nextPageToken` that is text",
  ],
  [
    "listDeployments",
    { deployments: [chat], nextPageToken: { page: 2 } },
    "`nextPageToken`, which is no `nextPageToken` that is text",
  ],
  ["listDeployments", { deployments: {} }, "an object instead of the list `deployments`"],
  ["listDeployments", { deployments: [null] }, "null instead of an object in the list `deployments`"],
  ["deleteDeployment", [], "a list instead of an object"],
  [
    "undeleteDeployment",
    { name: "accounts/other/deployments/chat" },
    '"accounts/other/deployments/chat", which is not an object of account `acme`',
  ],
  [
    "scaleDeployment",
    { name: "accounts/other/deployments/chat" },
    '"accounts/other/deployments/chat", which is not an object of account `acme`',
  ],
  [
    "deleteDeployment",
    { name: "accounts/other/deployments/chat" },
    '"accounts/other/deployments/chat", which is not an object of account `acme`',
  ],
  [
    "listDeployments",
    { deployments: [chat, { name: "accounts/other/deployments/chat" }] },
    '"accounts/other/deployments/chat", which is not an object of account `acme`',
  ],
  [
    "listDeployments",
    { deployments: [{ name: "accounts/acme/users/chat" }] },
    'an object whose name is not that of a Deployment: "accounts/acme/users/chat"',
  ],
  ["listDeployments", { deployments: [{}] }, "no `name`, which every Deployment has"],
  [
    "matchDeploymentShapeVersions",
    { deploymentShapeVersions: [{ name: "accounts/other/deployments/chat" }] },
    'an object whose name is not that of a DeploymentShapeVersion: "accounts/other/deployments/chat"',
  ],
  [
    "getDeployment",
    { ...chat, hotLoadTrainerJob: "accounts/other/rlorTrainerJobs/j" },
    '`hotLoadTrainerJob` "accounts/other/rlorTrainerJobs/j", which is not an object of account `acme`',
  ],
] as [string, unknown, string][])("%s must not answer %j", (operation, value, problem) => {
  expect(check(operation, value).problem).toBe(problem);
});

test.each([
  [
    "DeployedModel",
    { deployment: "accounts/other/deployments/d" },
    '`deployment` "accounts/other/deployments/d", which is not an object of account `acme`',
  ],
  [
    "SupervisedFineTuningJob",
    { outputModel: "accounts/other/models/m" },
    '`outputModel` "accounts/other/models/m", which is not an object of account `acme`',
  ],
  [
    "RlorTrainerJob",
    { trainingConfig: { outputModel: "accounts/other/models/m" } },
    '`trainingConfig.outputModel` "accounts/other/models/m", which is not an object of account `acme`',
  ],
  [
    "SupervisedFineTuningJob",
    { cloudS3Config: { credentialsSecret: "accounts/other/secrets/s" } },
    '`cloudS3Config.credentialsSecret` "accounts/other/secrets/s", which is not an object of account `acme`',
  ],
  [
    "Model",
    { deployedModelRefs: [{ deployment: "accounts/other/deployments/d" }] },
    '`deployedModelRefs[].deployment` "accounts/other/deployments/d", which is not an object of account `acme`',
  ],
])("a %s must not refer to another account by %j", (kind, fields, problem) => {
  const spec = allSpecs.find((each) => each.kind === kind)!;
  const parameters = matchTemplate(spec.name, fillTemplate(spec.name, { account: "acme", [idOf(spec.name)]: "x" }))!;
  const object = { name: fillTemplate(spec.name, parameters), ...fields };
  expect(check(`get${kind}`, object, parameters).problem).toBe(problem);
  const list = { [spec.collection]: [object] };
  expect(check(catalogue.require(kind, "list").name, list, { account: "acme" }).problem).toBe(problem);
});

test("a public model may refer to deployments of the account that reads it, no other's", () => {
  const parameters = { account: "platform", modelId: "m" };
  const problemWith = (account: string): string | undefined =>
    checkAnswer(
      catalogue.operation("getModel"),
      { name: "accounts/platform/models/m", deployedModelRefs: [{ deployment: `accounts/${account}/deployments/d` }] },
      { parameters, reader: "acme" },
    ).problem;
  expect([problemWith("platform"), problemWith("acme")]).toEqual([undefined, undefined]);
  expect(problemWith("other")).toMatch(
    /"accounts\/other\/deployments\/d", which is not an object of account `platform`/,
  );
});

const idOf = (template: string): string => parametersOf(template).at(-1)!;

test("an answer with a read mask may lack the name", () => {
  expect(check("getDeployment", {}, own, "state")).toEqual({ remarks: [] });
  expect(check("getDeployment", {}, own, "*").problem).toBeDefined();
});

test("unknown members, unknown values and other types are remarks (A090)", () => {
  expect(
    check("getDeployment", {
      ...chat,
      state: "HIBERNATING",
      region: "MOON_1",
      newField: 1,
      minReplicaCount: "two",
      maxReplicaCount: "2",
      placement: { regions: ["US_IOWA_1", "MARS_1"], orbit: true },
      autoscalingPolicy: { loadTargets: { default: 0.5 } },
      annotations: { "custom/a": 1 },
    }).remarks,
  ).toEqual([
    'Deployment.state is "HIBERNATING", which is not in the API\'s description',
    'Deployment.region is "MOON_1", which is not in the API\'s description',
    "Deployment has a member `newField` that is not in the API's description",
    "Deployment.minReplicaCount is a string, not of type integer",
    'Deployment.placement.regions[] is "MARS_1", which is not in the API\'s description',
    "Deployment.annotations{} is a number, not of type string",
  ]);
});

test("a remark is logged once, and the value is passed on as it came", async () => {
  const { agent } = mockService(["https://api.example.com"], () => ({ body: { ...chat, state: "HIBERNATING" } }));
  const client = testClient("https://api.example.com", { dispatcher: agent });
  const first = await client.call("getDeployment", { parameters: own });
  await client.call("getDeployment", { parameters: own });
  expect(first.value["state"]).toBe("HIBERNATING");
  expect(client.log.filter((entry) => entry.level === "warning")).toEqual([
    { level: "warning", text: 'Deployment.state is "HIBERNATING", which is not in the API\'s description' },
  ]);
});

test("a read of another object is an error, a create without one an unknown outcome", async () => {
  const { agent } = mockService(["https://api.example.com"], ({ method }) => ({
    body: method === "GET" ? { ...chat, name: "accounts/acme/deployments/other" } : [],
  }));
  const client = testClient("https://api.example.com", { dispatcher: agent });
  const read = await rejection(client.call("getDeployment", { parameters: own }));
  expect(isModelPlatformError(read) && !isAmbiguousOutcome(read)).toBe(true);
  expect(read.message).toMatch(/^getDeployment \(GET .*\) answered 200 with another object/);
  expect(
    isAmbiguousOutcome(
      await rejection(client.call("createDeployment", { query: { deploymentId: "chat" }, body: {}, idempotent: true })),
    ),
  ).toBe(true);
});

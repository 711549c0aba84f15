import { decodeResponse } from "../../provider/api/answers";
import { unusableIn } from "../../provider/api/unusable-values";
import { isAmbiguousOutcome, isModelPlatformError, type ModelPlatformError } from "../../provider/core/errors";
import { fillTemplate, matchTemplate, parametersOf } from "../../provider/core/values/names";
import { allSpecs } from "../../provider/resources/index";
import { rejection } from "../rejection";
import { mockService } from "./support/mock-service";
import { catalogue, testClient } from "./support/test-client";

const chat = { name: "accounts/acme/deployments/chat", baseModel: "m" };
const own = { account: "acme", deploymentId: "chat" };
function check(operation: string, answer: unknown, parameters: Record<string, string> = own, readMask?: string) {
  const { problem, read } = decodeResponse(catalogue.operation(operation), answer, { parameters, readMask });
  return { problem, remarks: read.flatMap(({ findings }) => findings.remarks) };
}

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

const other = "accounts/other/deployments/chat";
const deploymentName = "`accounts/{account}/deployments/{deploymentId}`";
const ofAcme = "an object of account `acme`";

test.each([
  ["getDeployment", [], "", "an object"],
  ["getDeployment", null, "", "an object"],
  ["getDeployment", "x", "", "an object"],
  ["getDeployment", {}, "name", `what every Deployment has, ${deploymentName}`],
  ["getDeployment", { name: {} }, "name", `what every Deployment has, ${deploymentName}`],
  ["getDeployment", { name: "accounts/acme/models/chat" }, "name", `the name of a Deployment, ${deploymentName}`],
  ["getDeployment", { name: "accounts/acme/deployments/other" }, "name", "the object that was asked for"],
  ["createDeployment", { name: other }, "name", ofAcme],
  ["listDeployments", { items: [chat, { id: 3 }] }, "items", "the list `deployments`"],
  ["listDeployments", { items: [], totalSize: 1 }, "items", "the list `deployments`"],
  ["listDeployments", { items: [] }, "items", "the list `deployments`"],
  ["listDeployments", { deployments: null, data: [other] }, "data", "the list `deployments`"],
  ["listDeployments", { error: { code: 16 } }, "error", "the list `deployments`"],
  ["listDeployments", { totalSize: 2 }, "totalSize", "as many members of the list `deployments`"],
  ["listDeployments", { totalSize: "2" }, "totalSize", "as many members of the list `deployments`"],
  [
    "listDeployments",
    { deployments: [chat], next_page_token: "2" },
    "next_page_token",
    "`nextPageToken`, which is text",
  ],
  [
    "listDeployments",
    { deployments: [chat], nextPageToken: { page: 2 } },
    "nextPageToken",
    "`nextPageToken`, which is text",
  ],
  ["listDeployments", { deployments: {} }, "deployments", "a list"],
  ["listDeployments", { deployments: [chat, null] }, "deployments[1]", "an object"],
  ["deleteDeployment", [], "", "an object"],
  ["undeleteDeployment", { name: other }, "name", ofAcme],
  ["scaleDeployment", { name: other }, "name", ofAcme],
  ["deleteDeployment", { name: other }, "name", ofAcme],
  ["listDeployments", { deployments: [chat, { name: other }] }, "deployments[1].name", ofAcme],
  [
    "listDeployments",
    { deployments: [{ name: "accounts/acme/users/chat" }] },
    "deployments[0].name",
    `the name of a Deployment, ${deploymentName}`,
  ],
  ["listDeployments", { deployments: [{}] }, "deployments[0].name", `what every Deployment has, ${deploymentName}`],
  [
    "matchDeploymentShapeVersions",
    { deploymentShapeVersions: [{ name: other }] },
    "deploymentShapeVersions[0].name",
    "the name of a DeploymentShapeVersion, `accounts/{account}/deploymentShapes/{deploymentShapeId}/versions/{versionId}`",
  ],
  ["getDeployment", { ...chat, hotLoadTrainerJob: "accounts/other/rlorTrainerJobs/j" }, "hotLoadTrainerJob", ofAcme],
  ["getDeployment", { name: chat.name, base_model: "m" }, "base_model", "`baseModel`"],
  ["getDeployment", { ...chat, minReplicaCount: "two" }, "minReplicaCount", "an integer"],
  ["getDeployment", { ...chat, minReplicaCount: 1.5 }, "minReplicaCount", "an integer"],
  ["getDeployment", { ...chat, enableAddons: "yes" }, "enableAddons", "true or false"],
  ["updateDeployment", { ...chat, displayName: { text: "Chat" } }, "displayName", "text"],
  ["createDeployment", { ...chat, placement: "auto" }, "placement", "an object"],
  ["getDeployment", { ...chat, placement: { regions: ["a", {}] } }, "placement.regions[1]", "text"],
  ["getDeployment", { ...chat, annotations: { "custom/a": [] } }, 'annotations["custom/a"]', "text"],
  [
    "listDeployments",
    { deployments: [chat, { ...chat, maxReplicaCount: [] }] },
    "deployments[1].maxReplicaCount",
    "an integer",
  ],
] as [string, unknown, string, string][])("%s must not answer %j", (operation, value, at, expected) => {
  const { problem } = check(operation, value);
  expect({ at: problem?.at, expected: problem?.expected }).toEqual({ at, expected });
  expect(problem?.actual).toEqual(at === "" ? value : valueAt(value, at));
});

test.each([
  ["under another name", { items: [chat], nextPageToken: "2" }, [chat]],
  ["within a result", { result: { deployments: [chat], nextPageToken: "2" } }, [chat]],
  ["within a result, and empty", { result: { deployments: [], nextPageToken: "2" } }, []],
  ["under another name, and counted as empty", { data: [], totalSize: 0, nextPageToken: "2" }, []],
])("a list %s is the one that was asked for", (_, answer, members) => {
  const { value, problem } = decodeResponse(catalogue.operation("listDeployments"), answer, {
    parameters: { account: "acme" },
  });
  expect(problem).toBeUndefined();
  expect(value).toMatchObject({ deployments: members, nextPageToken: "2" });
});

test.each([
  ["getDeployment", { baseModel: "m" }, own, undefined, chat.name],
  ["getDeployment", { id: "chat", baseModel: "m" }, own, undefined, chat.name],
  ["getDeployment", { id: "other", baseModel: "m" }, own, undefined, undefined],
  ["createDeployment", { baseModel: "m" }, { account: "acme" }, "chat", chat.name],
  ["createUser", { id: "ada", email: "ada@example.com" }, { account: "acme" }, undefined, "accounts/acme/users/ada"],
  ["createUser", { email: "ada@example.com" }, { account: "acme" }, undefined, undefined],
])(
  "%s that answers %j without a name is about the object that was asked for",
  (operation, answer, parameters, id, name) => {
    const { value, problem } = decodeResponse(catalogue.operation(operation), answer, { parameters, id });
    expect((value as { name?: string }).name).toBe(name);
    expect(problem === undefined).toBe(name !== undefined);
  },
);

/** What is at such a path. */
const valueAt = (value: unknown, path: string): unknown =>
  [...path.matchAll(/\["([^"]+)"\]|[^.[\]]+/g)].reduce<unknown>(
    (inner, [whole, key = whole]) => (inner as Record<string, unknown>)[key],
    value,
  );

test.each([
  ["DeployedModel", { deployment: "accounts/other/deployments/d" }, "deployment"],
  ["SupervisedFineTuningJob", { outputModel: "accounts/other/models/m" }, "outputModel"],
  ["RlorTrainerJob", { trainingConfig: { outputModel: "accounts/other/models/m" } }, "trainingConfig.outputModel"],
  [
    "SupervisedFineTuningJob",
    { cloudS3Config: { credentialsSecret: "accounts/other/secrets/s" } },
    "cloudS3Config.credentialsSecret",
  ],
  ["Model", { deployedModelRefs: [{ deployment: "accounts/other/deployments/d" }] }, "deployedModelRefs[].deployment"],
])("a %s must not refer to another account by %j", (kind, fields, at) => {
  const spec = allSpecs.find((each) => each.kind === kind)!;
  const parameters = matchTemplate(spec.name, fillTemplate(spec.name, { account: "acme", [idOf(spec.name)]: "x" }))!;
  const object = { name: fillTemplate(spec.name, parameters), ...fields };
  expect(check(`get${kind}`, object, parameters).problem).toMatchObject({ at, expected: ofAcme });
  const list = { [spec.collection]: [object] };
  expect(check(catalogue.require(kind, "list").name, list, { account: "acme" }).problem).toMatchObject({
    at: `${spec.collection}[0].${at}`,
    expected: ofAcme,
  });
});

test("a public model may refer to deployments of the account that reads it, no other's", () => {
  const parameters = { account: "platform", modelId: "m" };
  const problemWith = (account: string): unknown =>
    decodeResponse(
      catalogue.operation("getModel"),
      { name: "accounts/platform/models/m", deployedModelRefs: [{ deployment: `accounts/${account}/deployments/d` }] },
      { parameters, reader: "acme" },
    ).problem;
  expect([problemWith("platform"), problemWith("acme")]).toEqual([undefined, undefined]);
  expect(problemWith("other")).toMatchObject({
    expected: "an object of account `platform`",
    actual: "accounts/other/deployments/d",
  });
});

const idOf = (template: string): string => parametersOf(template).at(-1)!;

test("an answer with a read mask may lack the name", () => {
  expect(check("getDeployment", {}, own, "state")).toEqual({ remarks: [] });
  expect(check("getDeployment", {}, own, "*").problem).toBeDefined();
});

test("unknown members and values, and types of outputs, are remarks (A090)", () => {
  expect(
    check("getDeployment", {
      ...chat,
      state: "HIBERNATING",
      region: "MOON_1",
      newField: 1,
      replicaCount: "two",
      maxReplicaCount: "2",
      placement: { regions: ["US_IOWA_1", "MARS_1"], orbit: true },
      autoscalingPolicy: { loadTargets: { default: 0.5 } },
    }).remarks,
  ).toEqual([
    'Deployment.state is "HIBERNATING", which is not in the API\'s description',
    'Deployment.region is "MOON_1", which is not in the API\'s description',
    "Deployment has a member `newField` that is not in the API's description",
    "Deployment.replicaCount is a string, not of type integer",
    'Deployment.placement.regions[] is "MARS_1", which is not in the API\'s description',
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

test("where the description lists no value but the unset one, each is as good as any", () => {
  const account = { name: "accounts/acme", state: "READY", suspendState: "SUSPENDED", accountType: "ENTERPRISE" };
  expect(check("listAccounts", { accounts: [account] }, {})).toEqual({ problem: undefined, remarks: [] });
});

test("a read of another object is an error, a create without one an unknown outcome", async () => {
  const { agent } = mockService(["https://api.example.com"], ({ method }) => ({
    body: method === "GET" ? { ...chat, name: "accounts/acme/deployments/other" } : [],
  }));
  const client = testClient("https://api.example.com", { dispatcher: agent });
  const reader = testClient("https://api.example.com", { dispatcher: agent });
  const read = await rejection(reader.call("getDeployment", { parameters: own }));
  expect(isModelPlatformError(read) && !isAmbiguousOutcome(read)).toBe(true);
  expect(read.message).toMatch(
    /^getDeployment \(GET .*\) answered 200 with "accounts\/acme\/deployments\/other" at `name`: expected/,
  );
  expect(
    isAmbiguousOutcome(
      await rejection(client.call("createDeployment", { query: { deploymentId: "chat" }, body: {}, idempotent: true })),
    ),
  ).toBe(true);
});

const answering = (body: unknown) =>
  testClient("https://api.example.com", {
    dispatcher: mockService(["https://api.example.com"], () => ({ body })).agent,
  });

test("of a create's answer, what can be used is recorded", async () => {
  const client = answering({ ...chat, displayName: "Chat", maxReplicaCount: { most: 3 }, enableAddons: [] });
  const { value, unusable } = await client.call("createDeployment", { query: { deploymentId: "chat" }, body: {} });
  expect(value).toEqual({ ...chat, displayName: "Chat" });
  expect(unusable).toMatchObject({ answerAt: "maxReplicaCount" });
  expect(client.log.map(({ text }) => text)).toContainEqual(
    expect.stringMatching(/^Deployment accounts\/acme\/deployments\/chat is created, .*`maxReplicaCount`/),
  );
});

test.each([
  ["getDeployment", { parameters: own }],
  ["updateDeployment", { parameters: own, query: { updateMask: "display_name" }, body: {} }],
])("%s that cannot be decoded is one error, after one request", async (operation, options) => {
  let requests = 0;
  const body = { ...chat, maxReplicaCount: { most: "x".repeat(400) } };
  const client = answering(body);
  const error = (await rejection(
    client.call(operation, { ...options, onSend: () => void requests++ }),
  )) as ModelPlatformError;
  expect(error.message).toMatch(
    new RegExp(`^${operation} \\(.*answered 200 with \\{"most":"x{191}… at \`maxReplicaCount\`: expected an integer`),
  );
  expect(error).toMatchObject({ answerAt: "maxReplicaCount", status: 200 });
  expect(requests).toBe(1);
});

test("what an answer holds is masked before it is cut", async () => {
  const secret = `${"s3cret".repeat(40)}`;
  const client = answering({ name: "accounts/acme/secrets/s", keyName: { key: secret }, value: secret });
  const error = await rejection(client.call("getSecret", { parameters: { account: "acme", secretId: "s" } }));
  expect(error.message).toContain('with {"key":"[redacted]"} at `keyName`: expected text');
  expect(error.message).not.toContain("s3cret");
});

test.each(["base_model", "BaseModel", "basemodel", "BASE_MODEL"])(
  "an answer with the member %s names the setting that ends it",
  async (member) => {
    const client = answering({ name: chat.name, [member]: "m" });
    const error = await rejection(client.call("getDeployment", { parameters: own }));
    expect(error.message).toContain(`answered 200 with "m" at \`${member}\`: expected \`baseModel\``);
    expect(error.message).toContain("`modelplatform:dialect`");
  },
);

test("a member in other letters beside the right one is the service's own affair", async () => {
  const client = answering({ name: chat.name, baseModel: "m", BaseModel: "n" });
  expect((await client.call("getDeployment", { parameters: own })).value).toMatchObject({ baseModel: "m" });
});

test("a name of another account says what to set if that is an id of this one", async () => {
  const client = answering({ name: "accounts/acct-7/deployments/chat" });
  const error = await rejection(client.call("getDeployment", { parameters: own }));
  expect(error.message).toMatch(/expected an object of account `acme`.*`acct-7`.*`modelplatform:accountId`/);
});

test.each(["NaN", "Infinity", "-Infinity"])("%s is a number, and no integer", (value) => {
  const job = { name: "accounts/acme/supervisedFineTuningJobs/tune", learningRate: value };
  const parameters = { account: "acme", supervisedFineTuningJobId: "tune" };
  expect(check("getSupervisedFineTuningJob", job, parameters)).toEqual({ problem: undefined, remarks: [] });
  expect(check("getSupervisedFineTuningJob", { ...job, epochs: value }, parameters).problem?.at).toBe("epochs");
});

describe("a caller that decides by some properties alone", () => {
  const strange = { ...chat, maxReplicaCount: "many", state: 7 };
  const read = (operation: string, answer: unknown, decides: (property: string) => boolean) =>
    decodeResponse(catalogue.operation(operation), answer, { parameters: own, decides });

  test("gets an answer whose other values cannot be used, and is told of them", () => {
    const { problem, read: objects } = read("getDeployment", strange, () => false);
    expect(problem).toBeUndefined();
    expect(objects.map(({ findings }) => findings.problems.map(({ at }) => at))).toEqual([
      ["maxReplicaCount", "state"],
    ]);
  });

  test("gets a list whose objects have such values", () => {
    const { value, problem } = read("listDeployments", { deployments: [strange] }, () => false);
    expect([problem, value]).toEqual([
      undefined,
      { deployments: [expect.objectContaining({ maxReplicaCount: "many" })] },
    ]);
  });

  test("gets none where it decides by one of them, or where the name is another's", () => {
    expect(read("getDeployment", strange, (property) => property === "state").problem?.at).toBe("state");
    const others = { ...chat, name: "accounts/other/deployments/chat" };
    expect(read("getDeployment", others, () => false).problem?.at).toBe("name");
  });
});

describe("a deferred list", () => {
  const account = { account: "acme" };
  const decode = (deployments: readonly unknown[], deferred: boolean) =>
    decodeResponse(catalogue.operation("listDeployments"), { deployments }, { parameters: account, deferred });

  test.each([
    null,
    { name: other },
    { baseModel: "m" },
    { name: chat.name, base_model: "m" },
    { ...chat, hotLoadTrainerJob: "accounts/other/rlorTrainerJobs/j" },
  ])("cannot be used where one that is decoded cannot be: with %j", (member) => {
    const { problem } = decode([chat, member], true);
    expect(problem).toBeDefined();
    expect(problem).toEqual(decode([chat, member], false).problem);
  });

  test("decodes a member when it is asked for, and tells then what is unexpected of it", async () => {
    const members = [
      { name: chat.name, maxReplicaCount: "4" },
      { id: "other", maxReplicaCount: "many", flavour: 1 },
    ];
    const service = mockService(["https://api.example.com"], () => ({ body: { deployments: members } }));
    const client = testClient("https://api.example.com", { dispatcher: service.agent });
    const remarks = () => client.log.flatMap(({ text }) => (text.startsWith("Deployment") ? [text] : []));
    const { listed } = await client.call("listDeployments", { parameters: account, deferred: true });
    expect(listed?.map((each) => each.name)).toEqual([chat.name, "accounts/acme/deployments/other"]);
    expect(listed![0]!.read()).toEqual({ name: chat.name, maxReplicaCount: 4 });
    expect(remarks()).toEqual([]);
    const unusual = listed![1]!.read();
    expect(unusual).toMatchObject({ name: "accounts/acme/deployments/other", maxReplicaCount: "many" });
    expect(unusableIn(unusual).map(({ property }) => property)).toEqual(["maxReplicaCount"]);
    expect(remarks()).toContain("Deployment has a member `flavour` that is not in the API's description");
    expect(listed![1]!.read()).toBe(unusual);
  });
});

import { inspect } from "node:util";
import { restrictTo } from "../../provider/api/client";
import { createCatalogue } from "../../provider/api/operations";
import type { CallOptions } from "../../provider/api/types";
import { isConfigurationError, isFailedPrecondition, isUnsupportedOperation } from "../../provider/core/errors";
import { allSpecs } from "../../provider/resources/index";
import { rejection } from "../rejection";
import { mockService } from "./support/mock-service";
import { base, chat, start } from "./support/started-client";
import { keys, testClient } from "./support/test-client";

const sent: readonly [operation: string, options: CallOptions, method: string, path: string][] = [
  ["getDeployment", { parameters: { name: chat.name } }, "GET", "/v1/accounts/acme/deployments/chat"],
  [
    "getDeployment",
    { parameters: { account: "acme", deploymentId: "chat" } },
    "GET",
    "/v1/accounts/acme/deployments/chat",
  ],
  ["getDeployment", { parameters: { deploymentId: "chat" } }, "GET", "/v1/accounts/acme/deployments/chat"],
  ["getDeployment", { parameters: { deploymentId: "a b:ü" } }, "GET", "/v1/accounts/acme/deployments/a%20b%3A%C3%BC"],
  [
    "getModelUploadEndpoint",
    { parameters: { name: "accounts/acme/models/m1" }, body: { filenameToSize: {} } },
    "POST",
    "/v1/accounts/acme/models/m1:getUploadEndpoint",
  ],
  ["getResponse", { parameters: { responseId: "resp_1" } }, "GET", "/inference/v1/responses/resp_1"],
  [
    "getPolicySettings",
    { parameters: { name: "accounts/acme/policySettings" } },
    "GET",
    "/v1/accounts/acme/policySettings",
  ],
  [
    "listDeploymentShapeVersions",
    {
      parameters: { account: "-", deploymentShapeId: "-" },
      query: { filter: 'snapshot.base_model="accounts/platform/models/m" AND latest_validated=true' },
    },
    "GET",
    "/v1/accounts/-/deploymentShapes/-/versions?filter=snapshot.base_model%3D%22accounts%2Fplatform%2Fmodels%2Fm%22%20AND%20latest_validated%3Dtrue",
  ],
  [
    "createDeployment",
    { query: { deploymentId: "chat", validateOnly: true, disableAutoDeploy: undefined }, body: {} },
    "POST",
    "/v1/accounts/acme/deployments?deploymentId=chat&validateOnly=true",
  ],
  [
    "deleteDeployment",
    { parameters: { name: chat.name }, query: { hard: true } },
    "DELETE",
    "/v1/accounts/acme/deployments/chat?hard=true",
  ],
];

test.each(sent)("%s with %j is %s %s", async (operation, options, method, path) => {
  const { client, requests } = start();
  await client.call(operation, options).catch(() => undefined);
  expect(requests[0]).toMatchObject({ method, path });
});

test("a request carries the key, JSON in both directions and the package's name", async () => {
  const { client, requests } = start();
  await client
    .call("updateDeployment", {
      parameters: { name: chat.name },
      query: { updateMask: "display_name" },
      body: { displayName: "Chat" },
    })
    .catch(() => undefined);
  expect(requests[0]?.headers).toMatchObject({
    authorization: `Bearer ${keys.acme}`,
    accept: "application/json",
    "content-type": "application/json",
  });
  expect(requests[0]?.headers["user-agent"]).toMatch(/^pulumi-modelplatform\/\d+\.\d+\.\d+$/);
  expect(requests[0]?.body).toEqual({ displayName: "Chat" });
});

test("a base URL with a path keeps it", async () => {
  const { client, requests } = start(undefined, {}, { MODELPLATFORM_BASE_URL: `${base}/gateway/` });
  await client.call("listAccounts");
  expect(requests[0]?.path).toBe("/gateway/v1/accounts");
});

const refusedBefore: readonly [what: string, operation: string, options: CallOptions, says: RegExp][] = [
  ["an unknown operation", "getDeploymnet", {}, /Did you mean `getDeployment`/],
  [
    "a name of another kind",
    "getDeployment",
    { parameters: { name: "accounts/acme/models/m" } },
    /"accounts\/acme\/models\/m" is not the name of a Deployment/,
  ],
  ["an empty id", "getDeployment", { parameters: { deploymentId: "" } }, /`deploymentId` is empty/],
  ["a missing id", "getDeployment", {}, /`deploymentId` is empty/],
  ["an id that climbs", "deleteDeployment", { parameters: { deploymentId: ".." } }, /`deploymentId` is "\.\."/],
  ["a line break in an id", "getDeployment", { parameters: { deploymentId: "a\r\nx: y" } }, /`deploymentId`/],
  [
    "a path parameter that it does not have",
    "getDeployment",
    { parameters: { deploymentId: "a", modelId: "b" } },
    /takes no parameter `modelId` in its path/,
  ],
  [
    "a query parameter that it does not have",
    "getPolicySettings",
    { query: { readMask: "name" } },
    /takes no query parameter `readMask`/,
  ],
  ["an order of accounts", "listAccounts", { query: { orderBy: "name" } }, /takes no query parameter `orderBy`/],
  [
    "an account without a key",
    "getDeployment",
    { parameters: { account: "nobody", deploymentId: "a" } },
    /no API key for account `nobody`/,
  ],
  [
    "a create in an account without a key",
    "createUser",
    { parameters: { account: "nobody" }, body: {} },
    /no API key for account `nobody`/,
  ],
  [
    "a change of a public object of another account",
    "updateModel",
    { parameters: { name: "accounts/platform/models/m" }, body: {} },
    /no API key for account `platform`/,
  ],
  ["a key that is not held", "listAccounts", { as: "nobody" }, /no API key for account `nobody`/],
];

test.each(refusedBefore)("%s is refused before anything is sent", async (_, operation, options, says) => {
  const { client, requests } = start();
  expect((await rejection(client.call(operation, options))).message).toMatch(says);
  expect(requests).toEqual([]);
});

test.each([
  ["getDeployment", { parameters: { account: "acme", deploymentId: "a" } }, keys.acme],
  ["getDeployment", { parameters: { account: "other", deploymentId: "a" } }, keys.other],
  ["createUser", { parameters: { account: "other" }, body: {} }, keys.other],
  ["getModel", { parameters: { name: "accounts/platform/models/m" } }, keys.acme],
  ["getModel", { parameters: { name: "accounts/third/models/m" } }, keys.acme],
  ["getModel", { parameters: { name: "accounts/platform/models/m" }, as: "other" }, keys.other],
  ["listDeploymentShapeVersions", { parameters: { account: "-", deploymentShapeId: "-" } }, keys.acme],
  ["listAccounts", {}, keys.acme],
  ["listAccounts", { as: "other" }, keys.other],
  ["getResponse", { parameters: { responseId: "r" } }, keys.acme],
] satisfies [string, CallOptions, string][])("%s with %j uses the key %s (A003)", async (operation, options, key) => {
  const { client, requests } = start();
  await client.call(operation, options).catch(() => undefined);
  expect(requests[0]?.headers["authorization"]).toBe(`Bearer ${key}`);
});

test.each<[string, string, string | undefined]>([
  ["getModel", "accounts/beta/models/m", "beta-key"],
  ["getModel", "accounts/third/models/m", keys.acme],
  ["getModel", "accounts/a.b/models/m", keys.acme],
  ["getDeployment", "accounts/third/deployments/d", undefined],
  ["listModels", "accounts/third", undefined],
])("where a command makes keys, %s of %s uses %s (A003)", async (operation, name, key) => {
  const run = async (_: string, [account]: readonly string[]) => {
    if (account === "third") throw new Error("no such key");
    return `${account}-key`;
  };
  const service = mockService([base], () => ({ body: { name } }));
  const client = testClient(base, { dispatcher: service.agent, run }, { MODELPLATFORM_ACCOUNTS: pattern });
  const parameters = operation === "listModels" ? { account: "third" } : { name };
  const error = await client.call(operation, { parameters }).catch((reason: Error) => reason);
  expect(service.requests.map(({ headers }) => headers["authorization"])).toEqual(key ? [`Bearer ${key}`] : []);
  if (!key) expect(error).toMatchObject({ message: expect.stringContaining("the key command `vault` of account") });
});

const pattern = JSON.stringify({ "*": { keyCommand: ["vault", "{account}"] } });

test.each([
  ["there is no default account", {}, { MODELPLATFORM_ACCOUNT_ID: "", MODELPLATFORM_API_KEY: "" }],
  ["the accounts are elsewhere", { baseUrl: "https://eu.example.com" }, {}],
])("where %s, a key command that fails is an error", async (_, entry, env) => {
  const accounts = { "*": { keyCommand: ["vault", "{account}"], ...entry } };
  const service = mockService([base], () => ({ body: {} }));
  const run = () => Promise.reject(new Error("no such key"));
  const settings = { MODELPLATFORM_ACCOUNTS: JSON.stringify(accounts), ...env };
  const client = testClient(base, { dispatcher: service.agent, run }, settings);
  const error = await rejection(client.call("getModel", { parameters: { name: "accounts/third/models/m" } }));
  expect(error.message).toContain("the key command `vault` of account `third` failed");
  expect(service.requests).toEqual([]);
});

test.each([403, 404])("a %d to a substitute's key is the error of the command that failed once", async (status) => {
  let runs = 0;
  const run = () => (runs++, Promise.reject(new Error("no such key")));
  const service = mockService([base], () => ({ status, body: { code: 5, message: "no", details: [] } }));
  const client = testClient(base, { dispatcher: service.agent, run }, { MODELPLATFORM_ACCOUNTS: pattern });
  for (const id of ["m", "n"]) {
    const error = await rejection(client.call("getModel", { parameters: { name: `accounts/third/models/${id}` } }));
    expect(error.message).toContain("the key command `vault` of account `third` failed");
  }
  expect([runs, service.requests.length]).toEqual([1, 2]);
});

test("a key that begins with its account's id is masked, and the id is not", async () => {
  const [account, key] = ["acme-production-0007", "acme-production-0007-Zk3vQ9xT7mW2pL5s"];
  const accounts = JSON.stringify({ [account]: { apiKey: key } });
  const { client } = start(undefined, {}, { MODELPLATFORM_ACCOUNTS: accounts });
  await client.call("listUsers", { parameters: { account } });
  const text = `accounts/${account}/users/ada`;
  expect(client.redactor.value({ name: text, note: `by ${key}` })).toEqual({ name: text, note: "by [redacted]" });
});

test("a key with a base URL of its own is sent there only", async () => {
  const { client, requests } = start(
    undefined,
    {},
    { MODELPLATFORM_ACCOUNTS: '{"eu": {"apiKey": "eu-key-9", "baseUrl": "https://eu.example.com"}}' },
  );
  await client.call("listUsers", { parameters: { account: "eu" } });
  await client.call("listUsers", { parameters: { account: "acme" } });
  expect(requests.map(({ origin, headers }) => [origin, headers["authorization"]])).toEqual([
    ["https://eu.example.com", "Bearer eu-key-9"],
    [base, `Bearer ${keys.acme}`],
  ]);
});

test("an id parameter travels under the name that a setting gives it", async () => {
  const service = mockService([base], () => ({ body: { name: "accounts/acme/supervisedFineTuningJobs/j" } }));
  const client = testClient(base, {
    dispatcher: service.agent,
    catalogue: createCatalogue(allSpecs, { overrides: { createSupervisedFineTuningJob: { idParam: "jobId" } } }),
  });
  await client.call("createSupervisedFineTuningJob", { query: { supervisedFineTuningJobId: "j" }, body: {} });
  expect(service.requests[0]?.path).toBe("/v1/accounts/acme/supervisedFineTuningJobs?jobId=j");
});

test.each([
  ["getDeployment", {}, true],
  ["matchDeploymentShapeVersions", {}, false],
  ["getModelUploadEndpoint", { parameters: { modelId: "m" } }, false],
  ["validateModelUpload", { parameters: { modelId: "m" } }, false],
  ["updateDeployment", {}, false],
  ["deleteDeployment", {}, false],
] satisfies [string, CallOptions, boolean][])(
  "a client for reads only lets %s through: %p",
  async (operation, options, passes) => {
    const { client, requests } = start();
    const error = await rejection(
      restrictTo(client, ["read"]).call(operation, { parameters: { deploymentId: "chat" }, ...options }),
    );
    expect(/may be sent here/.test(error.message)).toBe(!passes);
    expect(requests).toHaveLength(passes ? 1 : 0);
  },
);

test("a create that only validates passes where reads by POST do", async () => {
  const { client, requests } = start(() => ({ body: chat }));
  const preview = restrictTo(client, ["read", "readViaPost"]);
  await preview.call("createDeployment", { query: { validateOnly: true }, body: {} });
  await rejection(preview.call("createDeployment", { query: { validateOnly: false }, body: {} }));
  expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test.each([
  [404, { code: 5, message: "Not Found" }],
  [405, {}],
  [501, { code: 12, message: "not implemented" }],
  [400, { code: 12, message: "unimplemented" }],
])("a conventional operation refused with %d %j is one error, with the knob (A001)", async (status, body) => {
  const { client, requests } = start(() => ({ status, body }));
  const error = await rejection(client.call("deleteUser", { parameters: { userId: "u1" } }));
  expect(isUnsupportedOperation(error)).toBe(true);
  expect(error.message).toMatch(
    /`deleteUser` follows a convention \(A050\): give it another `path` in the setting `operations`, or turn it `off`\. See /,
  );
  expect(requests).toHaveLength(1);
});

test("a listed operation that the service does not know points to the base URL", async () => {
  const { client } = start(() => ({ status: 501, body: { code: 12, message: "no" } }));
  expect((await rejection(client.call("getPolicySettings"))).message).toMatch(
    /The API's description lists this operation, so the base URL \(`https:\/\/api\.example\.com`\) probably points elsewhere/,
  );
});

const advice: readonly [operation: string, options: CallOptions, status: number, body: unknown, says: RegExp][] = [
  [
    "createDeployment",
    { body: {} },
    403,
    { code: 7, message: "annotation key team is reserved" },
    /begin with `custom\/`/,
  ],
  [
    "updatePolicySettings",
    { body: {} },
    403,
    { code: 7, message: "cmek_required can be changed by a superuser" },
    /Only a platform superuser can change `cmekRequired`/,
  ],
  [
    "updatePolicySettings",
    { body: {} },
    403,
    { code: 7, message: "no" },
    /Changing policy settings requires an admin's key/,
  ],
  [
    "deleteDeployment",
    { parameters: { name: chat.name } },
    400,
    { code: 9, message: "served requests in the last hour" },
    /`ignoreChecks: true`/,
  ],
  [
    "createDeployment",
    { body: {} },
    400,
    { code: 9, message: "no", details: [{ reason: "POLICY_RESIDENCY" }] },
    /policy settings forbid this/,
  ],
  [
    "updatePolicySettings",
    { body: {} },
    400,
    { code: 9, message: "needs a READY primary external key" },
    /set one up first/,
  ],
  [
    "createDeployment",
    { body: {} },
    400,
    { code: 3, message: "unknown field deploymentId" },
    /Where the id of `createDeployment` goes is a convention \(A010\)/,
  ],
  [
    "createDeployment",
    { body: {} },
    500,
    { code: 13, message: "internal error" },
    /`deploymentShape`, such as `default`/,
  ],
  [
    "updateUser",
    { parameters: { userId: "u" }, body: {} },
    409,
    { code: 10, message: "busy" },
    /try again once it has settled/,
  ],
  [
    "listUsers",
    {},
    404,
    { code: 5, message: "no such account" },
    /account `acme` does not exist.*#the-account-is-gone/,
  ],
  [
    "getUser",
    { parameters: { userId: "u" } },
    403,
    { code: 7, message: "no" },
    /in the account `acme`: check that name/,
  ],
  [
    "updateUser",
    { parameters: { userId: "u" }, body: {} },
    412,
    { code: 9, message: "the seat is taken" },
    /the message above says which/,
  ],
];

test.each(advice)("%s %j refused with %d %j says what to do", async (operation, options, status, body, says) => {
  const { client } = start(() => ({ status, body }));
  expect((await rejection(client.call(operation, options))).message).toMatch(says);
});

test("400 with code 9 is a failed precondition, with its reasons", async () => {
  const { client } = start(() => ({
    status: 400,
    body: { code: 9, message: "no", details: [{ reason: "POLICY_TRAINING" }] },
  }));
  const error = await rejection(client.call("createSupervisedFineTuningJob", { body: {} }));
  expect(isFailedPrecondition(error)).toBe(true);
  expect(error).toMatchObject({ reasons: ["POLICY_TRAINING"], grpcCode: 9, status: 400, outcome: "none" });
});

test("the ledger counts what left the machine, by account and operation", async () => {
  const { client } = start(
    (_, index) =>
      [{ status: 429, body: { code: 8, message: "slow down" } }, { status: 503 }, {}, {}, { status: 403, body: {} }][
        index
      ]!,
  );
  await client.call("listUsers");
  await client.call("listUsers", { parameters: { account: "other" } });
  await rejection(client.call("listDeployments"));
  expect(client.ledger.tallies()).toEqual([
    { account: "acme", operation: "listUsers", sent: 3, refused: 1, failed: 1 },
    { account: "other", operation: "listUsers", sent: 1, refused: 0, failed: 0 },
    { account: "acme", operation: "listDeployments", sent: 1, refused: 0, failed: 1 },
  ]);
  expect([
    client.ledger.sent(),
    client.ledger.sent({ account: "acme" }),
    client.ledger.sent({ operation: "listUsers" }),
  ]).toEqual([5, 4, 4]);
});

test("no secret is in errors, logs or the ledger, however the service echoes it", async () => {
  const canary = "s3cret/canary+value=";
  const echo = [
    canary,
    encodeURIComponent(canary),
    Buffer.from(canary).toString("base64"),
    keys.acme,
    `Bearer ${keys.acme}`,
  ].join(" ");
  const { client } = start(() => ({
    status: 400,
    body: { code: 3, message: `wrong: ${echo}`, details: [{ reason: echo }] },
    headers: { "x-request-id": keys.acme },
  }));
  const error = await rejection(
    client.call("createSecret", { body: { keyName: "A", value: canary, name: "accounts/acme/secrets/a" } }),
  );
  const second = await rejection(client.call("getUser", { parameters: { userId: canary } }));
  const everything = [
    inspect([error, second], { depth: 9, showHidden: true }),
    error.stack,
    JSON.stringify([client.log, client.ledger.tallies(), client.settings]),
  ].join("\n");
  for (const form of [
    canary,
    encodeURIComponent(canary),
    Buffer.from(canary).toString("base64").replace(/=+$/, ""),
    keys.acme,
  ])
    expect(everything).not.toContain(form);
  expect(error.message).toContain("[redacted]");
});

test("no default account and several keys: it must be said whose key to use", async () => {
  const { client } = start(
    undefined,
    {},
    {
      MODELPLATFORM_API_KEY: "",
      MODELPLATFORM_ACCOUNT_ID: "",
      MODELPLATFORM_ACCOUNTS: '{"a": {"apiKey": "a-key"}, "b": {"apiKey": "b-key"}}',
    },
  );
  const error = await rejection(client.call("listAccounts"));
  expect(isConfigurationError(error)).toBe(true);
  expect(error.message).toMatch(/not clear which key to use.*`a`, `b`.*`as`/);
});

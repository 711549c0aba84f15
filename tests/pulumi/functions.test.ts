import * as pulumi from "@pulumi/pulumi";
import { createEmulator, type Emulator } from "../../emulator/index";
import * as modelplatform from "../../provider/index";
import { functions } from "../../provider/resources/functions";
import { presentAsEngine, runAsProgram, valueOf } from "./support/program";

const {
  getDeployment,
  getModel,
  getModelOutput,
  getModelUploadEndpoint,
  getModelUploadEndpointOutput,
  listAccounts,
  listDeploymentsOutput,
  listDeploymentShapeVersions,
  listUsers,
  matchDeploymentShapeVersions,
  Provider,
  validateDeployment,
} = modelplatform;

const baseModel = "accounts/platform/models/open-8b";
const users = ["ada", "bob", "cy"].map(
  (id) =>
    [
      `accounts/acme/users/${id}`,
      { name: `accounts/acme/users/${id}`, email: `${id}@example.com`, role: "user", state: "READY" },
    ] as const,
);

let emulator: Emulator;
let url: string;

beforeAll(async () => {
  const chat = { name: "accounts/acme/deployments/chat", baseModel, state: "READY", directRouteApiKeys: ["canary"] };
  const draft = { name: "accounts/acme/models/draft", displayName: "Draft", kind: "CUSTOM_MODEL", state: "UPLOADING" };
  emulator = createEmulator({
    accounts: { acme: "acme-key", beta: "beta-key" },
    seed: { objects: { ...Object.fromEntries(users), [chat.name]: chat, [draft.name]: draft } },
  });
  ({ url } = await emulator.listen({ port: 0 }));
});

beforeEach(() => program());

afterAll(() => emulator.close());

async function program(isPreview = false): Promise<void> {
  await runAsProgram({ isPreview, config: { accountId: "acme", apiKey: "acme-key", baseUrl: url } });
  presentAsEngine(isPreview);
}

/** Requests since the last call, as method, path and query. */
async function requests(): Promise<{ method: string; path: string; query: Record<string, string>; body?: unknown }[]> {
  const answer = (await (await fetch(`${url}/_emulator/requests`)).json()) as {
    requests: { method: string; path: string; query: Record<string, string> }[];
  };
  await fetch(`${url}/_emulator/requests`, { method: "DELETE" });
  return answer.requests;
}

test("every function has both its forms", () => {
  const exported = modelplatform as Record<string, unknown>;
  expect(
    Object.keys(functions).filter(
      (name) => typeof exported[name] !== "function" || typeof exported[`${name}Output`] !== "function",
    ),
  ).toEqual([]);
});

const shown = {
  "accounts/acme/policySettings": { name: "accounts/acme/policySettings", residency: "EUROPE" },
  "accounts/acme/rlorTrainerJobs/judgement": {
    name: "accounts/acme/rlorTrainerJobs/judgement",
    state: "JOB_STATE_COMPLETED",
  },
  "accounts/acme/models/support-8b": {
    name: "accounts/acme/models/support-8b",
    kind: "CUSTOM_MODEL",
    state: "UPLOADING",
  },
  "responses/resp_1": {
    id: "resp_1",
    created_at: 0,
    status: "completed",
    model: baseModel,
    output: [],
    previous_response_id: null,
    user: null,
  },
};

test.each(Object.entries(functions).map(([name, { example }]) => [name, example] as const))(
  "the example of %s runs",
  async (name, example) => {
    for (const [object, body] of Object.entries(shown)) {
      const put = await fetch(`${url}/_emulator/objects/${object}?account=acme`, {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(put.ok).toBe(true);
    }
    const call = (modelplatform as unknown as Record<string, (args: object) => Promise<object>>)[name]!;
    expect(Object.keys(await call(example))).not.toEqual([]);
  },
);

test("an object is read by its id, in the default account or another", async () => {
  expect(await getModel({ modelId: "draft" })).toMatchObject({
    name: "accounts/acme/models/draft",
    displayName: "Draft",
  });
  expect(await getModel({ modelId: "open-8b", accountId: "platform" })).toMatchObject({ name: baseModel });
  expect(await valueOf(getModelOutput({ modelId: pulumi.output("draft") }).state)).toBe("UPLOADING");
});

test("a list reads every page, and sends its selection along", async () => {
  await requests();
  const { users: found, totalSize } = await listUsers({
    pageSize: 2,
    filter: 'role="user"',
    orderBy: "email desc",
    readMask: "name,displayName",
  });
  expect(found.map(({ name }) => name)).toEqual([
    "accounts/acme/users/cy",
    "accounts/acme/users/bob",
    "accounts/acme/users/ada",
  ]);
  expect(totalSize).toBe(3);
  const sent = await requests();
  expect(sent).toHaveLength(2);
  expect(sent[0]!.query).toMatchObject({
    pageSize: "2",
    filter: 'role="user"',
    orderBy: "email desc",
    readMask: "name,display_name",
  });
});

test("shape versions are found across accounts and shapes", async () => {
  const { deploymentShapeVersions } = await listDeploymentShapeVersions({
    accountId: "-",
    deploymentShapeId: "-",
    filter: `snapshot.base_model="${baseModel}" AND latest_validated=true`,
  });
  expect(deploymentShapeVersions.length).toBeGreaterThan(0);
  expect(
    deploymentShapeVersions.every(
      ({ snapshot, latestValidated }) => snapshot?.baseModel === baseModel && latestValidated,
    ),
  ).toBe(true);
});

test("a deployment is validated and matched, not created, as its resource sends it", async () => {
  await requests();
  const valid = await validateDeployment({
    baseModel,
    deploymentShape: "default",
    autoscalingPolicy: { scaleDownWindow: "5m" },
    timeouts: { create: "1h" },
  });
  expect(valid.deploymentShape).toMatch(/^accounts\/platform\/deploymentShapes\/.+\/versions\//);
  const { deploymentShapeVersions } = await matchDeploymentShapeVersions({ baseModel });
  expect(deploymentShapeVersions.length).toBeGreaterThan(0);
  const [validate, match] = await requests();
  expect(validate).toMatchObject({
    method: "POST",
    path: "/v1/accounts/acme/deployments",
    query: { validateOnly: "true" },
    body: { baseModel, deploymentShape: "default", autoscalingPolicy: { scaleDownWindow: "300s" } },
  });
  expect(match).toMatchObject({
    path: "/v1/accounts/acme/deploymentShapeVersions:match",
    body: { createDeploymentRequest: { deployment: { baseModel } } },
  });
});

test("an explicit provider's settings are used, given as such or through a parent", async () => {
  const provider = new Provider("beta", { accountId: "beta", apiKey: "beta-key" });
  expect((await listAccounts({}, { provider })).accounts.map(({ name }) => name)).toEqual(["accounts/beta"]);
  expect((await listAccounts()).accounts.map(({ name }) => name)).toEqual(["accounts/acme"]);
  const parent = new pulumi.ComponentResource("demo:index:Team", "team", {}, { providers: [provider] });
  expect((await listAccounts({}, { parent })).accounts.map(({ name }) => name)).toEqual(["accounts/beta"]);
  await valueOf(parent.urn);
});

test("a provider of another package is refused, and nothing is read in its place", async () => {
  await requests();
  class Foreign extends pulumi.ProviderResource {}
  const provider = new Foreign("modelplatform", "foreign", { accountId: "beta" });
  const text = "the option `provider` is not a pulumi-modelplatform provider";
  await expect(listAccounts({}, { provider })).rejects.toThrow(`listAccounts: ${text}`);
  expect(() => listDeploymentsOutput({}, { provider })).toThrow(`listDeployments: ${text}`);
  const parent = new pulumi.ComponentResource("demo:index:Team", "ours", {}, { providers: [provider] });
  expect((await listAccounts({}, { parent })).accounts.map(({ name }) => name)).toEqual(["accounts/acme"]);
  expect(await requests()).toHaveLength(1);
  await valueOf(parent.urn);
});

test("a result that shows a secret is one, and others are not", async () => {
  expect(await pulumi.isSecret(listDeploymentsOutput())).toBe(true);
  expect(await pulumi.isSecret(getModelOutput({ modelId: "draft" }))).toBe(false);
  expect(
    await pulumi.isSecret(getModelUploadEndpointOutput({ modelId: "draft", filenameToSize: { "a.bin": 3 } })),
  ).toBe(true);
});

test("signed addresses come in an update and are not asked for in a preview", async () => {
  const args = { modelId: "draft", filenameToSize: { "a.bin": 3 }, readMask: "filename_to_signed_urls" };
  expect(Object.keys((await getModelUploadEndpoint(args)).filenameToSignedUrls ?? {})).toEqual(["a.bin"]);
  await program(true);
  await requests();
  await expect(getModelUploadEndpoint(args)).rejects.toThrow(/returns credentials.*getModelUploadEndpointOutput/);
  const { isKnown } = getModelUploadEndpointOutput(args) as unknown as { isKnown: Promise<boolean> };
  expect(await isKnown).toBe(false);
  expect((await getModel({ modelId: "draft" })).displayName).toBe("Draft");
  expect((await requests()).map(({ method }) => method)).toEqual(["GET"]);
});

test("the form with an output waits for what it depends on, within components, too", async () => {
  await requests();
  const host = new pulumi.ComponentResource("acme:index:Host", "host");
  const user = new modelplatform.User("eve", { email: "eve@example.com", role: "user" }, { parent: host });
  let create = (_: pulumi.ID): void => undefined;
  Object.assign(user, { id: pulumi.output(new Promise<pulumi.ID>((resolve) => (create = resolve))) });
  const listed = modelplatform.listUsersOutput({}, { dependsOn: host });
  await valueOf(user.urn);
  expect(await requests()).toEqual([]);
  create("accounts/acme/users/eve");
  expect((await valueOf(listed.users)).length).toBeGreaterThan(0);
  Object.assign(user, { id: pulumi.output(pulumi.unknown) });
  const { isKnown } = modelplatform.listUsersOutput({}, { dependsOn: [host] }) as unknown as {
    isKnown: Promise<boolean>;
  };
  expect(await isKnown).toBe(false);
});

test("a plain call in a preview with settings that are not known yet says what to do", async () => {
  await program(true);
  const provider = new Provider("later", {
    accountId: "beta",
    apiKey: pulumi.output(pulumi.unknown) as unknown as pulumi.Output<string>,
  });
  await expect(listAccounts({}, { provider })).rejects.toThrow(/not known in this preview.*listAccountsOutput/);
});

test("wrong arguments are named, and nothing is sent", async () => {
  await requests();
  await expect(getModel({ modelID: "draft" } as never)).rejects.toThrow(
    /arguments of `getModel` are wrong.*modelId.*modelID/s,
  );
  await expect(listAccounts({ orderBy: "name" } as never)).rejects.toThrow(/orderBy/);
  expect(await requests()).toEqual([]);
});

test("an error is this package's, and printed without a stack by Pulumi's runner", async () => {
  const error = await getDeployment({ deploymentId: "missing" }).catch((reason: unknown) => reason);
  expect(modelplatform.isNotFound(error)).toBe(true);
  expect(pulumi.RunError.isInstance(error)).toBe(true);
});

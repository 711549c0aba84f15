import { createEmulator, type Emulator } from "../../emulator/index";
import { json, scriptedServer } from "../api/support/scripted-server";
import { listedOperations } from "../contract/reference/operations";
import { reference } from "../contract/reference/tables";
import type { Body, FieldFact, Kind, OperationFact } from "../contract/reference/types";
import { modelplatform } from "./terminal";

const account = "accounts/demo";
const base = "accounts/platform/models/open-8b";
const created = { createTime: "2026-01-01T00:00:00Z", updateTime: "2026-01-01T00:00:00Z" };

/** One object of every kind that a listed operation reads or changes. */
const objects = {
  [`${account}/policySettings`]: { residency: "EUROPE", updateTime: created.updateTime },
  [`${account}/supervisedFineTuningJobs/tune`]: {
    baseModel: base,
    dataset: `${account}/datasets/d1`,
    state: "JOB_STATE_COMPLETED",
    ...created,
  },
  [`${account}/rlorTrainerJobs/step`]: {
    dataset: `${account}/datasets/d1`,
    state: "JOB_STATE_COMPLETED",
    createTime: created.createTime,
  },
  [`${account}/models/tuned`]: {
    kind: "HUB_PEFT_ADDON",
    peftDetails: { baseModel: base, r: 8, targetModules: ["q_proj"] },
    state: "READY",
    ...created,
  },
  [`${account}/deployments/chat`]: { baseModel: base, state: "READY", ...created },
  [`${account}/deployedModels/tuned-chat`]: {
    model: `${account}/models/tuned`,
    deployment: `${account}/deployments/chat`,
    state: "DEPLOYED",
    ...created,
  },
  [`${account}/users/ada`]: { email: "ada@example.com", role: "user", state: "READY", ...created },
  [`${account}/secrets/storage-key`]: { keyName: "STORAGE_KEY", value: "first" },
  [`${account}/batchInferenceJobs/nightly`]: {},
  "responses/resp_1": {
    id: "resp_1",
    object: "response",
    created_at: 1_700_000_000,
    status: "completed",
    model: base,
    output: [],
  },
};

/** What a person types besides the operation's name: path parameters, query and body. */
interface Typed {
  parameters?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: Body;
  /** The answer's name, where the operation is about one object. */
  name?: string;
}

const demo = { account_id: "demo" };

const typed: Readonly<Record<string, Typed>> = {
  getPolicySettings: { parameters: demo, name: `${account}/policySettings` },
  listDeploymentShapeVersions: {
    parameters: { account_id: "-", deployment_shape_id: "-" },
    query: { filter: `snapshot.base_model="${base}" AND latest_validated=true` },
  },
  createSupervisedFineTuningJob: {
    parameters: demo,
    query: { supervisedFineTuningJobId: "more" },
    body: { baseModel: base, dataset: `${account}/datasets/d1` },
    name: `${account}/supervisedFineTuningJobs/more`,
  },
  listSupervisedFineTuningJobs: { parameters: demo, query: { pageSize: "10", orderBy: "create_time desc" } },
  updateDeployedModel: {
    parameters: { ...demo, deployed_model_id: "tuned-chat" },
    query: { updateMask: "display_name" },
    body: { name: `${account}/deployedModels/tuned-chat`, displayName: "Tuned" },
    name: `${account}/deployedModels/tuned-chat`,
  },
  listDeployedModels: { parameters: demo },
  createUser: {
    parameters: demo,
    query: { userId: "grace" },
    body: { email: "grace@example.com", role: "contributor" },
    name: `${account}/users/grace`,
  },
  updateUser: {
    parameters: { ...demo, user_id: "ada" },
    query: { updateMask: "role" },
    body: { role: "admin" },
    name: `${account}/users/ada`,
  },
  listAccounts: {},
  getModel: { parameters: { ...demo, model_id: "tuned" }, query: { readMask: "*" }, name: `${account}/models/tuned` },
  getRlorTrainerJob: { parameters: { ...demo, rlor_trainer_job_id: "step" }, name: `${account}/rlorTrainerJobs/step` },
  listRlorTrainerJobs: { parameters: demo },
  getResponse: { parameters: { response_id: "resp_1" } },
  createDeployment: {
    parameters: demo,
    query: { deploymentId: "second" },
    body: { baseModel: base, deploymentShape: "default" },
    name: `${account}/deployments/second`,
  },
  getModelUploadEndpoint: {
    parameters: { ...demo, model_id: "tuned" },
    body: { filenameToSize: { "config.json": 12 } },
  },
  updateSecret: {
    parameters: { ...demo, secret_id: "storage-key" },
    body: { keyName: "STORAGE_KEY", value: "second" },
    name: `${account}/secrets/storage-key`,
  },
  deleteBatchInferenceJob: { parameters: { ...demo, batch_inference_job_id: "nightly" } },
};

let emulator: Emulator;
let env: Record<string, string>;
beforeEach(async () => {
  emulator = createEmulator({ clock: "manual", seed: { objects } });
  const { url } = await emulator.listen({ port: 0 });
  env = { MODELPLATFORM_BASE_URL: url, MODELPLATFORM_API_KEY: "demo-key", MODELPLATFORM_ACCOUNT_ID: "demo" };
});
afterEach(() => emulator.close());

/** `{deployed_model_id}` is given as `--deployed-model-id`, the account as `--account`. */
const flagOf = (parameter: string): string =>
  `--${parameter === "account_id" ? "account" : parameter.replaceAll("_", "-")}`;

function lineOf({ name, effect }: OperationFact, { parameters = {}, query = {}, body }: Typed): string[] {
  const flags = Object.entries(parameters).flatMap(([parameter, value]) => [flagOf(parameter), value]);
  const queries = Object.entries(query).flatMap(([key, value]) => ["--query", `${key}=${value}`]);
  return [
    "call",
    name,
    ...flags,
    ...queries,
    ...(body ? ["--body", "-"] : []),
    ...(effect === "write" ? ["--yes"] : []),
  ];
}

async function journal(): Promise<Record<string, unknown>[]> {
  const answer = await emulator.fetch(new Request("http://emulator.test/_emulator/requests"));
  return ((await answer.json()) as { requests: Record<string, unknown>[] }).requests;
}

const topLevel = (facts: readonly FieldFact[]): FieldFact[] => facts.filter(({ path }) => /^\w+$/.test(path));

/** The message has documented members only, and those that every answer must have. */
function expectMessage(value: unknown, facts: readonly FieldFact[]): void {
  const given = Object.keys(value as object);
  expect(topLevel(facts).map(({ path }) => path)).toEqual(expect.arrayContaining(given));
  expect(given).toEqual(
    expect.arrayContaining(
      topLevel(facts)
        .filter(({ requiredInResponse }) => requiredInResponse)
        .map(({ path }) => path),
    ),
  );
}

function expectAnswer({ response }: OperationFact, answer: Body): void {
  if (typeof response === "string") return expect(answer).toEqual({});
  if ("fields" in response) return expectMessage(answer, response.fields);
  if ("kind" in response) return expectMessage(answer, reference[response.kind].fields);
  const { [response.list]: listed, ...more } = answer;
  expect(more).toEqual({ totalSize: (listed as unknown[]).length });
  expect(listed).not.toEqual([]);
  for (const each of listed as unknown[]) expectMessage(each, reference[response.of as Kind].fields);
}

test("all 17 listed operations can be called", () => {
  expect(listedOperations).toHaveLength(17);
  expect(Object.keys(typed).sort()).toEqual(listedOperations.map(({ name }) => name).sort());
});

test.each(listedOperations.map((fact) => [fact.name, fact] as const))(
  "call %s sends what is listed and prints what is answered",
  async (name, fact) => {
    const given = typed[name]!;
    const { code, stdout, stderr } = await modelplatform(lineOf(fact, given), {
      env,
      stdin: JSON.stringify(given.body) ?? "",
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const path = fact.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => given.parameters![parameter]!);
    const query = expect.objectContaining(given.query ?? {}) as unknown;
    expect(await journal()).toEqual([
      expect.objectContaining({
        method: fact.method,
        path,
        query,
        status: 200,
        body: given.body ? expect.anything() : null,
      }),
    ]);
    const answer = JSON.parse(stdout) as Body;
    expectAnswer(fact, answer);
    if (given.name !== undefined) expect(answer["name"]).toBe(given.name);
  },
);

test("an operation with effect `write` is not sent if nobody can confirm it", async () => {
  for (const fact of listedOperations.filter(({ effect }) => effect === "write")) {
    const line = lineOf(fact, typed[fact.name]!).filter((word) => word !== "--yes");
    expect(await modelplatform(line, { env, stdin: "{}" })).toMatchObject({
      code: 64,
      stdout: "",
      stderr: expect.stringContaining("--yes"),
    });
  }
  expect(await journal()).toEqual([]);
});

test("writes arrive, and no credential is printed", async () => {
  const update = listedOperations.find(({ name }) => name === "updateSecret")!;
  const { stdout } = await modelplatform(lineOf(update, typed["updateSecret"]!), {
    env,
    stdin: JSON.stringify(typed["updateSecret"]!.body),
  });
  expect(emulator.world.get(`${account}/secrets/storage-key`)?.hidden).toMatchObject({ value: "second" });
  const endpoint = listedOperations.find(({ name }) => name === "getModelUploadEndpoint")!;
  const { stdout: urls } = await modelplatform(lineOf(endpoint, typed["getModelUploadEndpoint"]!), {
    env,
    stdin: JSON.stringify(typed["getModelUploadEndpoint"]!.body),
  });
  expect(stdout + urls).not.toMatch(/second|signature=\w/);
});

test("`call --list --json` lists the 17 as listed", async () => {
  const { code, stdout } = await modelplatform("call --list --json");
  expect(code).toBe(0);
  const told = (JSON.parse(stdout) as Record<string, unknown>[]).filter(({ provenance }) => provenance === "listed");
  const inOrder = <T extends { name?: unknown }>(rows: readonly T[]): T[] =>
    [...rows].sort((a, b) => String(a.name).localeCompare(String(b.name)));
  /** Path parameters may be called otherwise. */
  const place = (path: unknown): string => String(path).replaceAll(/\{\w+\}/g, "{}");
  expect(inOrder(told).map((row) => ({ ...row, path: place(row["path"]) }))).toEqual(
    inOrder(listedOperations).map(({ name, method, path, effect }) => ({
      name,
      method,
      path: place(path),
      provenance: "listed",
      effect,
      usedBy: expect.any(Array) as unknown,
    })),
  );
});

test("an undocumented path of an operation is said to be by convention", async () => {
  const { stdout } = await modelplatform("call createDeployment --help", {});
  expect(stdout.replaceAll(/\s+/g, " ")).toContain("description; path by convention A010");
  const table = (await modelplatform("call --list", {})).stdout;
  const rowOf = (name: string): string => table.split("\n").find((line) => line.startsWith(`${name} `))!;
  expect(rowOf("createDeployment")).toContain("listed, path A010");
  expect(rowOf("updateUser")).not.toContain("path A");
});

test("what a kind declares secret is not printed, also where a service answers it", async () => {
  const secret = { name: "accounts/acme/secrets/key", keyName: "KEY", value: "CANARY-0123456789" };
  const service = await scriptedServer(json(200, { secrets: [secret] }), json(200, secret));
  const env = {
    ...{ MODELPLATFORM_BASE_URL: service.url, MODELPLATFORM_ACCOUNT_ID: "acme", MODELPLATFORM_API_KEY: "k-012345" },
  };
  const list = await modelplatform("call listSecrets", { env });
  const one = await modelplatform("call getSecret --secret-id key", { env });
  await service.close();
  expect([list.code, one.code]).toEqual([0, 0]);
  for (const { stdout, stderr } of [list, one]) {
    expect(stdout).toContain('"KEY"');
    expect(`${stdout}${stderr}`).not.toContain("CANARY");
  }
});

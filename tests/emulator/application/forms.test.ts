import { gunzipSync } from "node:zlib";
import { createEmulator, type Settings } from "../../../emulator/index";
import type { Fields } from "../../../emulator/types";
import { elvish } from "../../core/dialects";
import { client, demo } from "./client";

/** What a service may answer in another form, and what it may not have. */

const chat = { baseModel: "accounts/platform/models/open-8b", displayName: " Zoë\n1 ", maxReplicaCount: 2 };

function served(settings: Partial<Settings>) {
  const service = client(settings);
  const created = service.post(`${demo}/deployments?deploymentId=chat`, chat);
  return { service, created, get: () => service.get(`${demo}/deployments/chat`) };
}

test.each([
  [{ unmaskedForm: "version" }, { baseModel: "accounts/platform/models/open-8b@v1", maxReplicaCount: 2 }],
  [{ scalars: "text" }, { maxReplicaCount: "2" }],
  [{ textForm: "nfd" }, { displayName: " Zoë\n1 ".normalize("NFD") }],
  [{ textForm: "crlf" }, { displayName: " Zoë\r\n1 " }],
  [{ textForm: "trim" }, { displayName: "Zoë\n1" }],
  [{ wrongName: true }, { name: "accounts/demo-1/deployments/chat" }],
] as unknown as [Partial<Settings>, Fields][])("with %j a read answers %j", (settings, fields) => {
  expect(served(settings).get().body).toMatchObject(fields);
});

test.each([
  ["text-numbers", { epochs: "3", loraRank: "8" }],
  ["capped", { epochs: 1, loraRank: 1 }],
] as const)("a job's numbers are answered as `unmaskedForm` %s has them", (unmaskedForm, fields) => {
  const job = { baseModel: chat.baseModel, dataset: "accounts/demo/datasets/d", epochs: 3, loraRank: 8 };
  expect(client({ unmaskedForm }).post(`${demo}/supervisedFineTuningJobs`, job).body).toMatchObject(fields);
});

test("lists have the key that `listKey` says, and the forms of single objects", () => {
  const { service } = served({ listKey: "items", scalars: "text" });
  const { body } = service.get(`${demo}/deployments`);
  expect(body).toMatchObject({ items: [{ maxReplicaCount: "2" }], totalSize: 1 });
  expect(body).not.toHaveProperty("deployments");
});

test("collections that cannot be listed or read answer 501 and are not there otherwise", () => {
  const { service, get } = served({ listOff: ["deployments"], getOff: ["users"] });
  expect(service.get(`${demo}/deployments`)).toMatchObject({ status: 501, body: { code: 12 } });
  expect(get().status).toBe(200);
  expect(service.get(`${demo}/users`).status).toBe(200);
  expect(service.get(`${demo}/users/ada`)).toMatchObject({ status: 501, body: { code: 12 } });
});

test.each([
  ["bare", undefined],
  ["html", expect.stringContaining("<html>")],
  ["problem", { type: "about:blank", title: "Not Found", status: 404, detail: expect.any(String) }],
] as const)("a 404 is answered as `gone` %s has it, another refusal in its style", (gone, body) => {
  const service = client({ gone });
  expect(service.get(`${demo}/deployments/nobody`)).toMatchObject({ status: 404 });
  expect(service.get(`${demo}/deployments/nobody`).body).toEqual(body);
  expect(service.post(`${demo}/deployments`, {})).toMatchObject({ status: 400, body: { code: 3 } });
});

test.each([
  [204, 204, undefined],
  ["{}", 200, {}],
] as const)("writes answer %s, and are done", (emptyWrites, status, body) => {
  const { created, service, get } = served({ emptyWrites });
  service.wait(600);
  expect(created).toMatchObject({ status });
  expect(created.body).toEqual(body);
  expect(service.patch(`${demo}/deployments/chat`, { baseModel: chat.baseModel, description: "x" }).status).toBe(
    status,
  );
  expect(get()).toMatchObject({ status: 200, body: { name: "accounts/demo/deployments/chat" } });
});

test("a tag of the version differs with each read", () => {
  const { get } = served({ etag: true });
  expect(get().body["etag"]).not.toEqual(get().body["etag"]);
});

test("an id that does not count is not that of the object", () => {
  const { created } = served({ ignoreId: true });
  expect(created).toMatchObject({ status: 200 });
  expect(created.body["name"]).not.toBe("accounts/demo/deployments/chat");
});

test("answers are compressed, whether asked for or not, and name their emulator", async () => {
  const emulator = createEmulator({ clock: "manual", settings: { compress: "gzip" } });
  const headers = { host: "127.0.0.1", authorization: "Bearer demo-key" };
  const answer = await emulator.fetch(new Request("http://127.0.0.1/v1/accounts/demo", { headers }));
  expect(answer.headers.get("content-encoding")).toBe("gzip");
  expect(JSON.parse(gunzipSync(Buffer.from(await answer.arrayBuffer())).toString())).toMatchObject({
    name: "accounts/demo",
  });
  const health = await emulator.fetch(new Request("http://127.0.0.1/_emulator/health", { headers }));
  const { instance } = (await health.json()) as { instance: string };
  expect(answer.headers.get("x-emulator-instance")).toBe(instance);
  await emulator.close();
});

describe("where models have to be ready", () => {
  const model = "accounts/demo/models/ours";
  const job = { dataset: "accounts/demo/datasets/d" };
  const creates: readonly [string, string, (name: string) => Fields][] = [
    ["a deployment", "deployments?acceptShapelessRisk=true", (baseModel) => ({ baseModel })],
    ["a supervised job", "supervisedFineTuningJobs", (baseModel) => ({ ...job, baseModel })],
    ["a job that goes on", "supervisedFineTuningJobs", (warmStartFrom) => ({ ...job, warmStartFrom })],
    ["a reinforcement job", "rlorTrainerJobs", (baseModel) => ({ ...job, trainingConfig: { baseModel } })],
    ["a deployed model", "deployedModels", (name) => ({ model: name, deployment: "accounts/demo/deployments/chat" })],
  ];

  test.each(creates)("%s of a model that does not exist is refused and not created", (_, path, body) => {
    const service = client({ models: "ready" });
    const answer = service.post(`${demo}/${path}`, body(model));
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 3, message: expect.stringContaining("does not exist") },
    });
    expect(service.get(`${demo}/${path.split("?")[0]!}`).body).toMatchObject({ totalSize: 0 });
  });

  test.each(creates)("%s of a model that is uploading is refused and not created", (_, path, body) => {
    const service = client({ models: "ready" });
    service.post(`${demo}/models`, {
      modelId: "ours",
      model: { kind: "HUB_BASE_MODEL", baseModelDetails: { modelType: "open" } },
    });
    const answer = service.post(`${demo}/${path}`, body(model));
    expect(answer).toMatchObject({ status: 400, body: { code: 9, message: expect.stringContaining("UPLOADING") } });
    expect(service.get(`${demo}/${path.split("?")[0]!}`).body).toMatchObject({ totalSize: 0 });
  });
});

test.each([
  ["a rule between fields", { llm: chat.baseModel, minReplicaCount: 5, maxReplicaCount: 2 }, "`maxReplicaCount`"],
  ["a field that is taken by another word", { llm: chat.baseModel, evaluationDataset: "x" }, "`evaluationDataset`"],
])("under a dialect %s is refused in the service's words (A100)", (_, body, words) => {
  const answer = client({ dialect: elvish }).post(`${demo}/deployments?deploymentId=chat`, body);
  expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(words) } });
});

test("under a dialect what is taken is refused in the service's words (A100)", () => {
  const service = client({ dialect: elvish });
  const secret = { variable: "KEY", content: "x" };
  service.post(`${demo}/secrets`, { ...secret, name: "accounts/demo/secrets/a" });
  const { body } = service.post(`${demo}/secrets`, { ...secret, name: "accounts/demo/secrets/b" });
  expect(body["message"]).toBe("accounts/demo/secrets/a already has this `variable`");
});

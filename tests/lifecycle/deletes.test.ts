import { refusal, rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";

const chat = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const ada = { email: "ada@example.com", role: "admin" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const serve = (deployment: unknown) =>
  at.emulator.fetch(
    new Request("http://127.0.0.1/_emulator/traffic", {
      method: "POST",
      body: JSON.stringify({ deployment }),
      headers: { host: "127.0.0.1", "content-type": "application/json" },
    }),
  );

test("a deployment that serves is not deleted unless the program says so", async () => {
  const { outputs } = await at.process().create("Deployment", "chat", chat);
  await serve(outputs["name"]);
  expect((await refusal("served-lately", at.process().delete("Deployment", "chat", outputs))).message).toMatch(
    "ignoreChecks",
  );
  expect(at.live("deployments")).toHaveLength(1);
  await at.process().delete("Deployment", "chat", { ...outputs, ignoreChecks: true });
  expect(at.live("deployments")).toEqual([]);
});

test("a deployment with a ready successor is deleted although it just served a request", async () => {
  const first = await at.process().create("Deployment", "chat", chat);
  await serve(first.id);
  const process = at.process();
  await process.diff("Deployment", "chat", first.outputs, { ...chat, preemptible: true });
  const second = await process.create("Deployment", "chat", { ...chat, preemptible: true });
  await process.delete("Deployment", "chat", first.outputs);
  expect(at.live("deployments").map((object) => object["name"])).toEqual([second.id]);
});

test("deleting an object that is gone succeeds", async () => {
  const { outputs } = await at.process().create("Deployment", "chat", { ...chat, deploymentId: "chat" });
  await at.process().delete("Deployment", "chat", outputs);
  await at.process().delete("Deployment", "chat", outputs);
});

test("a missing route does not make an object gone", async () => {
  const { outputs } = await at.process().create("Secret", "key", { keyName: "STORAGE_KEY", value: "v" });
  await at.fault({
    match: { operation: "getSecret" },
    fault: { kind: "status", status: 404, body: { code: 5, message: "Not Found" } },
    times: 5,
  });
  await expect(at.process().delete("Secret", "key", outputs)).rejects.toThrow("404");
  expect(at.live("secrets")).toHaveLength(1);
});

test("an object created between a 404 and the list that shows it is found", async () => {
  const inputs = { keyName: "STORAGE_KEY", value: "v" };
  const { id, outputs } = await at.process().create("Secret", "key", inputs);
  await at.fault({
    match: { operation: "getSecret" },
    fault: { kind: "status", status: 404, body: { code: 5, message: "the secret does not exist" } },
    times: 1,
  });
  expect(await at.process().refresh("Secret", "key", outputs, inputs)).toMatchObject({ outputs: { name: id } });
});

test("an object without a state that outlasts the timeout is reported as visible", async () => {
  const { outputs } = await at.process().create("Secret", "key", { keyName: "STORAGE_KEY", value: "v" });
  await at.fault({ match: { operation: "deleteSecret" }, fault: { kind: "status", status: 200, body: {} } });
  const kept = { ...outputs, timeouts: { delete: "5s" } };
  expect((await refusal("deletion-unfinished", at.process().delete("Secret", "key", kept))).message).toMatch(
    /the deletion of .* has not finished: still visible after 5 s/,
  );
});

test("an object that reads do not show yet is waited for", async () => {
  await at.fault({
    match: { operation: "getDeployment" },
    fault: { kind: "status", status: 404, body: { code: 5, message: "deployment not found" } },
    times: 3,
  });
  const { outputs } = await at.process().create("Deployment", "chat", chat);
  expect(outputs).toMatchObject({ state: "READY" });
});

test("a 500 for a missing secret is settled by the list", async () => {
  await at.close();
  at = await createHarness({ missingSecret: 500 });
  const { outputs } = await at.process().create("Secret", "key", { keyName: "STORAGE_KEY", value: "v" });
  await at.process().delete("Secret", "key", outputs);
  expect(await at.process().read("Secret", "key", outputs)).toBeUndefined();
});

describe("where the service cannot delete users", () => {
  beforeEach(async () => {
    await at.close();
    at = await createHarness({ userDelete: "unimplemented" });
  });

  test("a deletion is an error that says what to do", async () => {
    const { outputs } = await at.process().create("User", "ada", ada);
    expect((await refusal("no-delete-operation", at.process().delete("User", "ada", outputs))).message).toMatch(
      /onDeleteUnsupported.*abandon.*docs\/errors.md#the-object-cannot-be-deleted/,
    );
  });

  test("a user can be abandoned", async () => {
    const { outputs, id } = await at.process().create("User", "ada", { ...ada, onDeleteUnsupported: "abandon" });
    await at.process().delete("User", "ada", outputs);
    expect(at.object(id)).toMatchObject({ role: "admin" });
  });

  test("a user can be demoted", async () => {
    const { outputs, id } = await at.process().create("User", "ada", { ...ada, onDeleteUnsupported: "demote" });
    await at.process().delete("User", "ada", outputs);
    expect(at.object(id)).toMatchObject({ role: "inference-user" });
  });
});

test("a user is never replaced automatically", async () => {
  const { outputs } = await at.process().create("User", "ada", { ...ada, userId: "ada" });
  await expect(at.process().diff("User", "ada", outputs, { ...ada, userId: "grace" })).rejects.toThrow(
    "a change would delete this user and create another",
  );
});

test("a refused key of one account leaves another account of the program untouched", async () => {
  const process = at.process({ accounts: JSON.stringify({ beta: { apiKey: "wrong" } }) });
  await expect(process.create("User", "eve", { ...ada, accountId: "beta" })).rejects.toThrow("401");
  const { id } = await process.create("User", "ada", ada);
  expect(id).toBe("accounts/acme/users/ada");
  const other = await at.process().create("User", "eve", { ...ada, accountId: "beta" });
  expect(other.id).toBe("accounts/beta/users/ada");
});

test("a first create that the network fails leaves the next one untouched", async () => {
  const process = at.process();
  await at.fault({ match: { operation: "getPolicySettings" }, fault: { kind: "reset" }, times: null });
  await expect(process.create("User", "ada", { ...ada, timeouts: { create: "2s" } })).rejects.toThrow();
  await at.clearFaults();
  const { id } = await process.create("User", "ada", ada);
  expect(id).toBe("accounts/acme/users/ada");
});

test("what reads as gone in an outage is deleted by the request that asks for it", async () => {
  const { id, outputs } = await at
    .process()
    .create("Deployment", "it", { baseModel: "accounts/platform/models/open-8b" });
  await at.clock.sleep(3_600_000);
  const handle = at.replica.handle.bind(at.replica);
  at.replica.handle = async (request) => {
    if (request.method !== "GET" || !request.path.includes("/deployments")) return handle(request);
    const missing = await handle({ ...request, path: `/v1/${id}-missing` });
    return request.path.endsWith("/deployments") ? { ...missing, status: 200, text: '{"deployments":[]}' } : missing;
  };
  await at.process().delete("Deployment", "it", outputs);
  expect(String(at.object(id)?.["state"] ?? "DELETED")).toMatch(/DELET/);
});

test("a delete of what is gone ends well if the service refuses it", async () => {
  const { id, outputs } = await at
    .process()
    .create("Deployment", "it", { baseModel: "accounts/platform/models/open-8b" });
  await at.vanish(id);
  await at.fault({ match: { operation: "deleteDeployment" }, fault: { kind: "status", status: 400 }, times: null });
  await at.process().delete("Deployment", "it", outputs);
  expect(at.names("deployments")).toEqual([]);
});

test("a delete of what is not visible fails where the key may not delete", async () => {
  const { id, outputs } = await at
    .process()
    .create("Deployment", "it", { baseModel: "accounts/platform/models/open-8b" });
  await at.vanish(id);
  await at.fault({ match: { operation: "deleteDeployment" }, fault: { kind: "status", status: 403 }, times: null });
  await expect(at.process().delete("Deployment", "it", outputs)).rejects.toThrow("403");
});

describe("an object that only looks deleted", () => {
  const key = { keyName: "STORAGE_KEY", value: "v" };
  const deletes = async () => (await at.requests()).filter((each) => each.startsWith("DELETE"));

  test.each([
    ["the time that stands for never", { deleteTime: "0001-01-01T00:00:00Z" }],
    ["a time of deletion", { deleteTime: "2026-01-01T00:00:00Z" }],
    ["a mark", { deleted: true }],
    ["a state that the API does not describe", { state: "REMOVED" }],
  ])("is deleted by a request: %s", async (_, sign) => {
    const { id, outputs } = await at.process().create("Secret", "it", key);
    at.replica.form = (object) => ({ ...object, ...sign });
    await at.process().delete("Secret", "it", outputs);
    expect(await deletes()).toEqual([`DELETE /v1/${id}`]);
    expect(at.object(id)).toBeUndefined();
  });

  test("is left where it is another one of the name", async () => {
    const { id, outputs } = await at.process().create("User", "it", ada);
    await at.put(id, { ...at.object(id), createTime: "2026-01-02T00:00:00Z", deleted: true });
    await at.process().delete("User", "it", outputs);
    expect(await deletes()).toEqual([]);
  });

  test("is asked about no more where the API describes its state", async () => {
    const { outputs } = await at.process().create("Deployment", "it", { ...chat, deploymentId: "chat" });
    at.replica.form = (object) => ({ ...object, state: "DELETED" });
    await at.process().delete("Deployment", "it", outputs);
    expect(await deletes()).toEqual([]);
  });
});

describe("a time of deletion that is to come", () => {
  const key = { keyName: "STORAGE_KEY", value: "v" };
  const ahead = (ms: number): string => new Date(at.clock.now() + ms).toISOString();
  /** What the service answers of it from now on. */
  const answer = (sign: Record<string, string>): void => void (at.replica.form = (object) => ({ ...object, ...sign }));
  const read = async (outputs: Record<string, unknown>) => at.process().read("Secret", "it", outputs);

  test.each(["deleteTime", "deletedAt"])("leaves the object live (%s)", async (property) => {
    const { id, outputs } = await at.process().create("Secret", "it", key);
    for (const ms of [5_000, 60_000, 3 * 86_400_000]) {
      answer({ [property]: ahead(ms) });
      expect((await read(outputs))?.outputs).toMatchObject({ name: id });
    }
    answer({ [property]: ahead(-1000) });
    expect(await read(outputs)).toBeUndefined();
  });

  test("has come where another clock of the service, which is ahead, has written it", async () => {
    const { outputs } = await at.process().create("Secret", "it", key);
    answer({ updateTime: ahead(5_000), deleteTime: ahead(5_000) });
    expect(await read(outputs)).toBeUndefined();
  });

  test("has come once an answer has shown how far that clock is ahead", async () => {
    const { outputs } = await at.process().create("Secret", "it", key);
    const process = at.process();
    answer({ createTime: ahead(5_000) });
    await process.read("Secret", "it", outputs);
    await at.clock.sleep(60_000);
    answer({ deleteTime: ahead(5_000) });
    expect(await process.read("Secret", "it", outputs)).toBeUndefined();
  });

  test("is as good as none for a delete", async () => {
    const { outputs } = await at.process().create("Secret", "it", key);
    answer({ deleteTime: ahead(5_000) });
    await at.process().delete("Secret", "it", outputs);
    expect(at.names("secrets")).toEqual([]);
  });
});

describe("a job with a value that cannot be used", () => {
  const job = { baseModel: chat.baseModel, dataset: "accounts/acme/datasets/tickets", waitFor: "submitted" };

  test.each([
    ["learningRate", "NaN"],
    ["learningRate", "-Infinity"],
    ["batchSize", "many"],
    ["epochs", "NaN"],
  ])("is cancelled and deleted (%s: %s)", async (field, value) => {
    const { id, outputs } = await at.process().create("SupervisedFineTuningJob", "tune", job);
    await at.change(id, { [field]: value, state: "JOB_STATE_RUNNING" });
    await at.process().delete("SupervisedFineTuningJob", "tune", outputs);
    expect(at.live("supervisedFineTuningJobs")).toEqual([]);
  });

  test("is deleted although nothing can be read after its cancel", async () => {
    const { id, outputs } = await at.process().create("SupervisedFineTuningJob", "tune", job);
    await at.change(id, { state: "JOB_STATE_RUNNING" });
    const match = { operation: "cancelSupervisedFineTuningJob" };
    await at.fault({ match, fault: { kind: "garbage" }, times: null });
    const process = at.process();
    await process.delete("SupervisedFineTuningJob", "tune", outputs);
    expect(at.live("supervisedFineTuningJobs")).toEqual([]);
    expect(process.messages.join()).toContain("is deleted all the same");
  });
});

describe("a user that a DELETE moves to a state of the service's own", () => {
  const silent = { match: { operation: "deleteUser" }, fault: { kind: "status", status: 200, body: {} }, times: null };

  async function deactivated(state: string) {
    const { id, outputs } = await at.process().create("User", "ada", ada);
    await at.fault(silent);
    const process = at.process();
    const deleting = rejection(process.delete("User", "ada", outputs));
    await at.clock.sleep(1000);
    await at.change(id, { state });
    return deleting;
  }

  test("stays, and the error names the state and the way out", async () => {
    const { message } = await deactivated("DEACTIVATED");
    expect(message).toMatch(/was accepted, and since then it is DEACTIVATED, .* and no longer READY/);
    expect(message).toContain("state delete");
    expect(at.live("users")).toHaveLength(1);
  });

  test("is still under way in a state that the API's description has", async () => {
    expect((await deactivated("UPDATING")).message).toContain("has not finished: still UPDATING");
  });
});

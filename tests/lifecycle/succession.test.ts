import type { Settings } from "../../emulator/index";
import { InitFailedError, type Values } from "../../provider/lifecycle/types";
import { refusal, rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";

const open8b = "accounts/platform/models/open-8b";
const open70b = "accounts/platform/models/open-70b";
const chat = { baseModel: open8b, deploymentShape: "default" };
/** The same on other capacity, which only a new deployment can have. */
const revocable = { ...chat, preemptible: true };
/** No shape of the model has this hardware, so that it is accepted and fails. */
const broken = { baseModel: open8b, preemptible: true, acceleratorType: "VENDOR1_L4_24GB" };

let at: Harness;
afterEach(() => at.close());
const start = async (settings: Partial<Settings> = {}) => void (at = await createHarness(settings));

/** What was asked for, however often: an id that is taken is followed by another try. */
const writes = async (): Promise<string[]> => [
  ...new Set((await at.requests()).filter((request) => !request.startsWith("GET"))),
];
const control = (method: string, path: string, body?: Values) =>
  at.emulator.fetch(
    new Request(`http://127.0.0.1/_emulator/${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      headers: { host: "127.0.0.1", "content-type": "application/json" },
    }),
  );

/** Replaces `chat` in a new process, as an engine does: diff, create, and the old one's delete. */
async function replace(outputs: Values, inputs: Values, between?: () => Promise<unknown>) {
  const process = at.process();
  expect(await process.diff("Deployment", "chat", outputs, inputs)).toMatchObject({
    changes: true,
    deleteBeforeReplace: false,
  });
  const second = await process.create("Deployment", "chat", inputs);
  await between?.();
  await process.delete("Deployment", "chat", outputs);
  return { process, second };
}

describe("what serves from a deployment", () => {
  test("moves to the successor, where nobody has declared it", async () => {
    await start();
    const { outputs, id } = await at.process().create("Deployment", "chat", chat);
    expect(at.live("deployedModels")).toMatchObject([{ model: open8b, deployment: id, default: true }]);
    const [record] = at.names("deployedModels");
    await at.requests();
    const { second, process } = await replace(outputs, revocable);
    expect(at.live("deployedModels")).toMatchObject([
      { name: record, model: open8b, deployment: second.id, default: true, state: "DEPLOYED" },
    ]);
    expect(await writes()).toEqual([
      "POST /v1/accounts/acme/deployments",
      `PATCH /v1/${String(record)}`,
      `DELETE /v1/${id}`,
    ]);
    expect(process.messages).toContain(`info: ${open8b} is now served from ${second.id}.`);
  });

  test("hands the default over to what the successor has already", async () => {
    await start();
    const { outputs } = await at.process().create("Deployment", "chat", chat);
    const process = at.process();
    await process.diff("Deployment", "chat", outputs, revocable);
    const second = await process.create("Deployment", "chat", revocable);
    const beside = await process.create("DeployedModel", "chat", { model: open8b, deployment: second.id });
    expect(at.object(beside.id)).not.toMatchObject({ default: true });
    await process.delete("Deployment", "chat", outputs);
    expect(at.live("deployedModels")).toMatchObject([{ name: beside.id, default: true }]);
  });

  test("stays and is deleted with the old one where the successor cannot serve it", async () => {
    await start();
    const { outputs } = await at.process().create("Deployment", "chat", chat);
    const { second } = await replace(outputs, { ...chat, baseModel: open70b });
    expect(at.live("deployedModels")).toMatchObject([
      { model: open70b, deployment: second.id, default: true, state: "DEPLOYED" },
    ]);
  });

  test("has already moved where the program declares it, and is not moved twice", async () => {
    await start();
    const { outputs, id } = await at.process().create("Deployment", "chat", { ...chat, disableAutoDeploy: true });
    const served = await at.process().create("DeployedModel", "chat", { model: open8b, deployment: id, default: true });
    await at.requests();
    const inputs = { ...revocable, disableAutoDeploy: true };
    const process = at.process();
    await process.diff("Deployment", "chat", outputs, inputs);
    const second = await process.create("Deployment", "chat", inputs);
    const moved = { model: open8b, deployment: second.id, default: true };
    expect(await process.diff("DeployedModel", "chat", served.outputs, moved)).toMatchObject({ replaces: [] });
    expect(await process.update("DeployedModel", "chat", served.outputs, moved)).toMatchObject({
      name: served.id,
      deployment: second.id,
      default: true,
      state: "DEPLOYED",
    });
    await process.delete("Deployment", "chat", outputs);
    expect(await writes()).toEqual([
      "POST /v1/accounts/acme/deployments",
      `PATCH /v1/${served.id}`,
      `DELETE /v1/${id}`,
    ]);
  });
});

test("nothing is deleted where the wait for what the successor serves is interrupted", async () => {
  await start();
  const { outputs, id } = await at.process().create("Deployment", "chat", chat);
  await at.clock.sleep(60_000);
  const process = at.process();
  const inputs = { ...chat, baseModel: open70b };
  await process.diff("Deployment", "chat", outputs, inputs);
  await process.create("Deployment", "chat", inputs);
  const deleting = process.delete("Deployment", "chat", outputs);
  await at.clock.sleep(1);
  process.abort.abort();
  expect((await refusal("not-serving", deleting)).message).toContain("does not serve yet");
  expect(at.object(id)).toMatchObject({ state: "READY" });
});

test("nothing is deleted before the successor has loaded what it is to serve", async () => {
  await start();
  const { outputs, id } = await at.process().create("Deployment", "chat", chat);
  await at.clock.sleep(60_000);
  const { second, process } = await replace(outputs, { ...chat, baseModel: open70b }, async () => {
    expect(at.live("deployedModels")).toEqual(
      expect.arrayContaining([expect.objectContaining({ model: open70b, state: "DEPLOYING" })]),
    );
    await at.requests();
  });
  expect(process.messages.indexOf("status: DEPLOYED")).toBeGreaterThan(process.messages.indexOf("status: DEPLOYING"));
  expect((await at.requests()).at(-1)).toMatch(/^GET .*deployments/);
  expect(at.object(id)).toMatchObject({ state: "DELETED" });
  expect(at.names("deployments")).toEqual([second.id]);
});

describe("the time to drain", () => {
  test("passes between the hand-over and the deletion, whatever the old one has recorded", async () => {
    await start();
    const { outputs, id } = await at.process().create("Deployment", "chat", { ...chat, timeouts: { delete: "1m" } });
    const process = at.process();
    const inputs = { ...revocable, drainTime: "2m" };
    await process.diff("Deployment", "chat", outputs, inputs);
    const second = await process.create("Deployment", "chat", inputs);
    const deleting = process.delete("Deployment", "chat", outputs);
    await at.clock.sleep(100_000);
    expect(at.object(id)).toMatchObject({ state: "READY" });
    expect(at.live("deployedModels")).toMatchObject([{ deployment: second.id, default: true }]);
    await deleting;
    expect(at.names("deployments")).toEqual([second.id]);
    expect(process.messages).toEqual(
      expect.arrayContaining([
        `info: ${id} keeps running for 2m beside ${second.id}, and is then deleted.`,
        "status: draining, 120 s left",
        "status: draining, 30 s left",
      ]),
    );
  });

  test("does not pass where the deployment has no successor", async () => {
    await start();
    const { outputs } = await at.process().create("Deployment", "chat", { ...chat, drainTime: "2h" });
    const before = at.clock.now();
    await at.process().delete("Deployment", "chat", outputs);
    expect(at.clock.now() - before).toBeLessThan(60_000);
  });

  test("can be interrupted, and the next run drains again and deletes", async () => {
    await start();
    const inputs = { ...revocable, drainTime: "2m" };
    const { outputs, id } = await at.process().create("Deployment", "chat", chat);
    const process = at.process();
    await process.diff("Deployment", "chat", outputs, inputs);
    const second = await process.create("Deployment", "chat", inputs);
    const deleting = refusal("drain-interrupted", process.delete("Deployment", "chat", outputs));
    await at.clock.sleep(60_000);
    process.abort.abort();
    expect((await deleting).message).toContain("interrupted while it drained");
    expect(at.object(id)).toMatchObject({ state: "READY" });
    await control("POST", "traffic", { deployment: id });
    const next = at.process();
    await next.diff("Deployment", "chat", second.outputs, inputs);
    await next.delete("Deployment", "chat", outputs);
    expect(at.names("deployments")).toEqual([second.id]);
  });

  test("must be a duration", async () => {
    await start();
    expect((await at.process().judge("Deployment", "chat", { ...chat, drainTime: "soon" })).failures).toMatchObject([
      { property: "drainTime" },
    ]);
  });
});

describe("a successor that fails", () => {
  test("is deleted, and the old one stays unchanged and recorded", async () => {
    await start();
    const { outputs, id } = await at.process().create("Deployment", "chat", chat);
    const process = at.process();
    await process.diff("Deployment", "chat", outputs, broken);
    const error = await rejection(process.create("Deployment", "chat", broken));
    expect(error).not.toBeInstanceOf(InitFailedError);
    expect(error.message).toMatch(
      new RegExp(
        `was created to replace ${id} and did not reach the desired state: FAILED \\(INTERNAL.*it was deleted, and ${id} is unchanged`,
      ),
    );
    expect(at.names("deployments")).toEqual([id]);
    expect(at.live("deployedModels")).toMatchObject([{ deployment: id, default: true, state: "DEPLOYED" }]);
    const clean = at.process();
    expect(await clean.diff("Deployment", "chat", outputs, chat)).toMatchObject({ changes: false });
    expect(clean.messages).toEqual([]);
    const { second } = await replace(outputs, revocable);
    expect(at.names("deployments")).toEqual([second.id]);
  });

  test("is recorded where it stays invisible, and is not lost", async () => {
    await start();
    const { outputs, id } = await at.process().create("Deployment", "chat", chat);
    const process = at.process();
    await process.diff("Deployment", "chat", outputs, revocable);
    await at.fault({
      match: { operation: "createDeployment" },
      fault: { kind: "notYetVisible", ms: 300_000 },
      times: null,
    });
    const error = await rejection<InitFailedError>(process.create("Deployment", "chat", revocable));
    expect(error).toBeInstanceOf(InitFailedError);
    expect(error.message).not.toContain("deleted");
    expect(at.names("deployments").sort()).toEqual([id, error.id].sort());
  });

  test("is recorded where its deletion fails as well", async () => {
    await start();
    const { outputs, id } = await at.process().create("Deployment", "chat", chat);
    const process = at.process();
    await process.diff("Deployment", "chat", outputs, broken);
    await at.fault({ match: { operation: "deleteDeployment" }, fault: { kind: "status", status: 403 } });
    const error = (await rejection(process.create("Deployment", "chat", broken))) as InitFailedError;
    expect(error).toBeInstanceOf(InitFailedError);
    expect(error.message).toContain("403");
    expect(error.outputs).toMatchObject({ state: "FAILED" });
    expect(at.names("deployments")).toEqual([id, error.id]);
    const next = at.process();
    expect(await next.diff("Deployment", "chat", error.outputs, revocable)).toMatchObject({
      changes: true,
      deleteBeforeReplace: false,
    });
    const { id: third } = await next.create("Deployment", "chat", revocable);
    for (const old of [outputs, error.outputs]) await next.delete("Deployment", "chat", old);
    expect(at.names("deployments")).toEqual([third]);
    expect(at.live("deployedModels")).toMatchObject([{ deployment: third, default: true }]);
  });

  test("is recorded where there is no old object to keep", async () => {
    await start();
    const first = (await rejection(at.process().create("Deployment", "chat", broken))) as InitFailedError;
    expect(first).toBeInstanceOf(InitFailedError);
    expect(first.outputs).toMatchObject({ state: "FAILED" });
    const process = at.process();
    const other = { ...broken, acceleratorCount: 2 };
    expect(await process.diff("Deployment", "chat", first.outputs, other)).toMatchObject({
      changes: true,
      replaces: ["state"],
    });
    const second = (await rejection(process.create("Deployment", "chat", other))) as InitFailedError;
    expect(second).toBeInstanceOf(InitFailedError);
    const fixed = at.process();
    await fixed.diff("Deployment", "chat", second.outputs, chat);
    const third = await fixed.create("Deployment", "chat", chat);
    await fixed.delete("Deployment", "chat", first.outputs);
    await fixed.delete("Deployment", "chat", second.outputs);
    expect(at.names("deployments")).toEqual([third.id]);
  });

  test("of a job is recorded, because the program decides what happens next", async () => {
    await start();
    const job = { baseModel: open8b, dataset: "accounts/acme/datasets/tickets" };
    const first = await at.process().create("SupervisedFineTuningJob", "tune", job);
    const process = at.process();
    const worse = { ...job, dataset: "accounts/acme/datasets/fail" };
    await process.diff("SupervisedFineTuningJob", "tune", first.outputs, worse);
    expect(await rejection(process.create("SupervisedFineTuningJob", "tune", worse))).toBeInstanceOf(InitFailedError);
  });
});

describe("a successor that is late", () => {
  const slow = { ...revocable, timeouts: { create: "10s", delete: "30m" } };

  test("is recorded, and the old one kept until it is ready, also after errors", async () => {
    await start();
    const { outputs, id } = await at.process().create("Deployment", "chat", chat);
    const process = at.process();
    await process.diff("Deployment", "chat", outputs, slow);
    const late = (await rejection(process.create("Deployment", "chat", slow))) as InitFailedError;
    expect(late).toBeInstanceOf(InitFailedError);
    await at.requests();
    await process.delete("Deployment", "chat", outputs);
    expect(at.object(late.id)).toMatchObject({ state: "READY" });
    expect(at.object(id)).toMatchObject({ state: "DELETED" });
    expect(at.live("deployedModels")).toMatchObject([{ deployment: late.id, default: true }]);
  });

  test("and fails in the end keeps the old one from being deleted", async () => {
    await start();
    const { outputs, id } = await at.process().create("Deployment", "chat", chat);
    const process = at.process();
    await process.diff("Deployment", "chat", outputs, slow);
    const late = (await rejection(process.create("Deployment", "chat", slow))) as InitFailedError;
    await at.change(late.id, { state: "FAILED", status: { code: "INTERNAL", message: "no capacity" } });
    expect((await rejection(process.delete("Deployment", "chat", outputs))).message).toMatch(
      /is not deleted: its successor .* \(FAILED \(INTERNAL: no capacity\)\)/,
    );
    expect(at.object(id)).toMatchObject({ state: "READY" });
  });

  test("of a job may be one whose record is gone: what it has made is not", async () => {
    await start();
    const job = { baseModel: open8b, dataset: "accounts/acme/datasets/tickets" };
    const first = await at.process().create("SupervisedFineTuningJob", "tune", job);
    const process = at.process();
    await process.diff("SupervisedFineTuningJob", "tune", first.outputs, { ...job, epochs: 2 });
    const second = await process.create("SupervisedFineTuningJob", "tune", { ...job, epochs: 2 });
    await at.change(second.id, { state: "JOB_STATE_ARCHIVED" });
    await process.delete("SupervisedFineTuningJob", "tune", first.outputs);
    expect(at.object(first.id)).toMatchObject({ state: "JOB_STATE_DELETED" });
  });

  test("is deleted at once where the program says so, and the old one stays", async () => {
    await start();
    const { outputs, id } = await at.process().create("Deployment", "chat", chat);
    const process = at.process();
    const inputs = { ...slow, onTimeout: "delete" };
    await process.diff("Deployment", "chat", outputs, inputs);
    const error = await rejection(process.create("Deployment", "chat", inputs));
    expect(error).not.toBeInstanceOf(InitFailedError);
    expect(error.message).toContain("`onTimeout`");
    expect(at.names("deployments")).toEqual([id]);
  });
});

describe("a service that deletes only empty deployments", () => {
  beforeEach(() => start({ deploymentInUse: "refuse" }));

  test("has its own models unloaded first", async () => {
    const { outputs, id } = await at.process().create("Deployment", "chat", chat);
    const [record] = at.names("deployedModels");
    await at.requests();
    await at.process().delete("Deployment", "chat", outputs);
    expect(await writes()).toEqual([`DELETE /v1/${id}`, `DELETE /v1/${String(record)}`]);
    expect([...at.names("deployments"), ...at.names("deployedModels")]).toEqual([]);
  });

  test("is given time for models that are already leaving", async () => {
    const { outputs, id } = await at.process().create("Deployment", "chat", { ...chat, disableAutoDeploy: true });
    const served = await at.process().create("DeployedModel", "chat", { model: open8b, deployment: id });
    const process = at.process();
    await Promise.all([
      process.delete("DeployedModel", "chat", served.outputs),
      process.delete("Deployment", "chat", outputs),
    ]);
    expect([...at.names("deployments"), ...at.names("deployedModels")]).toEqual([]);
  });

  test("keeps the models of a deployment that has recently answered a request", async () => {
    const { outputs, id } = await at.process().create("Deployment", "chat", chat);
    await control("POST", "traffic", { deployment: id });
    expect((await rejection(at.process().delete("Deployment", "chat", outputs))).message).toContain("ignoreChecks");
    expect(at.live("deployedModels")).toMatchObject([{ deployment: id, default: true }]);
    await at.process().delete("Deployment", "chat", { ...outputs, ignoreChecks: true });
    expect(at.names("deployments")).toEqual([]);
  });
});

import { InitFailedError, type Values } from "../../provider/lifecycle/types";
import { refusal, rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";

const kind = "Deployment";
const chat = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const writes = async (): Promise<string[]> => (await at.requests()).filter((request) => !request.startsWith("GET"));

describe("`waitFor`", () => {
  test.each([
    ["ready", "READY"],
    ["accepted", "CREATING"],
  ])("%s ends a creation with a deployment that is %s", async (waitFor, state) => {
    expect((await at.process().create(kind, "chat", { ...chat, waitFor })).outputs).toMatchObject({ state });
  });

  test("accepted ends an update once the service has taken it", async () => {
    const { outputs } = await at.process().create(kind, "chat", chat);
    const updated = await at
      .process()
      .update(kind, "chat", outputs, { ...chat, maxReplicaCount: 3, waitFor: "accepted" });
    expect(updated).toMatchObject({ maxReplicaCount: 3 });
    expect(
      await at.process().diff(kind, "chat", updated, { ...chat, maxReplicaCount: 3, waitFor: "accepted" }),
    ).toMatchObject({ changes: false });
  });

  test("accepted does not hide a failure that comes later from a refresh", async () => {
    const inputs = { ...chat, waitFor: "accepted" };
    const { outputs, id } = await at.process().create(kind, "chat", inputs);
    await at.change(id, { state: "FAILED", status: { code: "INTERNAL", message: "no capacity" } });
    const read = await at.process().read(kind, "chat", outputs);
    expect(await at.process().diff(kind, "chat", read!.outputs, inputs)).toMatchObject({
      changes: true,
      replaces: ["state"],
    });
  });
});

describe("`deletionMode`", () => {
  test.each([
    ["an automatic id leaves a tombstone that can be undeleted", {}, { state: "DELETED" }],
    ["`hard` leaves nothing", { deletionMode: "hard" }, undefined],
    ["an id that the program chose leaves nothing, so that it is free again", { deploymentId: "chat" }, undefined],
    [
      "an id that the program chose with `soft` leaves a tombstone",
      { deploymentId: "chat", deletionMode: "soft" },
      { state: "DELETED" },
    ],
  ])("%s", async (_, more, left) => {
    const { outputs, id } = await at.process().create(kind, "chat", { ...chat, ...more });
    await at.process().delete(kind, "chat", outputs);
    if (left) expect(at.object(id)).toMatchObject(left);
    else expect(at.object(id)).toBeUndefined();
  });

  test("applies to a deletion right after it was changed", async () => {
    const { outputs, id } = await at.process().create(kind, "chat", chat);
    const updated = await at.process().update(kind, "chat", outputs, { ...chat, deletionMode: "hard" });
    await at.process().delete(kind, "chat", updated);
    expect(at.object(id)).toBeUndefined();
  });
});

describe("`onTimeout`", () => {
  test("delete spares an object that existed before", async () => {
    const process = at.process();
    const creating = rejection(process.create(kind, "chat", { ...chat, deploymentId: "chat" }));
    await at.clock.sleep(5_000);
    process.abort.abort();
    await creating;
    const inputs = {
      ...chat,
      deploymentId: "chat",
      adopt: "ifEqual",
      timeouts: { create: "10s" },
      onTimeout: "delete",
    };
    const error = (await rejection(at.elsewhere().create(kind, "other", inputs))) as InitFailedError;
    expect(error).toBeInstanceOf(InitFailedError);
    expect(error.outputs).toMatchObject({ adopted: true, state: "CREATING" });
    expect(at.object("accounts/acme/deployments/chat")).toMatchObject({ state: "CREATING" });
  });

  test("delete spares a deployment that got ready since the last look", async () => {
    const deadline = at.clock.now() + 10_000;
    at.clock.onAdvance(() => {
      if (at.clock.now() >= deadline) void at.change("accounts/acme/deployments/chat", { state: "READY" });
    });
    const inputs = { ...chat, deploymentId: "chat", timeouts: { create: "10s" }, onTimeout: "delete" };
    expect((await at.process().create(kind, "chat", inputs)).outputs).toMatchObject({ state: "READY" });
    expect(at.object("accounts/acme/deployments/chat")).toMatchObject({ state: "READY" });
  });

  test("a failed delete leaves the deployment recorded, and the next run continues", async () => {
    const slow = { ...chat, timeouts: { create: "10s" }, onTimeout: "delete" };
    await at.fault({ match: { operation: "deleteDeployment" }, fault: { kind: "status", status: 403 }, times: 5 });
    const error = (await refusal("cleanup-failed", at.process().create(kind, "chat", slow))) as InitFailedError;
    expect(error).toBeInstanceOf(InitFailedError);
    expect(error.message).toMatch(
      /was not ready in time .* deleting it failed as well: .*403.* role allows it\. It is recorded/,
    );
    expect(
      await at.process().update(kind, "chat", error.outputs, { ...slow, timeouts: { create: "10m" } }),
    ).toMatchObject({ name: error.id, state: "READY" });
  });
});

describe("where labels cannot be patched (A046)", () => {
  const labelled = (annotations: Values): Values => ({ ...chat, annotations });

  test.each([400, 403, 501])("and the service answers %i, verbs set and remove them", async (status) => {
    const { outputs, id } = await at
      .process()
      .create(kind, "chat", labelled({ "custom/team": "a", "custom/tier": "b" }));
    await at.requests();
    await at.fault({
      match: { operation: "updateDeployment" },
      fault: { kind: "status", status, body: { code: status === 501 ? 12 : status === 403 ? 7 : 3, message: "no" } },
      times: null,
    });
    const updated = await at
      .process()
      .update(kind, "chat", outputs, labelled({ "custom/team": "c", "custom/owner": "d" }));
    expect(at.object(id)).toMatchObject({ annotations: { "custom/team": "c", "custom/owner": "d" } });
    expect(Object.keys(updated["annotations"] as Values).sort()).toEqual(["custom/owner", "custom/team"]);
    expect(await writes()).toEqual([`PATCH /v1/${id}`, `POST /v1/${id}:setTags`, `POST /v1/${id}:deleteTags`]);
  });

  test.each([401, 409, 412])("an answer of %i stands", async (status) => {
    const { outputs, id } = await at.process().create(kind, "chat", labelled({ "custom/team": "a" }));
    await at.fault({ match: { operation: "updateDeployment" }, fault: { kind: "status", status }, times: null });
    expect(
      (await rejection(at.process().update(kind, "chat", outputs, labelled({ "custom/team": "b" })))).message,
    ).toContain(String(status));
    expect(at.object(id)).toMatchObject({ annotations: { "custom/team": "a" } });
  });

  test("labels that are not the program's stay", async () => {
    const { outputs, id } = await at.process().create(kind, "chat", labelled({ "custom/team": "a" }));
    await at.change(id, { annotations: { "custom/team": "a", managed: "yes" } });
    await at.process().update(kind, "chat", outputs, labelled({ "custom/team": "b" }));
    expect(at.object(id)).toMatchObject({ annotations: { "custom/team": "b", managed: "yes" } });
  });
});

describe("outputs of a rollout", () => {
  test("tell the deployment's state, its replicas and the version that they run", async () => {
    const { outputs } = await at.process().create(kind, "chat", { ...chat, minReplicaCount: 2, maxReplicaCount: 4 });
    expect(outputs).toMatchObject({
      state: "READY",
      status: { code: "OK" },
      desiredReplicaCount: 2,
      replicaCount: 2,
      replicaStats: { readyReplicaCount: 2 },
      region: expect.stringMatching(/^US_/),
      activeModelVersion: "v1",
      targetModelVersion: "v1",
    });
  });

  test("move with the service and are never a difference", async () => {
    const { outputs, id } = await at
      .process()
      .create(kind, "chat", { ...chat, minReplicaCount: 1, maxReplicaCount: 4 });
    await at.change(id, {
      desiredReplicaCount: 4,
      replicaCount: 3,
      replicaStats: { readyReplicaCount: 3 },
      activeModelVersion: "v1",
      targetModelVersion: "v2",
    });
    const read = await at.process().read(kind, "chat", outputs);
    expect(read?.outputs).toMatchObject({ replicaCount: 3, targetModelVersion: "v2" });
    expect(
      await at.process().diff(kind, "chat", read!.outputs, { ...chat, minReplicaCount: 1, maxReplicaCount: 4 }),
    ).toMatchObject({ changes: false });
  });

  test("of a version that the program asks for are those of the finished rollout", async () => {
    const { outputs } = await at.process().create(kind, "chat", chat);
    expect(await at.process().update(kind, "chat", outputs, { ...chat, targetModelVersion: "v2" })).toMatchObject({
      state: "READY",
      activeModelVersion: "v2",
      targetModelVersion: "v2",
    });
  });

  test("with no replica are those of a deployment in its desired state (A048)", async () => {
    const { outputs } = await at.process().create(kind, "chat", { ...chat, minReplicaCount: 0, maxReplicaCount: 0 });
    expect([outputs["state"], outputs["replicaCount"] ?? 0]).toEqual(["READY", 0]);
  });
});

describe("hot loading", () => {
  const hot = {
    ...chat,
    enableHotLoad: true,
    hotLoadBucketType: "S3",
    hotLoadBucketUrl: "s3://bucket/weights",
    hotLoadTrainerJob: "accounts/acme/rlorTrainerJobs/tuner",
  };

  test("pauses requests in flight unless told otherwise, which is no difference", async () => {
    const { outputs } = await at.process().create(kind, "chat", hot);
    expect(outputs).toMatchObject({ ...hot, deploymentShape: expect.any(String), hotLoadTransitionType: "ASYNC" });
    expect(await at.process().diff(kind, "chat", outputs, hot)).toMatchObject({ changes: false });
  });

  test("can drain first, in place; another bucket means another deployment", async () => {
    const { outputs, id } = await at.process().create(kind, "chat", hot);
    const other = { ...hot, hotLoadTransitionType: "SYNC", hotLoadTrainerJob: "accounts/acme/rlorTrainerJobs/next" };
    expect(await at.process().update(kind, "chat", outputs, other)).toMatchObject({
      name: id,
      hotLoadTransitionType: "SYNC",
      hotLoadTrainerJob: "accounts/acme/rlorTrainerJobs/next",
    });
    expect(
      (await at.process().diff(kind, "chat", outputs, { ...hot, hotLoadBucketUrl: "s3://other" })).replaces,
    ).toEqual(["hotLoadBucketUrl"]);
  });
});

describe("a direct route", () => {
  test.each([
    ["INTERNET", /\.direct\.example\.com$/],
    ["CLOUDB_PRIVATE_SERVICE_CONNECT", /^projects\/.*serviceAttachments/],
    ["CLOUDA_PRIVATELINK", /^com\./],
  ])("of type %s has a handle of its own", async (directRouteType, directRouteHandle) => {
    const { outputs } = await at
      .process()
      .create(kind, "chat", { ...chat, directRouteType, directRouteApiKeys: ["one", "two"] });
    expect(outputs).toMatchObject({ directRouteType, directRouteHandle: expect.stringMatching(directRouteHandle) });
  });

  test("can be opened and closed in place, with keys in any order", async () => {
    const { outputs, id } = await at.process().create(kind, "chat", chat);
    const open = { ...chat, directRouteType: "INTERNET", directRouteApiKeys: ["one", "two"] };
    const opened = await at.process().update(kind, "chat", outputs, open);
    expect(opened).toMatchObject({ name: id, directRouteHandle: expect.stringContaining("direct") });
    expect(
      await at.process().diff(kind, "chat", opened, { ...open, directRouteApiKeys: ["two", "one"] }),
    ).toMatchObject({ changes: false });
    await at.process().update(kind, "chat", opened, { ...open, directRouteApiKeys: ["three"] });
    expect(at.object(id)).toMatchObject({ directRouteApiKeys: ["three"] });
    const closed = await at.process().update(kind, "chat", opened, { ...chat, directRouteType: null });
    expect(closed["directRouteHandle"] ?? "").toBe("");
  });
});

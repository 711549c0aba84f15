import { createEmulator } from "../../emulator/index";
import { client, type EdgeClient } from "./edge-client";

const chat = "accounts/demo/deployments/chat";

let emulator: EdgeClient;
beforeEach(() => {
  emulator = client();
});

describe("objects", () => {
  test("are all told by name, or those of one account", async () => {
    await emulator.deployment("chat");
    const { objects } = (await emulator.control("GET", "objects")).json;
    expect(objects[chat]).toMatchObject({ name: chat, state: "CREATING" });
    expect(objects["accounts/platform/models/open-8b"]).toBeDefined();
    const own = (await emulator.control("GET", "objects?account=demo")).json.objects;
    expect(Object.keys(own).every((name) => name.startsWith("accounts/demo"))).toBe(true);
  });

  test("are put as they are", async () => {
    const fields = { baseModel: "accounts/platform/models/open-8b", state: "FAILED", somethingNew: 1 };
    expect((await emulator.control("PUT", `objects/${chat}`, fields)).json).toEqual({ name: chat, ...fields });
    expect((await emulator.control("GET", `objects/${chat}`)).json).toEqual({ name: chat, ...fields });
    expect((await emulator.api("GET", `/v1/${chat}`)).json).toMatchObject({ state: "FAILED" });
  });

  test("are changed by a merge patch, which moves updateTime", async () => {
    await emulator.deployment("chat");
    await emulator.control("POST", "clock", { advance: "1h" });
    const before = (await emulator.control("GET", `objects/${chat}`)).json;
    await emulator.control("PATCH", `objects/${chat}`, {
      displayName: "changed",
      autoscalingPolicy: { scaleUpWindow: "60s" },
      region: null,
    });
    const after = (await emulator.control("GET", `objects/${chat}`)).json;
    expect(after).toMatchObject({
      displayName: "changed",
      autoscalingPolicy: { scaleUpWindow: "60s" },
      state: "READY",
    });
    expect(after).not.toHaveProperty("region");
    expect(Date.parse(after.updateTime)).toBeGreaterThan(Date.parse(before.updateTime));
  });

  test("whose state is set from outside stay in it", async () => {
    await emulator.deployment("chat");
    await emulator.control("PATCH", `objects/${chat}`, {
      state: "FAILED",
      status: { code: "INTERNAL", message: "no capacity" },
    });
    await emulator.control("POST", "clock", { advance: "1h" });
    expect((await emulator.api("GET", `/v1/${chat}`)).json).toMatchObject({
      state: "FAILED",
      status: { code: "INTERNAL" },
    });
  });

  test("that are patched while they move go on moving", async () => {
    await emulator.deployment("chat");
    await emulator.control("PATCH", `objects/${chat}`, { displayName: "changed" });
    await emulator.control("POST", "clock", { advance: "1h" });
    expect((await emulator.api("GET", `/v1/${chat}`)).json).toMatchObject({ state: "READY", displayName: "changed" });
  });

  test("are gone once deleted", async () => {
    await emulator.deployment("chat");
    expect((await emulator.control("DELETE", `objects/${chat}`)).status).toBe(200);
    expect((await emulator.api("GET", `/v1/${chat}`)).status).toBe(404);
    expect(await emulator.control("DELETE", `objects/${chat}`)).toMatchObject({ status: 404, json: { code: 5 } });
  });

  test("leave a tombstone where asked for, as A042 has it", async () => {
    await emulator.deployment("chat");
    await emulator.control("DELETE", `objects/${chat}?tombstone=true`);
    const { json } = await emulator.api("GET", `/v1/${chat}`);
    expect(json).toMatchObject({ state: "DELETED" });
    expect(json.replicaCount ?? 0).toBe(0);
    expect(Date.parse(json.purgeTime)).toBeGreaterThan(Date.parse(json.deleteTime));
    expect((await emulator.api("GET", "/v1/accounts/demo/deployments")).json.totalSize).toBe(0);
    expect((await emulator.api("GET", "/v1/accounts/demo/deployments?showDeleted=true")).json.totalSize).toBe(1);
    await expect(emulator.deployment("chat")).rejects.toThrow("already exists");
  });

  test("of a kind that leaves none are not made tombstones", async () => {
    await emulator.control("PUT", "objects/accounts/demo/secrets/key", { keyName: "KEY" });
    expect(await emulator.control("DELETE", "objects/accounts/demo/secrets/key?tombstone=true")).toMatchObject({
      status: 400,
    });
  });

  test("keep a secret's value to themselves", async () => {
    await emulator.control("PUT", "objects/accounts/demo/secrets/key", { keyName: "KEY", value: "canary-1" });
    expect((await emulator.control("GET", "objects")).text).not.toContain("canary-1");
    expect(emulator.emulator.world.get("accounts/demo/secrets/key")?.hidden).toEqual({ value: "canary-1" });
  });

  test("need a name that a kind of object has", async () => {
    expect(await emulator.control("PUT", "objects/accounts/demo/gadgets/x", {})).toMatchObject({
      status: 400,
      json: { message: expect.stringContaining("accounts/demo/gadgets/x") },
    });
  });
});

describe("a seed", () => {
  test("adds accounts, keys and objects, which are at rest unless it says otherwise", async () => {
    const seed = {
      accounts: { acme: { keys: { "acme-ro": "inference-user", "acme-admin": "admin" } } },
      objects: { "accounts/acme/deployments/chat": { baseModel: "accounts/platform/models/open-8b" } },
    };
    expect((await emulator.control("POST", "seed", seed)).status).toBe(200);
    const read = await emulator.api("GET", "/v1/accounts/acme/deployments/chat", undefined, {
      authorization: "Bearer acme-ro",
    });
    expect(read).toMatchObject({ status: 200, json: { state: "READY", createTime: "2026-01-01T00:00:00.000Z" } });
    expect(
      (await emulator.api("GET", "/v1/accounts/acme", undefined, { authorization: "Bearer acme-ro" })).status,
    ).toBe(200);
  });

  test("takes what `GET objects` gives", async () => {
    await emulator.deployment("chat");
    const { objects } = (await emulator.control("GET", "objects")).json;
    const other = client();
    expect((await other.control("POST", "seed", { objects })).status).toBe(200);
    expect((await other.control("GET", "objects")).json.objects).toEqual(objects);
  });

  test.each([
    [{ object: {} }, "object"],
    [{ accounts: { acme: { keys: { k: "owner" } } } }, "accounts.acme.keys.k"],
    [{ objects: { nonsense: {} } }, "`nonsense` is not a resource name"],
  ])("that makes no sense is refused and changes nothing: %j", async (seed, reason) => {
    const before = (await emulator.control("GET", "objects")).text;
    const answer = await emulator.control("POST", "seed", seed);
    expect(answer.status).toBe(400);
    expect(answer.json.message).toContain(reason);
    expect((await emulator.control("GET", "objects")).text).toBe(before);
  });
});

describe("the world", () => {
  test("goes back to a snapshot, the latest unless another is named", async () => {
    const empty = (await emulator.control("POST", "snapshot")).json;
    await emulator.deployment("one");
    await emulator.control("POST", "snapshot");
    await emulator.deployment("two");
    const ids = async () =>
      (await emulator.api("GET", "/v1/accounts/demo/deployments")).json.deployments.map(({ name }: { name: string }) =>
        name.split("/").at(-1),
      );
    await emulator.control("POST", "restore");
    expect(await ids()).toEqual(["one"]);
    await emulator.control("POST", "restore", empty);
    expect(await ids()).toEqual([]);
    expect((await emulator.control("POST", "restore", { id: "other" })).status).toBe(404);
  });

  test("is as at the start after a reset, without faults and requests", async () => {
    const before = (await emulator.control("GET", "objects")).json;
    await emulator.deployment("chat");
    await emulator.control("PUT", "settings", { strict: true });
    await emulator.fault({ kind: "reset" });
    await emulator.control("POST", "reset");
    expect((await emulator.control("GET", "objects")).json).toEqual(before);
    expect((await emulator.control("GET", "settings")).json.strict).toBe(false);
    expect((await emulator.control("GET", "faults")).json).toEqual({ faults: [] });
    expect((await emulator.control("GET", "requests")).json).toEqual({ requests: [] });
    expect((await emulator.api("GET", "/v1/accounts/demo")).status).toBe(200);
  });
});

describe("the clock", () => {
  test("is moved by a duration", async () => {
    expect((await emulator.control("POST", "clock", { advance: "10m" })).json).toEqual({
      time: "2026-01-01T00:10:00.000Z",
      clock: "manual",
    });
    expect((await emulator.control("GET", "clock")).json.time).toBe("2026-01-01T00:10:00.000Z");
    expect((await emulator.control("POST", "clock", { advance: "soon" })).status).toBe(400);
  });

  test("that is real cannot be moved", async () => {
    expect((await client({ clock: "real" }).control("POST", "clock", { advance: "10m" })).status).toBe(409);
  });
});

describe("settings", () => {
  test("hold for all accounts or for one", async () => {
    await emulator.control("PUT", "settings", { errorStyle: "text", denied: 404 });
    await emulator.control("PUT", "settings?account=demo", { errorStyle: "nested" });
    expect((await emulator.control("GET", "settings")).json).toMatchObject({
      errorStyle: "text",
      denied: 404,
      rateLimit: null,
    });
    expect((await emulator.control("GET", "settings?account=demo")).json).toMatchObject({
      errorStyle: "nested",
      denied: 404,
    });
  });

  test.each([
    [{ patch: "merge" }, "`patch`"],
    [{ speed: 0 }, "`speed`"],
    [{ missingSecret: 403 }, "`missingSecret`"],
    [{ rateLimit: { perSecond: 0, burst: 1 } }, "`rateLimit.perSecond`"],
    [{ softdelete: false }, "there is no setting `softdelete`; did you mean `softDelete`?"],
  ])("that make no sense are refused: %j", async (settings, reason) => {
    const answer = await emulator.control("PUT", "settings", settings);
    expect(answer.status).toBe(400);
    expect(answer.json.message).toContain(reason);
  });
});

test("traffic on a deployment keeps it from being deleted for an hour (A043)", async () => {
  const path = await emulator.deployment("chat");
  await emulator.control("POST", "clock", { advance: "1h" });
  expect((await emulator.control("POST", "traffic", { deployment: chat })).status).toBe(200);
  expect(await emulator.api("DELETE", path)).toMatchObject({ status: 400, json: { code: 9 } });
  await emulator.control("POST", "clock", { advance: "61m" });
  expect((await emulator.api("DELETE", path)).status).toBe(200);
  expect((await emulator.control("POST", "traffic", { deployment: "accounts/demo/deployments/other" })).status).toBe(
    404,
  );
});

test("faults are listed with their hits and removed one by one or all at once", async () => {
  const id = await emulator.fault({ kind: "status", status: 500 }, { method: "GET" }, { times: 3 });
  await emulator.fault({ kind: "hang" }, { account: "other" });
  await emulator.api("GET", "/v1/accounts");
  const { faults } = (await emulator.control("GET", "faults")).json;
  expect(faults[0]).toEqual({
    id,
    match: { method: "GET" },
    fault: { kind: "status", status: 500 },
    skip: 0,
    times: 3,
    hits: 1,
  });
  expect((await emulator.control("DELETE", `faults/${id}`)).status).toBe(200);
  expect((await emulator.control("DELETE", `faults/${id}`)).status).toBe(404);
  await emulator.control("DELETE", "faults");
  expect((await emulator.control("GET", "faults")).json).toEqual({ faults: [] });
});

test("requests are forgotten when asked", async () => {
  await emulator.api("GET", "/v1/accounts");
  await emulator.control("DELETE", "requests");
  expect((await emulator.control("GET", "requests")).json).toEqual({ requests: [] });
});

test("control requests are not in the journal and are not struck by faults", async () => {
  await emulator.fault({ kind: "reset" }, {}, { times: null });
  expect((await emulator.control("GET", "health")).json).toMatchObject({ status: "ok" });
  expect((await emulator.control("GET", "requests")).json).toEqual({ requests: [] });
});

test("an unknown control path names the known ones, a wrong method the right ones", async () => {
  expect(await emulator.control("GET", "object")).toMatchObject({
    status: 404,
    json: { message: expect.stringContaining("objects/*") },
  });
  expect(await emulator.control("PUT", "seed", {})).toMatchObject({
    status: 405,
    json: { message: expect.stringContaining("takes POST") },
  });
});

test("settings of a new emulator are judged like changed ones", () => {
  const settings = { dialect: { fields: { displayNme: "title" }, values: {} } };
  expect(() => createEmulator({ settings })).toThrow(
    /invalid settings: `dialect`: `displayNme` is not a field; did you mean `displayName`\?/,
  );
});

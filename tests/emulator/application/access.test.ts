import type { Settings } from "../../../emulator/types";
import { client, demo } from "./client";

const model = "accounts/platform/models/open-8b";

test("a request without a key, or with an unknown one, is refused with 401 and code 16", () => {
  const service = client();
  for (const key of ["", "wrong-key"])
    expect(service.get(`${demo}/users`, key)).toMatchObject({ status: 401, body: { code: 16 } });
});

test("the key is everything after Bearer", () => {
  expect(client().get(`${demo}/users`, "demo-ke")).toMatchObject({ status: 401 });
});

test("an unknown route answers 404 with the words Not Found, before the key is checked", () => {
  const service = client();
  for (const target of ["/v1/nothing", `${demo}/nothing`, "/", `${demo}/users/ada/more`, "/v2/accounts"]) {
    expect(service.get(target, "")).toMatchObject({
      status: 404,
      body: { code: 5, message: "Not Found", details: [] },
    });
  }
});

test("a registered path with an unregistered verb answers 501 with code 12", () => {
  const service = client();
  expect(service.send("PUT", `${demo}/users/ada`)).toMatchObject({ status: 501, body: { code: 12 } });
  expect(service.post(`${demo}/policySettings`)).toMatchObject({ status: 501, body: { code: 12 } });
  expect(service.post(`${demo}/deployments/chat:frobnicate`)).toMatchObject({ status: 501, body: { code: 12 } });
  expect(service.get(`${demo}/deployments/chat:undelete`)).toMatchObject({ status: 501, body: { code: 12 } });
});

test("the colon of a custom verb counts only where it is written plainly (A017)", () => {
  const service = client();
  expect(service.post(`${demo}/supervisedFineTuningJobs/tune%3Acancel`)).toMatchObject({ status: 501 });
  expect(service.post(`${demo}/supervisedFineTuningJobs/tune:cancel`)).toMatchObject({
    status: 404,
    body: { code: 5, message: "accounts/demo/supervisedFineTuningJobs/tune does not exist" },
  });
});

test("another account's private objects answer 403, whether they exist or not", () => {
  const service = client();
  service.post(
    "/v1/accounts/other/secrets",
    { name: "accounts/other/secrets/a", keyName: "A", value: "x" },
    "other-key",
  );
  for (const target of ["secrets/a", "secrets/b", "secrets", "policySettings", "deployments"]) {
    expect(service.get(`/v1/accounts/other/${target}`)).toMatchObject({ status: 403, body: { code: 7 } });
  }
  expect(service.get("/v1/accounts/other")).toMatchObject({ status: 403, body: { code: 7 } });
});

test("in the mode `denied` 404 they answer 404 with code 5 (A003)", () => {
  const service = client({ denied: 404 });
  expect(service.get("/v1/accounts/other/secrets/a")).toMatchObject({ status: 404, body: { code: 5 } });
  expect(service.post("/v1/accounts/other/users", { role: "user", email: "a@example.com" })).toMatchObject({
    status: 404,
    body: { code: 5 },
  });
});

test("public objects and the platform's are readable by any key, and writable by none", () => {
  const service = client();
  expect(service.get(`/v1/${model}`)).toMatchObject({ status: 200, body: { name: model, state: "READY" } });
  expect(service.get("/v1/accounts/platform/models").body["totalSize"]).toBeGreaterThanOrEqual(4);
  expect(service.patch(`/v1/${model}?updateMask=display_name`, { displayName: "Mine" })).toMatchObject({
    status: 403,
    body: { code: 7 },
  });
  service.world.put({
    kind: "Model",
    name: "accounts/other/models/open",
    fields: { name: "accounts/other/models/open", public: true },
  });
  service.world.put({
    kind: "Model",
    name: "accounts/other/models/closed",
    fields: { name: "accounts/other/models/closed" },
  });
  expect(service.get("/v1/accounts/other/models/open")).toMatchObject({ status: 200 });
  expect(service.get("/v1/accounts/other/models/closed")).toMatchObject({ status: 403 });
  expect(service.delete("/v1/accounts/other/models/open")).toMatchObject({ status: 403 });
});

test("List accounts answers the key's account; a superuser gets all by name", () => {
  const service = client();
  const named = (key: string, query = "") =>
    (service.get(`/v1/accounts${query}`, key).body["accounts"] as { name: string }[]).map(({ name }) => name);
  expect(named("demo-key")).toEqual(["accounts/demo"]);
  expect(named("super-key")).toEqual(["accounts/demo", "accounts/other"]);
  expect(named("super-key", "?orderBy=name%20desc")).toEqual(["accounts/demo", "accounts/other"]);
  expect(service.get(demo)).toMatchObject({ status: 200, body: { name: "accounts/demo" } });
});

test("a wildcard is for shape versions only: own and public, by their names (A003)", () => {
  const service = client();
  const put = (account: string, isPublic: boolean) => {
    const name = `accounts/${account}/deploymentShapes/s/versions/1`;
    service.world.put({
      kind: "DeploymentShapeVersion",
      name,
      fields: { name, public: isPublic, createTime: "2025-06-01T00:00:00.000Z" },
    });
  };
  put("demo", false);
  put("other", false);
  const names = (target: string) =>
    (service.get(target).body["deploymentShapeVersions"] as { name: string }[]).map(({ name }) => name);
  const everywhere = names("/v1/accounts/-/deploymentShapes/-/versions");
  expect(everywhere).toContain("accounts/demo/deploymentShapes/s/versions/1");
  expect(everywhere.some((name) => name.startsWith("accounts/platform/"))).toBe(true);
  expect(everywhere.some((name) => name.startsWith("accounts/other/"))).toBe(false);
  expect(names(`${demo}/deploymentShapes/-/versions`)).toEqual(["accounts/demo/deploymentShapes/s/versions/1"]);
  expect(names("/v1/accounts/platform/deploymentShapes/open-8b-fast/versions")).toHaveLength(3);
  for (const target of [
    "/v1/accounts/-/deployments",
    "/v1/accounts/-",
    `${demo}/deployments/-`,
    `${demo}/deploymentShapes/-/versions/1`,
  ]) {
    expect(service.get(target)).toMatchObject({ status: 400, body: { code: 3 } });
  }
});

test("a read-only role reads and matches, and writes nothing", () => {
  const service = client();
  expect(service.get(`${demo}/deployments`, "read-key")).toMatchObject({ status: 200 });
  expect(
    service.post(
      `${demo}/deploymentShapeVersions:match`,
      { createDeploymentRequest: { deployment: { baseModel: model } } },
      "read-key",
    ),
  ).toMatchObject({ status: 200 });
  expect(service.post(`${demo}/users`, { role: "user", email: "a@example.com" }, "read-key")).toMatchObject({
    status: 403,
    body: { code: 7 },
  });
  expect(service.post(`${demo}/models/m:getUploadEndpoint`, { filenameToSize: { a: 1 } }, "read-key")).toMatchObject({
    status: 403,
    body: { code: 7 },
  });
});

test("a superuser works in every account that there is", () => {
  const service = client();
  expect(service.post("/v1/accounts/other/users", { role: "user", email: "a@example.com" }, "super-key")).toMatchObject(
    { status: 200 },
  );
  expect(
    service.post("/v1/accounts/nowhere/users", { role: "user", email: "a@example.com" }, "super-key"),
  ).toMatchObject({ status: 404, body: { code: 5 } });
  expect(service.patch("/v1/accounts/nowhere/policySettings", { residency: "US" }, "super-key")).toMatchObject({
    status: 404,
    body: { code: 5 },
  });
});

test("a path parameter with broken percent-encoding is refused with 400", () => {
  const service = client();
  expect(service.get(`${demo}/users/%E0%A4%A`)).toMatchObject({ status: 400, body: { code: 3 } });
});

test("a key of role custom may do what its preset says, read only or a role's (A056)", () => {
  const may = (permissionPreset?: Settings["permissionPreset"]) => {
    const service = client(permissionPreset && { permissionPreset });
    service.world.setKey("custom-key", "demo", "custom");
    return [
      service.get(`${demo}/users`, "custom-key").status,
      service.post(`${demo}/users`, { role: "user", email: "ada@example.com" }, "custom-key").status,
      service.patch(`${demo}/policySettings`, { residency: "US" }, "custom-key").status,
    ];
  };
  expect(may()).toEqual([200, 403, 403]);
  expect(may("inference-user")).toEqual([200, 403, 403]);
  expect(may("contributor")).toEqual([200, 200, 403]);
  expect(may("admin")).toEqual([200, 200, 200]);
});

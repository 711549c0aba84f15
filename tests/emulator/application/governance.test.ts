import type { Fields, Settings } from "../../../emulator/types";
import { type ApplicationClient, client, demo } from "./client";

const target = `${demo}/policySettings`;
const open8b = "accounts/platform/models/open-8b";
const open1b = "accounts/platform/models/open-1b";
const allowAll = {
  allowServerless: true,
  allowDedicatedDeployments: true,
  allowTraining: true,
  allowServerlessFast: true,
};

function governed(policy: Fields, settings: Partial<Settings> = {}): ApplicationClient {
  const service = client(settings);
  expect(service.patch(target, policy)).toMatchObject({ status: 200 });
  return service;
}

describe("policy settings", () => {
  test("are 404 with code 5 until they are saved, and an update saves them (A060)", () => {
    const service = client();
    expect(service.get(target)).toMatchObject({ status: 404, body: { code: 5 } });
    expect(service.patch(`${target}?updateMask=residency`, { residency: "EUROPE" })).toMatchObject({
      status: 200,
      body: { name: "accounts/demo/policySettings", residency: "EUROPE" },
    });
    expect(service.get(target)).toMatchObject({ status: 200, body: { residency: "EUROPE" } });
  });

  test("are read by any member and changed by an admin only (A061)", () => {
    const service = governed({ residency: "US" });
    for (const key of ["user-key", "read-key"]) {
      expect(service.get(target, key)).toMatchObject({ status: 200 });
      expect(service.patch(target, { residency: "EUROPE" }, key)).toMatchObject({ status: 403, body: { code: 7 } });
    }
  });

  test("have no create, no delete and no list (A060)", () => {
    const service = client();
    for (const method of ["POST", "DELETE"])
      expect(service.send(method, target, {})).toMatchObject({ status: 501, body: { code: 12 } });
    expect(service.get(`${target}/x`)).toMatchObject({ status: 404, body: { message: "Not Found" } });
  });

  test("keep residency until mask and null remove it, and replace rules and retention", () => {
    const rules = [
      { model: open8b, permissions: allowAll },
      { model: open1b, permissions: allowAll },
    ];
    const service = governed({
      residency: "US",
      rules,
      zeroDataRetention: { defaultEnforced: false, training: { enforcement: "ENFORCED" } },
    });
    const patch = (mask: string, body: Fields) => service.patch(`${target}?updateMask=${mask}`, body).body;
    expect(patch("rules", { rules: [rules[1]] })).toMatchObject({ residency: "US", rules: [rules[1]] });
    expect(patch("zero_data_retention", { zeroDataRetention: { defaultEnforced: true } })["zeroDataRetention"]).toEqual(
      { defaultEnforced: true },
    );
    expect(patch("residency", { residency: null })).not.toHaveProperty("residency");
  });

  test("refuse two rules for one model (A065)", () => {
    const rule = { model: open8b, permissions: allowAll };
    expect(client().patch(target, { rules: [rule, rule] })).toMatchObject({
      status: 400,
      body: { code: 3, details: [{ fieldViolations: [{ field: "rules[1].model" }] }] },
    });
  });

  test("let only a superuser change cmekRequired, and only with an external key (A061)", () => {
    const service = client();
    const enable = (key: string) => service.patch(`${target}?updateMask=cmek_required`, { cmekRequired: true }, key);
    expect(enable("demo-key")).toMatchObject({ status: 403, body: { code: 7 } });
    expect(enable("super-key")).toMatchObject({ status: 400, body: { code: 9 } });
    service.world.changeSettings({ externalKeyReady: true }, "demo");
    expect(enable("super-key")).toMatchObject({ status: 200, body: { cmekRequired: true } });
    expect(
      service.patch(`${target}?updateMask=cmek_required,residency`, { cmekRequired: true, residency: "US" }),
    ).toMatchObject({ status: 200 });
    expect(service.patch(`${target}?updateMask=cmek_required`, { cmekRequired: false })).toMatchObject({ status: 403 });
    expect(client().patch(target, { cmekRequired: false })).toMatchObject({ status: 200 });
  });
});

describe("what a policy forbids is refused with 400, code 9 and a reason (A064)", () => {
  const reasonOf = (body: Fields) => (body["details"] as { reason: string }[])[0]?.reason;
  const deploy = (service: ApplicationClient, body: Fields = {}) =>
    service.post(`${demo}/deployments`, { baseModel: open8b, ...body });
  const tune = (service: ApplicationClient, baseModel = open8b) =>
    service.post(`${demo}/supervisedFineTuningJobs`, { dataset: "d", baseModel });
  const step = (service: ApplicationClient) =>
    service.post(`${demo}/rlorTrainerJobs`, { dataset: "d", trainingConfig: { baseModel: open8b } });

  test("dedicated deployments, by the defaults or by a model's own row", () => {
    const denying = { ...allowAll, allowDedicatedDeployments: false };
    const byDefault = governed({ defaultPermissions: denying, rules: [{ model: open1b, permissions: allowAll }] });
    const refused = deploy(byDefault);
    expect(refused).toMatchObject({ status: 400, body: { code: 9 } });
    expect(refused.body["details"]).toEqual([
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "POLICY_DEDICATED_DEPLOYMENTS_NOT_ALLOWED" },
    ]);
    expect(deploy(byDefault, { baseModel: open1b }).status).toBe(200);
    const byRule = governed({ rules: [{ model: open8b, permissions: denying }] });
    expect(deploy(byRule).status).toBe(400);
    expect(deploy(byRule, { baseModel: open1b }).status).toBe(200);
  });

  test("training, by permission and by enforced retention", () => {
    const service = governed({ defaultPermissions: { ...allowAll, allowTraining: false } });
    for (const answer of [tune(service), step(service)]) {
      expect(answer).toMatchObject({ status: 400, body: { code: 9 } });
      expect(reasonOf(answer.body)).toBe("POLICY_TRAINING_NOT_ALLOWED");
    }
    const trains = (zeroDataRetention: Fields) => tune(governed({ zeroDataRetention })).status;
    expect(trains({ defaultEnforced: true })).toBe(400);
    expect(trains({ defaultEnforced: false, training: { enforcement: "ENFORCED" } })).toBe(400);
    expect(trains({ defaultEnforced: true, training: { enforcement: "NOT_ENFORCED" } })).toBe(200);
    expect(trains({ defaultEnforced: true, training: { enforcement: "ENFORCEMENT_UNSPECIFIED" } })).toBe(400);
    expect(trains({ defaultEnforced: false, inference: { enforcement: "ENFORCED" } })).toBe(200);
  });

  test("placement outside the residency; none never conflicts", () => {
    const places = (residency: string, placement?: Fields) =>
      deploy(governed({ residency }), placement && { placement }).status;
    expect(places("EUROPE", { region: "EU_FRANKFURT_1" })).toBe(200);
    expect(places("EUROPE", { region: "US_IOWA_1" })).toBe(400);
    expect(places("EUROPE", { multiRegion: "EUROPE" })).toBe(200);
    expect(places("EUROPE", { multiRegion: "GLOBAL" })).toBe(400);
    expect(places("CANADA", { region: "NA_BRITISHCOLUMBIA_2" })).toBe(200);
    expect(places("APAC", { regions: ["AP_TOKYO_1", "US_IOWA_1"] })).toBe(400);
    expect(places("GLOBAL", { region: "US_IOWA_1" })).toBe(200);
    expect(places("EUROPE")).toBe(200);
    expect(deploy(governed({ residency: "EUROPE" })).body["region"]).toMatch(/^EU_/);
    expect(reasonOf(deploy(governed({ residency: "EUROPE" }), { placement: { region: "US_IOWA_1" } }).body)).toBe(
      "POLICY_RESIDENCY",
    );
  });

  test("an account without a policy may do everything", () => {
    const service = client();
    expect([deploy(service).status, tune(service).status, step(service).status]).toEqual([200, 200, 200]);
  });

  test("what is there stays where it is when retention is enforced", () => {
    const service = client();
    service.post(`${demo}/supervisedFineTuningJobs?supervisedFineTuningJobId=before`, {
      dataset: "d",
      baseModel: open8b,
    });
    service.world.put({
      kind: "StoredResponse",
      name: "responses/resp-1",
      fields: { id: "resp-1", object: "response", created_at: 1, status: "completed", model: open8b, output: [] },
      notes: { account: "demo" },
    });
    expect(service.patch(target, { zeroDataRetention: { defaultEnforced: true } }).status).toBe(200);
    service.wait(3600);
    expect(service.get(`${demo}/supervisedFineTuningJobs/before`).body).toMatchObject({ state: "JOB_STATE_COMPLETED" });
    expect(service.get(`${demo}/models/before`).status).toBe(200);
    expect(service.get("/inference/v1/responses/resp-1").status).toBe(200);
  });

  test("uploads, by enforced retention of inference", () => {
    const uploads = (zeroDataRetention: Fields) => {
      const service = governed({ zeroDataRetention });
      service.post(`${demo}/models`, { modelId: "own", model: { kind: "EMBEDDING_MODEL" } });
      return service.post(`${demo}/models/own:getUploadEndpoint`, { filenameToSize: { a: 1 } });
    };
    const refused = uploads({ defaultEnforced: true });
    expect(refused).toMatchObject({ status: 400, body: { code: 9 } });
    expect(reasonOf(refused.body)).toBe("POLICY_ZERO_DATA_RETENTION");
    expect(uploads({ defaultEnforced: false, inference: { enforcement: "ENFORCED" } }).status).toBe(400);
    expect(uploads({ defaultEnforced: true, inference: { enforcement: "NOT_ENFORCED" } }).status).toBe(200);
    expect(uploads({ defaultEnforced: false, training: { enforcement: "ENFORCED" } }).status).toBe(200);
  });

  test("uploads of weights pass where a setting says so", () => {
    const service = governed({ zeroDataRetention: { defaultEnforced: true } }, { uploads: "allow" });
    service.post(`${demo}/models`, { modelId: "own", model: { kind: "EMBEDDING_MODEL" } });
    expect(service.post(`${demo}/models/own:getUploadEndpoint`, { filenameToSize: { a: 1 } }).status).toBe(200);
  });
});

describe("users", () => {
  const add = (service: ApplicationClient, body: Fields, query = "") =>
    service.post(`${demo}/users${query}`, { role: "user", ...body });

  test("get an id from their e-mail address where the request has none", () => {
    const service = client();
    const ids = ["ada@example.com", "ada@example.org", "Grace.Hopper@example.com"].map(
      (email) => add(service, { email }).body["name"],
    );
    expect(ids).toEqual([
      "accounts/demo/users/ada",
      "accounts/demo/users/ada-example-org",
      "accounts/demo/users/grace-hopper",
    ]);
  });

  test("cannot share an email address, whatever its case (A055)", () => {
    const service = client();
    add(service, { email: "ada@example.com" });
    expect(add(service, { email: "Ada@Example.COM" }, "?userId=other")).toMatchObject({
      status: 409,
      body: { code: 6 },
    });
  });

  test("need an address, or be service accounts with an id (A051)", () => {
    expect(add(client(), {})).toMatchObject({ status: 400, body: { code: 3 } });
    expect(add(client(), { serviceAccount: true })).toMatchObject({ status: 400, body: { code: 3 } });
    expect(add(client(), { serviceAccount: true }, "?userId=robot")).toMatchObject({
      status: 200,
      body: { name: "accounts/demo/users/robot" },
    });
  });

  test("become READY, and again after a change", () => {
    const service = client();
    expect(add(service, { email: "ada@example.com" }).body["state"]).toBe("CREATING");
    expect(service.patch(`${demo}/users/ada`, { role: "admin" })).toMatchObject({ status: 400, body: { code: 9 } });
    service.wait(2);
    expect(
      service.patch(`${demo}/users/ada?updateMask=role,email`, { role: "admin", email: "a@example.com" }).body,
    ).toMatchObject({ state: "UPDATING", role: "admin", email: "a@example.com" });
    service.wait(1);
    expect(service.get(`${demo}/users/ada`).body["state"]).toBe("READY");
  });

  test("lose their preset with the role that it is for, and get none without it", () => {
    const service = client();
    add(service, { email: "ada@example.com", role: "custom", permissionPreset: "readers" });
    service.wait(2);
    const patch = (body: Fields) =>
      service.patch(
        `${demo}/users/ada?updateMask=${Object.keys(body).join(",").replace("permissionPreset", "permission_preset")}`,
        { role: "user", ...body },
      );
    expect(patch({ role: "user", permissionPreset: "writers" })).toMatchObject({ status: 400, body: { code: 3 } });
    expect(patch({ role: "user" }).body).not.toHaveProperty("permissionPreset");
  });

  test("that someone made by hand are judged by what a change touches", () => {
    const service = client();
    service.world.put({
      kind: "User",
      name: "accounts/demo/users/robot",
      fields: { name: "accounts/demo/users/robot", role: "user", state: "READY" },
    });
    expect(
      service.patch(`${demo}/users/robot?updateMask=display_name`, { role: "user", displayName: "Robot" }),
    ).toMatchObject({ status: 200, body: { displayName: "Robot" } });
  });

  test("cannot be deleted where the service does not implement it (A050)", () => {
    const service = client({ userDelete: "unimplemented" });
    add(service, { email: "ada@example.com" });
    service.wait(2);
    expect(service.delete(`${demo}/users/ada`)).toMatchObject({ status: 501, body: { code: 12 } });
    expect(service.get(`${demo}/users/ada`).body["state"]).toBe("READY");
  });
});

describe("secrets", () => {
  const add = (service: ApplicationClient, body: Fields) => service.post(`${demo}/secrets`, body);
  const whole = { name: "accounts/demo/secrets/a", keyName: "A", value: "canary" };

  test("are created under their full name (A012)", () => {
    expect(add(client(), whole)).toEqual({
      status: 200,
      body: { name: "accounts/demo/secrets/a", keyName: "A" },
      headers: {},
    });
    for (const name of [
      undefined,
      "a",
      "accounts/other/secrets/a",
      "accounts/demo/secrets/",
      "accounts/demo/secrets/a/b",
    ])
      expect(add(client(), { ...whole, name })).toMatchObject({ status: 400, body: { code: 3 } });
  });

  test("never answer their value, in no way of asking", () => {
    const service = client({ emitUnset: true });
    add(service, whole);
    const answers = [
      service.get(`${demo}/secrets/a`),
      service.get(`${demo}/secrets`),
      service.patch(`${demo}/secrets/a?updateMask=value`, { keyName: "A", value: "canary-2" }),
      service.get(`${demo}/secrets/a?readMask=value`),
      service.get(`${demo}/secrets?filter=value%3D%22canary%22`),
    ];
    expect(JSON.stringify(answers)).not.toContain('canary"');
    expect(JSON.stringify(answers)).not.toContain("canary-2");
  });

  test("answer their value anyway in the mode that shows what a client does with it", () => {
    const service = client({ inputOnly: "answered" });
    expect(add(service, whole).body).toMatchObject({ keyName: "A", value: "canary" });
    expect(service.get(`${demo}/secrets/a`).body).toMatchObject({ value: "canary" });
    expect(service.get(`${demo}/secrets`).body["secrets"]).toMatchObject([{ value: "canary" }]);
    const apiKey = "canary-2";
    const trackingConfig = { enabled: true, apiKey };
    const job = service.post(`${demo}/supervisedFineTuningJobs`, { baseModel: open8b, dataset: "d", trackingConfig });
    expect(job.body["trackingConfig"]).toMatchObject({ apiKey });
  });

  test("cannot share a key name (A055)", () => {
    const service = client();
    add(service, whole);
    expect(add(service, { ...whole, name: "accounts/demo/secrets/b" })).toMatchObject({
      status: 409,
      body: { code: 6 },
    });
  });

  test("that are missing answer 404, or 500 with code 13 in that mode (A053)", () => {
    expect(client().get(`${demo}/secrets/a`)).toMatchObject({ status: 404, body: { code: 5 } });
    const service = client({ missingSecret: 500 });
    expect(service.get(`${demo}/secrets/a`)).toMatchObject({ status: 500, body: { code: 13 } });
    expect(service.delete(`${demo}/secrets/a`)).toMatchObject({ status: 404, body: { code: 5 } });
  });

  test("in a strict emulator have key names like environment variables (A052)", () => {
    expect(add(client({ strict: true }), { ...whole, keyName: "lower-case" })).toMatchObject({
      status: 400,
      body: { code: 3 },
    });
    expect(add(client(), { ...whole, keyName: "lower-case" })).toMatchObject({ status: 200 });
  });
});

describe("stored responses and batch jobs", () => {
  const response = {
    id: "resp-1",
    object: "response",
    created_at: 1767225600,
    status: "completed",
    model: open8b,
    output: [],
    usage: null,
    store: true,
    previous_response_id: null,
  };

  test("a stored response is read back in snake case", () => {
    const service = client();
    service.world.put({
      kind: "StoredResponse",
      name: "responses/resp-1",
      fields: response,
      notes: { account: "demo" },
    });
    expect(service.get("/inference/v1/responses/resp-1").body).toMatchObject({
      id: "resp-1",
      object: "response",
      created_at: 1767225600,
      output: [],
    });
    expect(service.get("/inference/v1/responses/none")).toMatchObject({ status: 404, body: { code: 5 } });
    expect(service.get("/inference/v1/responses/resp-1", "")).toMatchObject({ status: 401 });
  });

  test("a stored response keeps what is null, zero or false, unlike a message", () => {
    const service = client();
    const explicit = {
      ...response,
      temperature: 0,
      top_p: 0,
      parallel_tool_calls: false,
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      output: [{ id: "", type: "message", content: [] }],
      metadata: {},
      error: null,
    };
    service.world.put({
      kind: "StoredResponse",
      name: "responses/resp-1",
      fields: explicit,
      notes: { account: "demo" },
    });
    expect(service.get("/inference/v1/responses/resp-1").body).toEqual(explicit);
  });

  test("a stored response without an owner is the only account's, or nobody's", () => {
    const service = client();
    service.world.put({ kind: "StoredResponse", name: "responses/resp-1", fields: response });
    expect(service.get("/inference/v1/responses/resp-1")).toMatchObject({ status: 403 });
    expect(service.get("/inference/v1/responses/resp-1", "other-key")).toMatchObject({ status: 403 });
    service.world.remove("accounts/other");
    expect(service.get("/inference/v1/responses/resp-1")).toMatchObject({ status: 200 });
    expect(service.get("/inference/v1/responses/resp-1", "other-key")).toMatchObject({ status: 403 });
  });

  test("one that is not stored, or another account's, is not", () => {
    const service = client();
    service.world.put({
      kind: "StoredResponse",
      name: "responses/resp-1",
      fields: { ...response, store: false },
      notes: { account: "demo" },
    });
    service.world.put({
      kind: "StoredResponse",
      name: "responses/resp-2",
      fields: response,
      notes: { account: "other" },
    });
    expect(service.get("/inference/v1/responses/resp-1")).toMatchObject({ status: 404 });
    expect(service.get("/inference/v1/responses/resp-2")).toMatchObject({ status: 403 });
    expect(service.get("/inference/v1/responses/resp-2", "other-key")).toMatchObject({ status: 200 });
  });

  test("a batch job can be read, listed and deleted, not created or updated", () => {
    const service = client();
    const target = `${demo}/batchInferenceJobs/batch`;
    expect(service.delete(target)).toMatchObject({ status: 404, body: { code: 5 } });
    service.world.put({
      kind: "BatchInferenceJob",
      name: "accounts/demo/batchInferenceJobs/batch",
      fields: { name: "accounts/demo/batchInferenceJobs/batch" },
    });
    expect(service.get(target)).toMatchObject({
      status: 200,
      body: { name: "accounts/demo/batchInferenceJobs/batch" },
    });
    expect(service.get(`${demo}/batchInferenceJobs`)).toMatchObject({ status: 200, body: { totalSize: 1 } });
    expect([service.patch(target).status, service.post(`${demo}/batchInferenceJobs`).status]).toEqual([501, 501]);
    expect(service.delete(target)).toEqual({ status: 200, body: {}, headers: {} });
    expect(service.delete(target)).toMatchObject({ status: 404 });
  });
});

import { client, demo } from "./client";

const model = "accounts/platform/models/open-8b";
const allowAll = {
  allowServerless: true,
  allowDedicatedDeployments: true,
  allowTraining: true,
  allowServerlessFast: true,
};

describe("the five styles of an error (A091)", () => {
  const missing = (errorStyle: "flat" | "nested" | "text" | "html" | "empty") =>
    client({ errorStyle }).get(`${demo}/users/ada`);
  const message = "accounts/demo/users/ada does not exist";

  test("flat: gRPC number, message and details", () => {
    expect(missing("flat")).toEqual({ status: 404, body: { code: 5, message, details: [] }, headers: {} });
  });
  test("its details carry their standard types", () => {
    const { body } = client().post(`${demo}/deployments`, { baseModel: model, colour: "red" });
    expect(body["details"]).toEqual([
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [expect.objectContaining({ field: "colour" })],
      },
    ]);
  });
  test("nested: HTTP status, the name of the code and the message", () => {
    expect(missing("nested")).toMatchObject({
      status: 404,
      body: { error: { code: 404, status: "NOT_FOUND", message } },
    });
  });
  test("text: the message alone", () => {
    expect(missing("text")).toMatchObject({ status: 404, body: { error: message } });
  });
  test("html: a page", () => {
    const { status, body, headers } = missing("html");
    expect([status, headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
    expect(body).toMatch(/^<html>/);
  });
  test("empty: nothing", () => {
    expect(missing("empty")).toMatchObject({ status: 404, body: undefined });
  });
  test("the style is the path's account's, for a refused key too", () => {
    const service = client();
    service.world.changeSettings({ errorStyle: "text" }, "demo");
    expect(service.get(`${demo}/users`, "").body).toHaveProperty("error");
    expect(service.get("/v1/accounts/other/users", "").body).toHaveProperty("code", 16);
  });
});

describe("members that are not set (A094)", () => {
  const created = (emitUnset: boolean) =>
    client({ emitUnset }).post(`${demo}/deployments?deploymentId=chat`, {
      baseModel: model,
      deploymentShape: "default",
      maxReplicaCount: 0,
      draftModel: "",
      description: "",
    }).body;

  test("are left out, but zeros that are values stay", () => {
    const body = created(false);
    expect(body).toMatchObject({ maxReplicaCount: 0, draftModel: "" });
    for (const name of [
      "description",
      "minReplicaCount",
      "enableHotLoad",
      "annotations",
      "directRouteType",
      "autoscalingPolicy",
    ])
      expect(body).not.toHaveProperty(name);
  });

  test("or answered as zeros, null and the enums' first values", () => {
    expect(created(true)).toMatchObject({
      maxReplicaCount: 0,
      draftModel: "",
      description: "",
      minReplicaCount: 0,
      enableHotLoad: false,
      annotations: {},
      directRouteApiKeys: [],
      directRouteType: "DIRECT_ROUTE_TYPE_UNSPECIFIED",
      hotLoadTransitionType: "HOT_LOAD_TRANSITION_TYPE_UNSPECIFIED",
      autoscalingPolicy: null,
      deleteTime: null,
    });
  });

  test("a model's snapshot type is answered as its documented default", () => {
    const service = client({ emitUnset: true });
    expect(service.get(`/v1/${model}`).body).toMatchObject({
      snapshotType: "FULL_SNAPSHOT",
      importedFrom: "",
      tunable: false,
    });
  });

  test("false permissions and an unenforced default are spelt out all the same", () => {
    const service = client();
    const given = {
      defaultPermissions: { ...allowAll, allowTraining: false },
      zeroDataRetention: { defaultEnforced: false },
    };
    expect(
      service.patch(`${demo}/policySettings?updateMask=default_permissions,zero_data_retention`, given).body,
    ).toMatchObject(given);
  });

  test("an input-only value is in no answer, neither as a value nor as a zero", () => {
    const service = client({ emitUnset: true });
    const created = service.post(`${demo}/secrets`, { name: "accounts/demo/secrets/a", keyName: "A", value: "canary" });
    expect(created.body).toEqual({ name: "accounts/demo/secrets/a", keyName: "A" });
    const job = service.post(`${demo}/supervisedFineTuningJobs?supervisedFineTuningJobId=j`, {
      dataset: "d",
      baseModel: model,
      trackingConfig: { enabled: true, apiKey: "canary" },
    });
    expect(JSON.stringify(job.body)).not.toContain("canary");
    expect(job.body["trackingConfig"]).not.toHaveProperty("apiKey");
    expect(service.world.get("accounts/demo/secrets/a")?.hidden).toEqual({ value: "canary" });
    expect(service.world.get("accounts/demo/supervisedFineTuningJobs/j")?.hidden).toEqual({
      "trackingConfig.apiKey": "canary",
    });
  });

  test("names that the provider adds to a job are no answers of the service", () => {
    const service = client({ emitUnset: true });
    const { body } = service.post(`${demo}/supervisedFineTuningJobs`, { dataset: "d", baseModel: model });
    expect(body).not.toHaveProperty("outputModelName");
    expect(body).not.toHaveProperty("retired");
  });
});

test("32-bit numbers are shortest, 64-bit strings, durations in seconds (A045, A074)", () => {
  const service = client();
  const job = service.post(`${demo}/supervisedFineTuningJobs`, {
    dataset: "d",
    baseModel: model,
    learningRate: 0.0001,
    epochs: 3,
  }).body;
  expect(job["learningRate"]).toBe(0.0001);
  expect(typeof (job["estimatedCost"] as { units: unknown }).units).toBe("string");
  const deployment = service.post(`${demo}/deployments?deploymentId=d`, {
    baseModel: model,
    autoscalingPolicy: { scaleDownWindow: "10m", scaleUpWindow: "30s" },
  }).body;
  expect(deployment["autoscalingPolicy"]).toEqual({ scaleDownWindow: "600s", scaleUpWindow: "30s" });
});

test("times are RFC 3339, and every change moves updateTime, with the clock stopped", () => {
  const service = client();
  const seen = ["US", "EUROPE", "APAC"].map(
    (residency) =>
      service.patch(`${demo}/policySettings?updateMask=residency`, { residency }).body["updateTime"] as string,
  );
  expect(seen[0]).toBe("2026-01-01T00:00:00.000Z");
  expect(new Set(seen).size).toBe(3);
  expect([...seen].sort()).toEqual(seen);
});

test("a read mask keeps what it names, on single objects and on lists", () => {
  const service = client();
  expect(service.get(`/v1/${model}?readMask=display_name,base_model_details.model_type`).body).toEqual({
    displayName: "Open 8B",
    baseModelDetails: { modelType: "open" },
  });
  const [first] = service.get("/v1/accounts/platform/models?readMask=name&pageSize=1").body["models"] as object[];
  expect(Object.keys(first!)).toEqual(["name"]);
  expect(service.get(`/v1/${model}?readMask=*`).body).toHaveProperty("state", "READY");
});

test("the same object is answered as the same value, so that its text can be kept", () => {
  const service = client();
  service.post(`${demo}/deployments?deploymentId=chat`, { baseModel: model });
  service.wait(300);
  for (const target of ["/v1/accounts/platform/models/open-1b", `${demo}/deployments/chat`])
    expect(service.get(target).body).toBe(service.get(target).body);
});

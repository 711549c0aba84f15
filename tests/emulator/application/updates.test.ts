import type { Fields, Settings } from "../../../emulator/types";
import { type ApplicationClient, client, demo } from "./client";

const servers: readonly Settings["patch"][] = ["mask", "derive", "populated", "replace"];
const target = `${demo}/deployments/chat`;
const baseModel = "accounts/demo/models/own";

const initial = {
  baseModel,
  displayName: "chat",
  description: "Answers.",
  minReplicaCount: 1,
  maxReplicaCount: 3,
  enableSessionAffinity: true,
  autoscalingPolicy: { scaleUpWindow: "30s", scaleDownWindow: "600s", loadTargets: { default: 0.8 } },
  directRouteApiKeys: ["k1", "k2"],
  annotations: { "custom/team": "a", "custom/stage": "b" },
  placement: { multiRegion: "US" },
};

/** A deployment at rest that sets a bit of everything. */
function prepared(patch: Settings["patch"], settings: Partial<Settings> = {}): ApplicationClient {
  const service = client({ patch, ...settings });
  expect(service.post(`${demo}/deployments?deploymentId=chat&disableAutoDeploy=true`, initial)).toMatchObject({
    status: 200,
  });
  service.wait(300);
  return service;
}

/** What a PATCH leaves: read back once settled. */
function after(service: ApplicationClient, query: string, body: Fields): Fields {
  expect(service.patch(`${target}${query}`, { baseModel, ...body })).toMatchObject({ status: 200 });
  service.wait(300);
  return service.get(target).body;
}

describe("the server `mask`", () => {
  test("writes what the mask names, whatever else the body says", () => {
    const body = after(prepared("mask"), "?updateMask=description,max_replica_count", {
      description: "New.",
      maxReplicaCount: 5,
      displayName: "ignored",
    });
    expect(body).toMatchObject({ description: "New.", maxReplicaCount: 5, displayName: "chat" });
  });

  test("clears what the mask names and the body has as null, zero or not at all (A032)", () => {
    const body = after(prepared("mask"), "?updateMask=description,enable_session_affinity,autoscaling_policy", {
      description: null,
      enableSessionAffinity: false,
    });
    for (const name of ["description", "enableSessionAffinity", "autoscalingPolicy"])
      expect(body).not.toHaveProperty(name);
    expect(body).toMatchObject({ displayName: "chat" });
  });

  test("replaces a message that the mask names, or the member that it names (A034)", () => {
    const whole = after(prepared("mask"), "?updateMask=autoscaling_policy", {
      autoscalingPolicy: { scaleUpWindow: "60s" },
    });
    expect(whole["autoscalingPolicy"]).toEqual({ scaleUpWindow: "60s" });
    const leaf = after(prepared("mask"), "?updateMask=autoscaling_policy.scale_up_window", {
      autoscalingPolicy: { scaleUpWindow: "60s", scaleDownWindow: "1s" },
    });
    expect(leaf["autoscalingPolicy"]).toEqual({ ...initial.autoscalingPolicy, scaleUpWindow: "60s" });
  });

  test("derives the mask from the body where there is none: leaves, null and zero too", () => {
    const body = after(prepared("mask"), "", {
      autoscalingPolicy: { scaleUpWindow: null, scaleDownWindow: "60s" },
      enableSessionAffinity: false,
      description: null,
    });
    expect(body["autoscalingPolicy"]).toEqual({ scaleDownWindow: "60s", loadTargets: { default: 0.8 } });
    expect(body).not.toHaveProperty("enableSessionAffinity");
    expect(body).not.toHaveProperty("description");
    expect(body).toMatchObject({ displayName: "chat", maxReplicaCount: 3 });
  });

  test("takes one key of a map by its path", () => {
    const body = after(prepared("mask"), "?updateMask=annotations.custom/team", {
      annotations: { "custom/team": "z" },
    });
    expect(body["annotations"]).toEqual({ "custom/team": "z", "custom/stage": "b" });
  });

  test.each(["maxReplicaCount", "nothing", "max_replica_counts", "autoscaling_policy.scaleUpWindow", "rules[0]"])(
    "refuses the mask path `%s`",
    (path) => {
      const answer = prepared("mask").patch(`${target}?updateMask=${path}`, { baseModel, maxReplicaCount: 5 });
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 3, details: [{ fieldViolations: [{ field: "updateMask" }] }] },
      });
    },
  );

  test("in the mode `lenient` takes camelCase and drops what it does not know", () => {
    const body = after(prepared("mask", { maskPaths: "lenient" }), "?updateMask=maxReplicaCount,nothing", {
      maxReplicaCount: 5,
      description: "ignored",
    });
    expect(body).toMatchObject({ maxReplicaCount: 5, description: "Answers." });
  });

  test("with `*` replaces all that can be changed", () => {
    const body = after(prepared("mask"), "?updateMask=*", { displayName: "new" });
    expect(body).toMatchObject({ displayName: "new", baseModel });
    expect(body).not.toHaveProperty("description");
  });

  test("ignores read-only members in mask and body (A004)", () => {
    const body = after(prepared("mask"), "?updateMask=state,description", {
      state: "FAILED",
      replicaCount: 9,
      createTime: "x",
      description: "New.",
    });
    expect(body).toMatchObject({ state: "READY", description: "New." });
  });
});

describe("the server `derive`", () => {
  test("ignores the mask and writes what the body has", () => {
    const body = after(prepared("derive"), "?updateMask=description", { displayName: "new", description: null });
    expect(body).toMatchObject({ displayName: "new", maxReplicaCount: 3 });
    expect(body).not.toHaveProperty("description");
  });

  test("does not look at the mask's spelling either", () => {
    expect(
      prepared("derive").patch(`${target}?updateMask=maxReplicaCount`, { baseModel, maxReplicaCount: 5 }),
    ).toMatchObject({ status: 200 });
  });

  test("merges messages leaf by leaf, and replaces lists and maps whole (A034)", () => {
    const body = after(prepared("derive"), "", {
      autoscalingPolicy: { loadTargets: { requests_per_second: 4 } },
      directRouteApiKeys: ["k3"],
    });
    expect(body["autoscalingPolicy"]).toEqual({
      scaleUpWindow: "30s",
      scaleDownWindow: "600s",
      loadTargets: { requests_per_second: 4 },
    });
    expect(body["directRouteApiKeys"]).toEqual(["k3"]);
  });
});

describe("the server `populated`", () => {
  test("without a mask writes what the body has and is not zero (AIP-134)", () => {
    const body = after(prepared("populated"), "", {
      displayName: "new",
      description: "",
      enableSessionAffinity: false,
      maxReplicaCount: 0,
    });
    expect(body).toMatchObject({
      displayName: "new",
      description: "Answers.",
      enableSessionAffinity: true,
      maxReplicaCount: 3,
    });
  });

  test("with a mask honours it, zeros included", () => {
    const body = after(prepared("populated"), "?updateMask=description,max_replica_count,min_replica_count", {
      description: "",
      maxReplicaCount: 0,
      minReplicaCount: 0,
      displayName: "ignored",
    });
    expect(body).toMatchObject({ maxReplicaCount: 0, displayName: "chat" });
    expect(body).not.toHaveProperty("description");
  });
});

describe("the server `replace`", () => {
  test("clears every changeable member that the body leaves out, whatever the mask says", () => {
    const body = after(prepared("replace"), "?updateMask=display_name", { displayName: "new", maxReplicaCount: 4 });
    expect(body).toMatchObject({ displayName: "new", maxReplicaCount: 4, baseModel });
    for (const name of ["description", "minReplicaCount", "enableSessionAffinity", "autoscalingPolicy"])
      expect(body).not.toHaveProperty(name);
  });

  test("clears credentials, and spares members with verbs of their own (A031, A046)", () => {
    const body = after(prepared("replace"), "", { displayName: "new" });
    expect(body).toMatchObject({ annotations: initial.annotations });
    expect(body).not.toHaveProperty("directRouteApiKeys");
  });

  test("keeps what a shape decides and a superuser's setting", () => {
    const service = client({ patch: "replace" });
    const model = "accounts/platform/models/open-8b";
    service.post(`${demo}/deployments?deploymentId=shaped`, { baseModel: model, deploymentShape: "default" });
    service.wait(300);
    const { deploymentShape } = service.get(`${demo}/deployments/shaped`).body;
    service.patch(`${demo}/deployments/shaped`, { baseModel: model, deploymentShape, description: "New." });
    expect(service.get(`${demo}/deployments/shaped`).body).toMatchObject({
      precision: "FP8",
      acceleratorType: "VENDOR1_H100_80GB",
      deploymentShape,
    });
    service.world.changeSettings({ externalKeyReady: true });
    service.patch(`${demo}/policySettings`, { cmekRequired: true }, "super-key");
    expect(service.patch(`${demo}/policySettings`, { residency: "US" }).body).toMatchObject({
      cmekRequired: true,
      residency: "US",
    });
  });
});

describe("under every server", () => {
  test.each(servers)("%s: a whole body with a mask of what changed changes just that (A031)", (patch) => {
    const service = prepared(patch);
    const before = service.get(target).body;
    const body = after(service, "?updateMask=description", { ...initial, description: "New." });
    expect({ ...body, updateTime: before["updateTime"] }).toEqual({ ...before, description: "New." });
  });

  test.each(servers)("%s: an explicit null in mask and body clears (A032)", (patch) => {
    const body = after(prepared(patch), "?updateMask=autoscaling_policy", { ...initial, autoscalingPolicy: null });
    expect(body).not.toHaveProperty("autoscalingPolicy");
    expect(body).toMatchObject({ description: "Answers." });
  });

  test.each(servers)("%s: required members must be in the body: base model, role, key name", (patch) => {
    const service = prepared(patch);
    service.post(`${demo}/users?userId=ada`, { role: "user", email: "ada@example.com" });
    service.post(`${demo}/secrets`, { name: "accounts/demo/secrets/a", keyName: "A", value: "x" });
    service.wait(10);
    const refusedFor = (field: string) => ({
      status: 400,
      body: { code: 3, details: [{ fieldViolations: [{ field }] }] },
    });
    expect(service.patch(`${target}?updateMask=description`, { description: "New." })).toMatchObject(
      refusedFor("baseModel"),
    );
    expect(service.patch(`${demo}/users/ada?updateMask=display_name`, { displayName: "Ada" })).toMatchObject(
      refusedFor("role"),
    );
    expect(service.patch(`${demo}/secrets/a?updateMask=value`, { value: "y" })).toMatchObject(refusedFor("keyName"));
  });

  test.each(servers)("%s: what cannot change is refused if different, and passes if the same (A041)", (patch) => {
    const service = prepared(patch);
    const query = "?updateMask=base_model,placement";
    expect(service.patch(`${target}${query}`, { ...initial, baseModel: "accounts/demo/models/another" })).toMatchObject(
      { status: 400, body: { code: 3, details: [{ fieldViolations: [{ field: "baseModel" }] }] } },
    );
    expect(service.patch(`${target}${query}`, { ...initial, placement: { region: "US_IOWA_1" } })).toMatchObject({
      status: 400,
      body: { details: [{ fieldViolations: [{ field: "placement" }] }] },
    });
    expect(service.patch(`${target}${query}`, initial)).toMatchObject({ status: 200 });
  });

  test.each(servers)("%s: a change of nothing leaves state and time alone", (patch) => {
    const service = prepared(patch);
    const before = service.get(target).body;
    expect(service.patch(`${target}?updateMask=description`, initial).body).toEqual(before);
  });

  test.each(servers)("%s: a secret's value arrives, and goes only where the body is the whole object", (patch) => {
    const service = client({ patch });
    service.post(`${demo}/secrets`, { name: "accounts/demo/secrets/a", keyName: "A", value: "one" });
    service.patch(`${demo}/secrets/a?updateMask=value`, { keyName: "A", value: "two" });
    expect(service.world.get("accounts/demo/secrets/a")).toMatchObject({ hidden: { value: "two" } });
    service.patch(`${demo}/secrets/a?updateMask=key_name`, { keyName: "B" });
    const { fields, hidden } = service.world.get("accounts/demo/secrets/a")!;
    expect({ fields, hidden }).toMatchObject({ fields: { keyName: "B" } });
    expect(hidden).toEqual(patch === "replace" ? undefined : { value: "two" });
  });

  test.each(servers)("%s: what cannot change goes only where the body is the whole object", (patch) => {
    const { placement: _, ...rest } = initial;
    const body = after(prepared(patch), "?updateMask=description", { ...rest, description: "New." });
    expect(body["placement"]).toEqual(patch === "replace" ? undefined : initial.placement);
    expect(body).toMatchObject({ description: "New." });
  });

  test.each(servers)("%s: what cannot change is refused in a body, or passes, as set (A031)", (patch) => {
    expect(prepared(patch, { fixedFields: "refuse" }).patch(`${target}?updateMask=description`, initial)).toMatchObject(
      { status: 400, body: { code: 3, details: [{ fieldViolations: [{ field: "placement" }] }] } },
    );
    const { placement: _, ...rest } = initial;
    expect(prepared(patch, { fixedFields: "refuse" }).patch(`${target}?updateMask=description`, rest)).toMatchObject({
      status: 200,
    });
  });

  test.each(servers)("%s: unknown members are refused, or ignored in that mode (A018)", (patch) => {
    const body = { ...initial, colour: "red" };
    expect(prepared(patch).patch(`${target}?updateMask=description`, body)).toMatchObject({
      status: 400,
      body: { code: 3, details: [{ fieldViolations: [{ field: "colour" }] }] },
    });
    expect(prepared(patch, { unknownFields: "ignore" }).patch(`${target}?updateMask=description`, body)).toMatchObject({
      status: 200,
    });
  });
});

test("a member named like an object's prototype becomes a member and nothing else", () => {
  const service = prepared("derive");
  const answer = service.patch(
    target,
    JSON.parse(`{"baseModel":"${baseModel}","__proto__":{"polluted":true}}`) as Fields,
  );
  expect(answer).toMatchObject({ status: 400 });
  service.patch(target, { baseModel, autoscalingPolicy: JSON.parse('{"loadTargets":{"__proto__":4}}') as Fields });
  expect(({} as Fields)["polluted"]).toBeUndefined();
});

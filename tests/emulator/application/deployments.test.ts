import { recordTraffic } from "../../../emulator/services/deployments";
import type { Fields } from "../../../emulator/types";
import { type Answer, type ApplicationClient, client, demo } from "./client";

const baseModel = "accounts/platform/models/open-8b";
const target = `${demo}/deployments/chat`;

const create = (service: ApplicationClient, body: Fields = {}, query = "", key?: string): Answer =>
  service.post(`${demo}/deployments?deploymentId=chat&${query}`, { baseModel, ...body }, key);

function ready(body: Fields = {}, query = ""): ApplicationClient {
  const service = client();
  expect(create(service, body, query)).toMatchObject({ status: 200, body: { state: "CREATING" } });
  service.wait(300);
  expect(service.get(target).body["state"]).toBe("READY");
  return service;
}

const patch = (service: ApplicationClient, mask: string, body: Fields): Answer =>
  service.patch(`${target}?updateMask=${mask}`, { baseModel, ...body });

describe("creating", () => {
  test("fills in the documented defaults: no least replicas, one or more at most", () => {
    const service = client();
    expect(create(service).body).toMatchObject({ maxReplicaCount: 1 });
    // An answer may leave a zero out, so that the object itself is looked at.
    expect(service.world.get("accounts/demo/deployments/chat")!.fields).toHaveProperty("minReplicaCount", 0);
    expect(create(client(), { minReplicaCount: 3 }).body).toMatchObject({ minReplicaCount: 3, maxReplicaCount: 3 });
    expect(create(client(), { maxReplicaCount: 0 }).body).toMatchObject({ maxReplicaCount: 0 });
  });

  test("makes an id where there is none", () => {
    const { body } = client().post(`${demo}/deployments`, { baseModel });
    expect(body["name"]).toMatch(/^accounts\/demo\/deployments\/.+/);
  });

  test("with validateOnly answers what would be created, and creates nothing", () => {
    const service = client();
    const answer = create(service, { deploymentShape: "default" }, "validateOnly=true");
    expect(answer).toMatchObject({ status: 200, body: { name: "accounts/demo/deployments/chat", precision: "FP8" } });
    expect(service.get(target).status).toBe(404);
    expect(service.get(`${demo}/deployedModels`).body["totalSize"]).toBe(0);
  });

  test("refuses a bare annotation key with 403 and code 7, but not a superuser's", () => {
    expect(create(client(), { annotations: { team: "a" } })).toMatchObject({ status: 403, body: { code: 7 } });
    const service = client();
    expect(create(service, { annotations: { team: "a", "custom/team": "b" } }, "", "super-key")).toMatchObject({
      status: 200,
      body: { annotations: { team: "a", "custom/team": "b" } },
    });
    expect(service.get(target).body["annotations"]).toEqual({ "custom/team": "b" });
  });

  test("shows a regular user the customer's annotations only, wherever it is answered", () => {
    const service = client();
    create(service, { annotations: { team: "a", "custom/team": "b" } }, "", "super-key");
    service.wait(300);
    const shown = { "custom/team": "b" };
    for (const key of ["demo-key", "user-key", "read-key"])
      expect(service.get(target, key).body["annotations"]).toEqual(shown);
    expect(service.get(`${demo}/deployments`).body["deployments"]).toMatchObject([{ annotations: shown }]);
    expect(patch(service, "display_name", { displayName: "Chat" }).body["annotations"]).toEqual(shown);
    expect(service.get(target, "super-key").body["annotations"]).toEqual({ team: "a", ...shown });
  });

  test("loads an undeployed base model onto it, unless disableAutoDeploy", () => {
    const service = ready();
    service.wait(60);
    const [record, ...others] = service.get(`${demo}/deployedModels`).body["deployedModels"] as Fields[];
    expect(others).toEqual([]);
    expect(record).toMatchObject({
      model: baseModel,
      deployment: "accounts/demo/deployments/chat",
      default: true,
      state: "DEPLOYED",
    });
    expect(ready({}, "disableAutoDeploy=true").get(`${demo}/deployedModels`).body["totalSize"]).toBe(0);
  });

  test("does not load a base model that is deployed already", () => {
    const service = ready();
    service.post(`${demo}/deployments?deploymentId=second`, { baseModel });
    expect(service.get(`${demo}/deployedModels`).body["totalSize"]).toBe(1);
  });

  test("pauses requests on a swap of weights: ASYNC is the default with enableHotLoad", () => {
    expect(create(client(), { enableHotLoad: true }).body["hotLoadTransitionType"]).toBe("ASYNC");
    expect(create(client(), { enableHotLoad: true, hotLoadTransitionType: "SYNC" }).body["hotLoadTransitionType"]).toBe(
      "SYNC",
    );
    const unspecified = { enableHotLoad: true, hotLoadTransitionType: "HOT_LOAD_TRANSITION_TYPE_UNSPECIFIED" };
    expect(create(client(), unspecified).body["hotLoadTransitionType"]).toBe("ASYNC");
    expect(create(client()).body).not.toHaveProperty("hotLoadTransitionType");
  });

  test("gives a direct route a handle, of the form that its type has", () => {
    const handle = (directRouteType: string) => create(client(), { directRouteType }).body["directRouteHandle"];
    expect(handle("INTERNET")).toBe("chat.direct.example.com");
    expect(handle("CLOUDB_PRIVATE_SERVICE_CONNECT")).toContain("serviceAttachments/");
    expect(handle("CLOUDA_PRIVATELINK")).toContain("vpce");
    expect(handle("DIRECT_ROUTE_TYPE_UNSPECIFIED")).toBeUndefined();
  });

  test("runs in a region within the placement", () => {
    const region = (placement: Fields) => create(client(), { placement }).body["region"];
    expect(region({ region: "EU_ICELAND_1" })).toBe("EU_ICELAND_1");
    expect(region({ multiRegion: "EUROPE" })).toMatch(/^EU_/);
    expect(region({ multiRegion: "CANADA" })).toMatch(/^NA_BRITISHCOLUMBIA_/);
    expect(region({ regions: ["AP_TOKYO_2", "US_IOWA_1"] })).toBe("AP_TOKYO_2");
  });

  test("an expireTime that has passed deletes nothing", () => {
    const service = ready({ expireTime: "2026-01-01T00:00:01Z" });
    service.wait(86_400);
    expect(service.get(target).body["state"]).toBe("READY");
  });

  test("a strict emulator bounds scale-to-zero windows and annotations (A045, A046)", () => {
    const service = client({ strict: true });
    for (const body of [
      { autoscalingPolicy: { scaleToZeroWindow: "4m" } },
      { annotations: { "custom/a": "" } },
      { annotations: { "custom/ä": "x" } },
    ]) {
      expect(create(service, body)).toMatchObject({ status: 400, body: { code: 3 } });
      expect(create(client(), body)).toMatchObject({ status: 200 });
    }
    expect(
      create(service, { autoscalingPolicy: { scaleToZeroWindow: "5m" }, annotations: { "custom/a": "x" } }),
    ).toMatchObject({ status: 200 });
  });
});

describe("replicas", () => {
  test("start in three phases, serve, and go when nothing has happened for an hour", () => {
    const service = client();
    create(service);
    const phases = [0, 80, 80, 80].map((seconds) => {
      service.wait(seconds);
      return service.get(target).body["replicaStats"];
    });
    expect(phases).toEqual([
      { pendingSchedulingReplicaCount: 1 },
      { downloadingModelReplicaCount: 1 },
      { initializingReplicaCount: 1 },
      { readyReplicaCount: 1 },
    ]);
    service.wait(3599);
    expect(service.get(target).body).toMatchObject({ state: "READY", replicaCount: 1, desiredReplicaCount: 1 });
    service.wait(1);
    const idle = service.get(target).body;
    expect(idle).toMatchObject({ state: "READY" });
    expect(idle).not.toHaveProperty("replicaCount");
  });

  test("stay at the least that is asked for, and come back with traffic, up to the most", () => {
    const service = ready({ minReplicaCount: 2, maxReplicaCount: 4 });
    service.wait(86_400);
    expect(service.get(target).body["replicaCount"]).toBe(2);
    const parked = ready({ maxReplicaCount: 0 });
    recordTraffic(parked.world, "accounts/demo/deployments/chat");
    expect(parked.get(target).body["replicaCount"] ?? 0).toBe(0);
    const idle = ready({ autoscalingPolicy: { scaleToZeroWindow: "300s" } });
    idle.wait(600);
    expect(idle.get(target).body["replicaCount"] ?? 0).toBe(0);
    recordTraffic(idle.world, "accounts/demo/deployments/chat");
    expect(idle.get(target).body["replicaCount"]).toBe(1);
  });

  test(":scale sets their number within the most allowed, and touches no bound", () => {
    const service = ready({ maxReplicaCount: 3 });
    expect(service.patch(`${target}:scale`, { replicaCount: 3 })).toMatchObject({ status: 200, body: {} });
    expect(service.get(target).body).toMatchObject({ replicaCount: 3, maxReplicaCount: 3, state: "READY" });
    for (const replicaCount of [4, -1, 1.5, "2", undefined])
      expect(service.patch(`${target}:scale`, { replicaCount })).toMatchObject({ status: 400, body: { code: 3 } });
  });
});

describe("updating", () => {
  test("goes through UPDATING, which still serves, back to READY", () => {
    const service = ready();
    expect(patch(service, "max_replica_count", { maxReplicaCount: 2 })).toMatchObject({
      status: 200,
      body: { state: "UPDATING", replicaCount: 1 },
    });
    service.wait(60);
    expect(service.get(target).body).toMatchObject({ state: "READY", maxReplicaCount: 2 });
  });

  test("of names and labels takes effect at once", () => {
    const service = ready();
    const body = { displayName: "Chat", description: "New.", annotations: { "custom/a": "b" } };
    expect(patch(service, "display_name,description,annotations", body)).toMatchObject({
      status: 200,
      body: { state: "READY", ...body },
    });
  });

  test("raises the most replicas with the least while the program never set it", () => {
    const service = ready({ minReplicaCount: 1 });
    const { body } = patch(service, "min_replica_count", { minReplicaCount: 3 });
    expect(body).toMatchObject({ minReplicaCount: 3, maxReplicaCount: 3 });
    const bound = ready({ minReplicaCount: 1, maxReplicaCount: 2 });
    expect(patch(bound, "min_replica_count", { minReplicaCount: 3 })).toMatchObject({ status: 400, body: { code: 3 } });
  });

  test("leaves a bound alone that someone else moved", () => {
    const service = ready({ minReplicaCount: 1 });
    const object = service.world.get("accounts/demo/deployments/chat")!;
    service.world.put({ ...object, fields: { ...object.fields, maxReplicaCount: 5 } });
    expect(patch(service, "min_replica_count", { minReplicaCount: 2 }).body).toMatchObject({
      minReplicaCount: 2,
      maxReplicaCount: 5,
    });
  });

  test("of a name rolls nothing out, also on an object that someone made by hand", () => {
    const service = client();
    service.world.put({
      kind: "Deployment",
      name: "accounts/demo/deployments/chat",
      fields: { name: "accounts/demo/deployments/chat", baseModel, state: "READY" },
    });
    expect(patch(service, "display_name", { displayName: "Chat" }).body).toMatchObject({
      displayName: "Chat",
      state: "READY",
    });
  });

  test("of the target version rolls it out: active follows when it is over", () => {
    const service = ready();
    expect(patch(service, "target_model_version", { targetModelVersion: "v2" }).body).toMatchObject({
      activeModelVersion: "v1",
      targetModelVersion: "v2",
    });
    service.wait(60);
    expect(service.get(target).body).toMatchObject({ activeModelVersion: "v2", targetModelVersion: "v2" });
  });

  test("of the active version makes it the target, which is rolled out", () => {
    const service = ready();
    expect(patch(service, "active_model_version", { activeModelVersion: "v2" }).body).toMatchObject({
      state: "UPDATING",
      activeModelVersion: "v1",
      targetModelVersion: "v2",
    });
    service.wait(60);
    expect(service.get(target).body).toMatchObject({
      state: "READY",
      activeModelVersion: "v2",
      targetModelVersion: "v2",
    });
  });

  test("is refused with 400 and code 9 in transition, and once it is deleted (A044)", () => {
    const service = client();
    create(service);
    const refused = () =>
      expect(patch(service, "max_replica_count", { maxReplicaCount: 2 })).toMatchObject({
        status: 400,
        body: { code: 9 },
      });
    refused();
    service.wait(300);
    patch(service, "max_replica_count", { maxReplicaCount: 2 });
    refused();
    service.wait(60);
    service.delete(target);
    refused();
    service.wait(60);
    refused();
  });

  test("of annotations is refused in that mode, while the verbs for it work (A046)", () => {
    const service = ready({ annotations: { "custom/a": "1" } });
    service.world.changeSettings({ annotationsPatch: "refuse" });
    expect(patch(service, "annotations", { annotations: { "custom/b": "2" } })).toMatchObject({ status: 400 });
    expect(patch(service, "annotations", { annotations: { "custom/a": "1" } })).toMatchObject({ status: 200 });
    service.post(`${target}:setTags`, { tags: { "custom/b": "2" } });
    service.post(`${target}:deleteTags`, { keys: ["custom/a"] });
    expect(service.get(target).body["annotations"]).toEqual({ "custom/b": "2" });
  });

  test("never touches keys that are not the customer's", () => {
    const service = client();
    create(service, { annotations: { pool: "p1", "custom/a": "1" } }, "", "super-key");
    service.wait(300);
    patch(service, "annotations", { annotations: { "custom/b": "2" } });
    expect(service.get(target, "super-key").body["annotations"]).toEqual({ pool: "p1", "custom/b": "2" });
    expect(patch(service, "annotations", { annotations: { pool: "p2" } })).toMatchObject({
      status: 403,
      body: { code: 7 },
    });
    for (const [verb, body] of [
      ["setTags", { tags: { pool: "p2" } }],
      ["deleteTags", { keys: ["pool"] }],
    ] as const)
      expect(service.post(`${target}:${verb}`, body)).toMatchObject({ status: 403, body: { code: 7 } });
  });
});

describe("deleting", () => {
  test("is soft: a tombstone without replicas, listed with showDeleted only (A042)", () => {
    const service = ready();
    service.delete(target);
    expect(service.get(target).body).toMatchObject({ state: "DELETING", deleteTime: "2026-01-01T00:05:00.000Z" });
    service.wait(20);
    const gone = service.get(target).body;
    expect(gone).toMatchObject({ state: "DELETED", deleteTime: "2026-01-01T00:05:00.000Z" });
    expect(Date.parse(gone["purgeTime"] as string)).toBeGreaterThan(service.world.clock.now());
    expect(gone["replicaCount"] ?? 0).toBe(0);
    expect(service.get(`${demo}/deployments`).body).toMatchObject({ deployments: [], totalSize: 0 });
    expect(service.get(`${demo}/deployments?showDeleted=true`).body["totalSize"]).toBe(1);
    expect(create(service)).toMatchObject({ status: 409, body: { code: 6 } });
  });

  test("ends in a purge, after which the id is free", () => {
    const service = ready();
    service.delete(target);
    service.wait(20);
    const { purgeTime } = service.get(target).body;
    service.wait((Date.parse(purgeTime as string) - service.world.clock.now()) / 1000);
    expect(service.get(target).status).toBe(404);
    expect(create(service).status).toBe(200);
  });

  test("with hard=true removes it at once, a tombstone as well", () => {
    const service = ready();
    expect(service.delete(`${target}?hard=true`)).toMatchObject({ status: 200 });
    expect(service.get(target).status).toBe(404);
    const buried = ready();
    buried.delete(target);
    buried.wait(20);
    buried.delete(`${target}?hard=true`);
    expect(buried.get(target).status).toBe(404);
  });

  test("with soft delete off leaves nothing", () => {
    const service = ready();
    service.world.changeSettings({ softDelete: false });
    service.delete(target);
    expect(service.get(target).body["state"]).toBe("DELETING");
    service.wait(20);
    expect(service.get(target).status).toBe(404);
  });

  test("can be undone while there is a tombstone", () => {
    const service = ready();
    expect(service.post(`${target}:undelete`)).toMatchObject({ status: 400, body: { code: 9 } });
    service.delete(target);
    service.wait(20);
    const answer = service.post(`${target}:undelete`);
    expect(answer).toMatchObject({ status: 200, body: { state: "CREATING" } });
    expect(answer.body).not.toHaveProperty("deleteTime");
    service.wait(86_400 * 30);
    expect(service.get(target).body["state"]).toBe("READY");
  });

  test("is refused with code 9 within an hour of a request, but for ignoreChecks (A043)", () => {
    const service = ready();
    recordTraffic(service.world, "accounts/demo/deployments/chat");
    service.wait(3599);
    const refused = service.delete(target);
    expect(refused).toMatchObject({ status: 400, body: { code: 9 } });
    expect(refused.body["message"]).toContain("ignoreChecks");
    service.wait(1);
    expect(service.delete(target).status).toBe(200);
    const hasty = ready();
    recordTraffic(hasty.world, "accounts/demo/deployments/chat");
    expect(hasty.delete(`${target}?ignoreChecks=true`).status).toBe(200);
  });

  test("is refused with 409 and code 10 while it is in transition (A044)", () => {
    const service = client();
    create(service);
    expect(service.delete(target)).toMatchObject({ status: 409, body: { code: 10 } });
  });

  test("a second time while it goes changes nothing", () => {
    const service = ready();
    service.delete(target);
    expect(service.delete(target)).toMatchObject({ status: 200, body: {} });
  });

  test("unloads the models on it", () => {
    const service = ready();
    service.wait(60);
    service.delete(target);
    expect(service.get(`${demo}/deployedModels`).body).toMatchObject({ deployedModels: [{ state: "UNDEPLOYING" }] });
    service.wait(5);
    expect(service.get(`${demo}/deployedModels`).body["totalSize"]).toBe(0);
  });
});

test("a flag in the query is true or false and nothing else", () => {
  expect(create(client(), {}, "validateOnly=maybe")).toMatchObject({ status: 400, body: { code: 3 } });
  expect(create(client(), {}, "colour=red")).toMatchObject({ status: 200 });
  expect(
    create(client(), {}, "skipImageTagValidation=true&skipShapeValidation=true&disableSpeculativeDecoding=false"),
  ).toMatchObject({ status: 200 });
});

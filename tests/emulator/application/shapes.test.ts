import type { Fields } from "../../../emulator/types";
import { type Answer, type ApplicationClient, client, demo } from "./client";

const open8b = "accounts/platform/models/open-8b";
const open70b = "accounts/platform/models/open-70b";
const fast = "accounts/platform/deploymentShapes/open-8b-fast";
const latest = `${fast}/versions/3c4d5e6f`;
const old = `${fast}/versions/2b3c4d5e`;
const unvalidated = `${fast}/versions/4d5e6f7a`;

const create = (service: ApplicationClient, body: Fields, query = ""): Answer =>
  service.post(`${demo}/deployments?deploymentId=chat&${query}`, { baseModel: open8b, ...body });

const fieldsNamed = ({ body }: Answer) =>
  (body["details"] as { fieldViolations: { field: string; description: string }[] }[])[0]!.fieldViolations.map(
    ({ field }) => field,
  );

describe("a shape", () => {
  test("`default` is a validated version for the model, whose members are taken on", () => {
    expect(create(client(), { deploymentShape: "default" })).toMatchObject({
      status: 200,
      body: {
        deploymentShape: latest,
        acceleratorType: "VENDOR1_H100_80GB",
        acceleratorCount: 1,
        precision: "FP8",
        numPeftDeviceCached: 8,
        maxContextLength: 131072,
      },
    });
  });

  test("leaves the model's versions to the service", () => {
    const { status, body } = create(client(), { deploymentShape: "default" });
    expect(status).toBe(200);
    expect(body["targetModelVersion"]).toEqual(expect.stringMatching(/./));
    expect(body["activeModelVersion"]).toBe(body["targetModelVersion"]);
  });

  test("`default` keeps to what the request sets", () => {
    const { body } = create(client(), { deploymentShape: "default", acceleratorType: "VENDOR1_H200_141GB" });
    expect(body).toMatchObject({
      deploymentShape: "accounts/platform/deploymentShapes/open-8b-throughput/versions/5e6f7a8b",
      acceleratorCount: 2,
    });
  });

  test("`default` that every shape contradicts fails, and names fields and shapes", () => {
    const answer = create(client(), {
      deploymentShape: "default",
      acceleratorType: "VENDOR1_L4_24GB",
      precision: "NF4",
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 3 } });
    expect(fieldsNamed(answer)).toEqual(expect.arrayContaining(["acceleratorType", "precision"]));
    expect(answer.body["message"]).toContain(latest);
  });

  test("`default` for a model without shapes fails and creates nothing", () => {
    const service = client();
    expect(create(service, { baseModel: "accounts/demo/models/own", deploymentShape: "default" })).toMatchObject({
      status: 400,
      body: { code: 3 },
    });
    expect(service.get(`${demo}/deployments/chat`).status).toBe(404);
  });

  test("is never overridden: a flag turned off conflicts with a shape that has it on", () => {
    const answer = create(client(), { deploymentShape: "default", enableAddons: false });
    expect(answer).toMatchObject({ status: 400, body: { code: 3 } });
    expect(fieldsNamed(answer)).toEqual(["enableAddons", "deploymentShape"]);
    const without = create(client(), { baseModel: open70b, deploymentShape: "default", enableAddons: false });
    expect(without.body["deploymentShape"]).toContain("/open-70b-fast/");
    expect(without.body).not.toHaveProperty("enableAddons");
  });

  test("without a draft model is picked with speculation off; one with it is refused", () => {
    const off = "disableSpeculativeDecoding=true";
    const { body } = create(client(), { baseModel: open70b, deploymentShape: "default" }, off);
    expect(body).toMatchObject({ draftModel: "" });
    expect(body["deploymentShape"]).toContain("/open-70b-addons/");
    const speculative = "accounts/platform/deploymentShapes/open-70b-fast";
    const refused = create(client(), { baseModel: open70b, deploymentShape: speculative }, off);
    expect(refused).toMatchObject({ status: 400, body: { code: 3 } });
    expect(fieldsNamed(refused)).toEqual(["disableSpeculativeDecoding"]);
  });

  test("by name becomes its latest validated version; by version stays that version", () => {
    expect(create(client(), { deploymentShape: fast }).body["deploymentShape"]).toBe(latest);
    expect(create(client(), { deploymentShape: "open-8b-fast" }).body["deploymentShape"]).toBe(latest);
    expect(create(client(), { deploymentShape: old }).body).toMatchObject({ deploymentShape: old, precision: "FP16" });
  });

  test("that is not validated needs skipShapeValidation", () => {
    expect(create(client(), { deploymentShape: unvalidated })).toMatchObject({ status: 400, body: { code: 3 } });
    expect(create(client(), { deploymentShape: unvalidated }, "skipShapeValidation=true").body).toMatchObject({
      deploymentShape: unvalidated,
      precision: "FP8_V2",
    });
  });

  test("that is missing, or for another model, is refused with those that fit", () => {
    expect(create(client(), { deploymentShape: "accounts/platform/deploymentShapes/none" })).toMatchObject({
      status: 400,
      body: { code: 3 },
    });
    const answer = create(client(), { baseModel: open70b, deploymentShape: fast });
    expect(answer).toMatchObject({ status: 400, body: { code: 3 } });
    expect(answer.body["message"]).toContain("accounts/platform/deploymentShapes/open-70b-fast/versions/6f7a8b9c");
  });

  test("by name refuses a member that contradicts it, and takes one that agrees", () => {
    const answer = create(client(), { deploymentShape: fast, precision: "FP16", acceleratorCount: 1 });
    expect(answer).toMatchObject({ status: 400, body: { code: 3 } });
    expect(fieldsNamed(answer)).toEqual(["precision"]);
    expect(create(client(), { deploymentShape: fast, precision: "FP8", acceleratorCount: 1 }).status).toBe(200);
  });

  test("names the cached addons otherwise than a deployment does (A047)", () => {
    expect(fieldsNamed(create(client(), { deploymentShape: fast, numPeftDeviceCached: 3 }))).toEqual([
      "numPeftDeviceCached",
    ]);
  });

  test("does not go together with acceptShapelessRisk", () => {
    expect(create(client(), { deploymentShape: "default" }, "acceptShapelessRisk=true")).toMatchObject({
      status: 400,
      body: { code: 3 },
    });
    expect(create(client(), {}, "acceptShapelessRisk=true").status).toBe(200);
  });

  test("of the base serves an addon of it", () => {
    const service = client();
    const addon = { kind: "HUB_PEFT_ADDON", peftDetails: { baseModel: open8b, r: 8, targetModules: ["q_proj"] } };
    service.post(`${demo}/models`, { modelId: "addon", model: addon });
    expect(
      create(service, { baseModel: "accounts/demo/models/addon", deploymentShape: "default" }).body["deploymentShape"],
    ).toBe(latest);
  });
});

describe("without a shape", () => {
  const outcome = (body: Fields) => {
    const service = client();
    expect(create(service, body)).toMatchObject({ status: 200, body: { state: "CREATING" } });
    service.wait(300);
    return service.get(`${demo}/deployments/chat`).body;
  };

  test("the service picks what the request is silent about", () => {
    expect(outcome({})).toMatchObject({
      state: "READY",
      acceleratorType: "VENDOR1_H100_80GB",
      acceleratorCount: 1,
      precision: "FP8",
    });
  });

  test("a combination of one of the model's shapes serves", () => {
    expect(outcome({ acceleratorType: "VENDOR1_H200_141GB", acceleratorCount: 2, precision: "FP8" })).toMatchObject({
      state: "READY",
    });
  });

  test("any other is accepted, and fails with an internal error that does not say why", () => {
    const { state, status } = outcome({
      acceleratorType: "VENDOR2_MI300X_192GB",
      acceleratorCount: 1,
      precision: "FP8",
    });
    expect(state).toBe("FAILED");
    expect(status).toMatchObject({ code: "INTERNAL" });
    expect((status as Fields)["message"]).not.toMatch(/accelerator|precision|MI300X/);
  });

  test("a model that is not calibrated serves in FP16 only", () => {
    const service = client();
    service.post(`${demo}/models`, {
      modelId: "own",
      model: { kind: "HUB_BASE_MODEL", baseModelDetails: { worldSize: 2 } },
    });
    const baseModel = "accounts/demo/models/own";
    service.post(`${demo}/deployments?deploymentId=fp16`, { baseModel, precision: "FP16" });
    service.post(`${demo}/deployments?deploymentId=fp8`, { baseModel, precision: "FP8" });
    service.wait(300);
    expect(service.get(`${demo}/deployments/fp16`).body).toMatchObject({ state: "READY", acceleratorCount: 2 });
    expect(service.get(`${demo}/deployments/fp8`).body).toMatchObject({ state: "FAILED" });
  });

  test("the base model's draft model is used, unless set or turned off by the request", () => {
    const draft = { draftModel: "accounts/platform/models/open-1b-draft", draftTokenCount: 4 };
    const create70b = (body: Fields, query = "") => create(client(), { baseModel: open70b, ...body }, query).body;
    expect(create70b({})).toMatchObject(draft);
    expect(create70b({ draftModel: "" })).toMatchObject({ draftModel: "" });
    expect(create70b({}, "disableSpeculativeDecoding=true")).toMatchObject({ draftModel: "" });
  });

  test("turning speculation off holds beside a draft model, its token count and n-grams", () => {
    const draft = { draftModel: "accounts/demo/models/d", draftTokenCount: 2, ngramSpeculationLength: 3 };
    const { body } = create(client(), { baseModel: open70b, ...draft }, "disableSpeculativeDecoding=true");
    expect(body).toMatchObject({ draftModel: "" });
    expect(body).not.toHaveProperty("draftTokenCount");
    expect(body).not.toHaveProperty("ngramSpeculationLength");
  });

  test("a draft model of the request drafts as many tokens as the base model's", () => {
    const draftModel = "accounts/demo/models/d";
    const answer = (body: Fields) => create(client(), { baseModel: open70b, draftModel, ...body }).body;
    expect(answer({})).toMatchObject({ draftModel, draftTokenCount: 4 });
    expect(answer({ draftTokenCount: 2 })).toMatchObject({ draftModel, draftTokenCount: 2 });
  });

  test("nothing is validated: what every shape contradicts is accepted", () => {
    const odd = { acceleratorType: "VENDOR1_L4_24GB", acceleratorCount: 7, precision: "NF4" };
    expect(create(client(), { deploymentShape: "default", ...odd }).status).toBe(400);
    const { status, body } = create(client(), odd);
    expect([status, body]).toMatchObject([200, odd]);
    expect(body).not.toHaveProperty("deploymentShape");
  });

  test("a service may refuse it unless the risk is accepted, as is announced", () => {
    const service = client({ shapeless: "refuse" });
    const refused = create(service, {});
    expect(refused).toMatchObject({ status: 400, body: { code: 3 } });
    expect(refused.body["message"]).toContain("acceptShapelessRisk");
    expect(create(service, {}, "acceptShapelessRisk=false").status).toBe(400);
    expect(create(service, {}, "acceptShapelessRisk=true").status).toBe(200);
    expect(create(client({ shapeless: "refuse" }), { deploymentShape: "default" }).status).toBe(200);
  });
});

describe("a change of shape", () => {
  function shaped(): ApplicationClient {
    const service = client();
    create(service, { deploymentShape: old });
    service.wait(300);
    return service;
  }

  const patch = (service: ApplicationClient, mask: string, body: Fields): Answer =>
    service.patch(`${demo}/deployments/chat?updateMask=${mask}`, { baseModel: open8b, ...body });

  test("brings the other one's members", () => {
    expect(patch(shaped(), "deployment_shape", { deploymentShape: fast }).body).toMatchObject({
      deploymentShape: latest,
      precision: "FP8",
      numPeftDeviceCached: 8,
      state: "UPDATING",
    });
  });

  test("to the version in use changes nothing", () => {
    expect(patch(shaped(), "deployment_shape", { deploymentShape: old }).body).toMatchObject({ state: "READY" });
    expect(patch(shaped(), "deployment_shape", { deploymentShape: "default" }).body).toMatchObject({
      state: "READY",
      deploymentShape: old,
    });
  });

  test("by a member that the shape decides is refused", () => {
    const answer = patch(shaped(), "precision", { precision: "FP8" });
    expect(answer).toMatchObject({ status: 400, body: { code: 3 } });
    expect(fieldsNamed(answer)).toEqual(["precision"]);
  });

  test("to none leaves a deployment without a shape as it is", () => {
    const { body } = patch(shaped(), "deployment_shape", { deploymentShape: null });
    expect(body).not.toHaveProperty("deploymentShape");
    expect(body).toMatchObject({ precision: "FP16" });
  });

  test("to one that is not validated needs skipShapeValidation", () => {
    expect(patch(shaped(), "deployment_shape", { deploymentShape: unvalidated })).toMatchObject({ status: 400 });
    expect(
      patch(shaped(), "deployment_shape&skipShapeValidation=true", { deploymentShape: unvalidated }),
    ).toMatchObject({ status: 200 });
  });
});

describe("the catalogue", () => {
  test("lists latest validated versions of a model by the documented filter", () => {
    const filter = encodeURIComponent(`snapshot.base_model="${open8b}" AND latest_validated=true`);
    const { body } = client().get(`/v1/accounts/-/deploymentShapes/-/versions?filter=${filter}`);
    expect((body["deploymentShapeVersions"] as Fields[]).map(({ name }) => name)).toEqual([
      latest,
      "accounts/platform/deploymentShapes/open-8b-throughput/versions/5e6f7a8b",
    ]);
  });

  test("matches a deployment that would be created (A020)", () => {
    const match = (deployment: Fields) =>
      client().post(`${demo}/deploymentShapeVersions:match`, { createDeploymentRequest: { deployment } }).body[
        "deploymentShapeVersions"
      ] as Fields[];
    expect(match({ baseModel: open8b }).map(({ name }) => name)).toEqual([
      latest,
      "accounts/platform/deploymentShapes/open-8b-throughput/versions/5e6f7a8b",
    ]);
    expect(match({ baseModel: open8b, acceleratorCount: 2 })).toHaveLength(1);
    expect(match({ baseModel: "accounts/demo/models/none" })).toEqual([]);
    expect(client().post(`${demo}/deploymentShapeVersions:match`, {})).toMatchObject({ status: 400 });
  });

  test("has each shape, its versions in the order of their creation, one not validated", () => {
    const service = client();
    expect(service.get(`/v1/${fast}`).body).toMatchObject({ name: fast, baseModel: open8b, precision: "FP8" });
    const versions = service.get(`/v1/${fast}/versions`).body["deploymentShapeVersions"] as Fields[];
    expect(versions.map(({ name }) => name)).toEqual([old, latest, unvalidated]);
    expect(versions.map(({ validated }) => validated ?? false)).toEqual([true, true, false]);
    expect(service.get(`/v1/${latest}`).body).toMatchObject({
      latestValidated: true,
      public: true,
      snapshot: { baseModel: open8b },
    });
    expect(service.get("/v1/accounts/platform/deploymentShapes").body["totalSize"]).toBe(7);
  });
});

import { recordUpload } from "../../../emulator/services/models";
import type { Fields } from "../../../emulator/types";
import { type ApplicationClient, client, demo } from "./client";

const open8b = "accounts/platform/models/open-8b";
const own = "accounts/demo/models/own";
const target = `/v1/${own}`;

function prepared(model: Fields = { kind: "EMBEDDING_MODEL" }): ApplicationClient {
  const service = client();
  expect(service.post(`${demo}/models`, { modelId: "own", model })).toMatchObject({
    status: 200,
    body: { name: own, state: "UPLOADING" },
  });
  return service;
}

describe("a model", () => {
  test("is created wrapped, its id beside it; its cluster is the service's (A004, A014)", () => {
    const service = client();
    const cluster = "accounts/demo/clusters/c";
    const { body } = service.post(`${demo}/models`, {
      modelId: "own",
      model: { kind: "EMBEDDING_MODEL", cluster },
      cluster,
    });
    expect(body["name"]).toBe(own);
    expect(body).not.toHaveProperty("cluster");
    const refused = (body: Fields, field: string) =>
      expect(service.post(`${demo}/models`, body)).toMatchObject({
        status: 400,
        body: { code: 3, details: [{ fieldViolations: [{ field }] }] },
      });
    refused({ model: { kind: "EMBEDDING_MODEL" } }, "modelId");
    refused({ modelId: "other", kind: "EMBEDDING_MODEL" }, "kind");
    refused({ modelId: "other", model: {} }, "peftDetails");
  });

  test("stays UPLOADING until its upload is validated (A080)", () => {
    const service = prepared();
    service.wait(86_400);
    expect(service.get(target).body["state"]).toBe("UPLOADING");
    expect(service.get(`${target}:validateUpload`)).toMatchObject({ status: 200 });
    expect(service.get(target).body["state"]).toBe("READY");
    expect(service.get(`${target}:validateUpload`)).toMatchObject({ status: 200 });
  });

  test("is not validated while a file that arrived has another size than announced", () => {
    const service = prepared();
    service.post(`${target}:getUploadEndpoint`, { filenameToSize: { "config.json": 10 } });
    recordUpload(service.world, own, "config.json", 9);
    expect(service.get(`${target}:validateUpload`)).toMatchObject({ status: 400, body: { code: 9 } });
    recordUpload(service.world, own, "config.json", 10);
    expect(service.get(`${target}:validateUpload`)).toMatchObject({ status: 200 });
  });

  test("is changed in place, except kind, details and snapshot type (A080)", () => {
    const service = prepared();
    const patch = (mask: string, body: Fields) => service.patch(`${target}?updateMask=${mask}`, body);
    expect(
      patch("display_name,public,context_length", { displayName: "Own", public: true, contextLength: 4096 }),
    ).toMatchObject({ status: 200, body: { displayName: "Own", public: true, contextLength: 4096 } });
    for (const [mask, body] of [
      ["kind", { kind: "AGENT" }],
      ["snapshot_type", { snapshotType: "INCREMENTAL_SNAPSHOT" }],
    ] as const)
      expect(patch(mask, body)).toMatchObject({ status: 400, body: { code: 3 } });
    expect(patch("default_draft_model", { defaultDraftModel: "accounts/demo/models/d" })).toMatchObject({
      status: 400,
      body: { code: 3 },
    });
    expect(
      patch("default_draft_model,default_draft_token_count", {
        defaultDraftModel: "accounts/demo/models/d",
        defaultDraftTokenCount: 4,
      }),
    ).toMatchObject({ status: 200 });
  });

  test("tells where it is deployed when it is read alone, and not in lists", () => {
    const service = client();
    service.post(`${demo}/deployments?deploymentId=chat`, { baseModel: open8b });
    service.wait(600);
    const [reference] = service.get(`/v1/${open8b}`).body["deployedModelRefs"] as Fields[];
    expect(reference).toMatchObject({ deployment: "accounts/demo/deployments/chat", state: "DEPLOYED", default: true });
    const listed = service.get("/v1/accounts/platform/models").body["models"] as Fields[];
    expect(listed.every((model) => model["deployedModelRefs"] === undefined)).toBe(true);
    expect(service.get(`/v1/${open8b}`, "other-key").body).not.toHaveProperty("deployedModelRefs");
  });

  test("does not tell where it is deployed when it is changed", () => {
    const service = prepared();
    service.post(`${demo}/deployments?deploymentId=chat`, { baseModel: own });
    expect(service.get(target).body).toHaveProperty("deployedModelRefs");
    const changed = service.patch(`${target}?updateMask=display_name`, { displayName: "Own" });
    expect(changed).toMatchObject({ status: 200, body: { displayName: "Own" } });
    expect(changed.body).not.toHaveProperty("deployedModelRefs");
  });
});

describe("getUploadEndpoint", () => {
  const ask = (body: Fields, key?: string) => prepared().post(`${target}:getUploadEndpoint`, body, key);

  test("answers a signed address for each file, another one each time (A097)", () => {
    const service = prepared();
    const urls = () =>
      service.post(`${target}:getUploadEndpoint`, { filenameToSize: { "a b.bin": 5 } }).body[
        "filenameToSignedUrls"
      ] as Record<string, string>;
    const [first, second] = [urls(), urls()];
    expect(Object.keys(first)).toEqual(["a b.bin"]);
    expect(new URL(first["a b.bin"]!).searchParams.get("signature")).toBeTruthy();
    expect(first).not.toEqual(second);
  });

  test("reveals the storage's own addresses only to callers who may write there", () => {
    const filenameToSize = { "config.json": 10 };
    expect(ask({ filenameToSize }).body["filenameToUnsignedUris"]).toEqual({
      "config.json": `s3://models/${own}/config.json`,
    });
    expect(ask({ filenameToSize }, "user-key").body).not.toHaveProperty("filenameToUnsignedUris");
  });

  test("has its read mask in the body, in camelCase (A095)", () => {
    expect(Object.keys(ask({ filenameToSize: { a: 1 }, readMask: "filenameToUnsignedUris" }).body)).toEqual([
      "filenameToUnsignedUris",
    ]);
    for (const readMask of ["filename_to_unsigned_uris", "filenameToSignedUrls,nothing"])
      expect(ask({ filenameToSize: { a: 1 }, readMask })).toMatchObject({
        status: 400,
        body: { code: 3, details: [{ fieldViolations: [{ field: "readMask" }] }] },
      });
  });

  test("takes sizes as numbers and as strings of digits, and needs them", () => {
    expect(ask({ filenameToSize: { a: 1, b: "2" } }).status).toBe(200);
    expect(ask({ filenameToSize: { a: 1 }, enableResumableUpload: true }).status).toBe(200);
    for (const body of [
      {},
      { filenameToSize: {} },
      { filenameToSize: [1] },
      { filenameToSize: { a: -1 } },
      { filenameToSize: { a: 1 }, enableResumableUpload: "yes" },
      { filenameToSize: { a: 1 }, extra: 1 },
    ]) {
      expect(ask(body)).toMatchObject({ status: 400, body: { code: 3 } });
    }
  });
});

test("downloads and preparation need a model that is READY", () => {
  const service = prepared();
  expect(service.get(`${target}:getDownloadEndpoint`)).toMatchObject({ status: 400, body: { code: 9 } });
  expect(service.post(`${target}:prepare`)).toMatchObject({ status: 400, body: { code: 9 } });
  service.get(`${target}:validateUpload`);
  expect(
    Object.keys(service.get(`${target}:getDownloadEndpoint`).body["filenameToSignedUrls"] as object),
  ).not.toHaveLength(0);
  expect(service.post(`${target}:prepare`)).toMatchObject({ status: 200, body: {} });
});

describe("a deployed model", () => {
  const collection = `${demo}/deployedModels`;

  /** Two deployments that serve, and a model of our own on neither. */
  function serving(): ApplicationClient {
    const service = prepared();
    for (const id of ["blue", "green"])
      service.post(`${demo}/deployments?deploymentId=${id}&disableAutoDeploy=true`, { baseModel: open8b });
    service.wait(300);
    return service;
  }

  const load = (service: ApplicationClient, deployment: string, more: Fields = {}, query = "") =>
    service.post(`${collection}${query}`, {
      model: own,
      deployment: `accounts/demo/deployments/${deployment}`,
      ...more,
    });

  test("gets its id from the service, is loaded, and is the default if first (A013)", () => {
    const service = serving();
    const first = load(service, "blue");
    expect(first).toMatchObject({ status: 200, body: { state: "DEPLOYING", default: true } });
    service.wait(20);
    expect(service.get(`/v1/${String(first.body["name"])}`).body).toMatchObject({
      state: "DEPLOYED",
      status: { code: "OK" },
    });
    expect(load(service, "green").body).not.toHaveProperty("default");
  });

  test("is the model's default if it is the first, whatever the request says", () => {
    const service = serving();
    expect(load(service, "blue", { default: false }).body).toMatchObject({ default: true });
    expect(load(service, "green", { default: false }).body).not.toHaveProperty("default");
  });

  test("of the same model on the same deployment answers 409 with code 6", () => {
    const service = serving();
    load(service, "blue");
    expect(load(service, "blue")).toMatchObject({ status: 409, body: { code: 6 } });
    const other = String(load(service, "green").body["name"]);
    service.wait(60);
    expect(
      service.patch(`/v1/${other}?updateMask=deployment`, {
        name: other,
        deployment: "accounts/demo/deployments/blue",
      }),
    ).toMatchObject({ status: 409, body: { code: 6 } });
    expect(service.get(`/v1/${other}`).body).toMatchObject({
      deployment: "accounts/demo/deployments/green",
      state: "DEPLOYED",
    });
  });

  test("is deleted with its deployment, or blocks its deletion, as the setting says", () => {
    const service = serving();
    const name = String(load(service, "blue").body["name"]);
    service.wait(60);
    service.world.changeSettings({ deploymentInUse: "refuse" });
    for (const query of ["", "?ignoreChecks=true"])
      expect(service.delete(`${demo}/deployments/blue${query}`)).toMatchObject({
        status: 400,
        body: { code: 9, message: expect.stringContaining(name) },
      });
    service.world.changeSettings({ deploymentInUse: "unload" });
    expect(service.delete(`${demo}/deployments/blue`)).toMatchObject({ status: 200 });
    expect(service.get(`/v1/${name}`).body["state"]).toBe("UNDEPLOYING");
  });

  test("hands the default over: the new default unsets the old one (A081)", () => {
    const service = serving();
    const [blue, green] = [load(service, "blue").body["name"], load(service, "green").body["name"]];
    service.wait(60);
    expect(service.patch(`/v1/${String(green)}?updateMask=default`, { name: green, default: true })).toMatchObject({
      status: 200,
      body: { default: true, state: "UPDATING" },
    });
    service.wait(60);
    expect(service.get(`/v1/${String(blue)}`).body).not.toHaveProperty("default");
    expect(service.get(`/v1/${String(green)}`).body).toMatchObject({ default: true, state: "DEPLOYED" });
  });

  test("is updated under its own name: another one in the body is refused (A004)", () => {
    const service = serving();
    const name = String(load(service, "blue").body["name"]);
    service.wait(60);
    expect(service.patch(`/v1/${name}?updateMask=description`, { name, description: "New." })).toMatchObject({
      status: 200,
      body: { description: "New." },
    });
    service.wait(60);
    expect(
      service.patch(`/v1/${name}?updateMask=description`, { name: `${name}-other`, description: "x" }),
    ).toMatchObject({ status: 400, body: { code: 3, details: [{ fieldViolations: [{ field: "name" }] }] } });
    for (const [mask, body] of [
      ["public", { public: true }],
      ["serverless", { serverless: true }],
      ["deployment", { deployment: "accounts/demo/deployments/green" }],
      ["model", { model: open8b }],
    ] as const) {
      expect(service.patch(`/v1/${name}?updateMask=${mask}`, { name, ...body })).toMatchObject({ status: 200, body });
      service.wait(60);
    }
  });

  test("is updated without its name in the body as well: the path has it (A004)", () => {
    const service = serving();
    const name = String(load(service, "blue").body["name"]);
    service.wait(60);
    expect(service.patch(`/v1/${name}?updateMask=description`, { description: "New." })).toMatchObject({
      status: 200,
      body: { name, description: "New." },
    });
  });

  test("that cannot be loaded stays DEPLOYING and says why in its status (A081)", () => {
    const service = serving();
    const name = String(load(service, "none").body["name"]);
    service.wait(60);
    expect(service.get(`/v1/${name}`).body).toMatchObject({ state: "DEPLOYING", status: { code: "NOT_FOUND" } });
  });

  test("is unloaded and then gone", () => {
    const service = serving();
    const name = String(load(service, "blue").body["name"]);
    service.wait(60);
    service.delete(`/v1/${name}`);
    expect(service.get(`/v1/${name}`).body["state"]).toBe("UNDEPLOYING");
    service.wait(5);
    expect(service.get(`/v1/${name}`)).toMatchObject({ status: 404, body: { code: 5 } });
  });

  test("on a deployment that merges one addon takes the other's place only if asked to", () => {
    const service = prepared();
    service.post(`${demo}/deployments?deploymentId=hot&disableAutoDeploy=true`, {
      baseModel: open8b,
      enableHotReloadLatestAddon: true,
    });
    service.post(`${demo}/models`, { modelId: "second", model: { kind: "EMBEDDING_MODEL" } });
    service.wait(300);
    const first = String(load(service, "hot").body["name"]);
    service.wait(60);
    const second = { model: "accounts/demo/models/second" };
    expect(load(service, "hot", second)).toMatchObject({ status: 400, body: { code: 9 } });
    expect(load(service, "hot", second, "?replaceMergedAddon=true")).toMatchObject({ status: 200 });
    expect(service.get(`/v1/${first}`).body["state"]).toBe("UNDEPLOYING");
  });
});

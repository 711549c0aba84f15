import { chat, everything, openModel, tuning } from "./everything";
import { account, type Site } from "./site";
import { onEachDoor, onEachSite } from "./sites";

jest.setTimeout(300_000);

const ours = ["deployments/", "deployedModels/", "users/", "secrets/", "supervisedFineTuningJobs/", "rlorTrainerJobs/"];

onEachDoor((open) => {
  let site: Site;
  beforeEach(async () => void (site = await open({ settings: { patch: "replace" } })));
  afterEach(() => site.close());

  test("a whole program comes up, stays as it is, drifts, is healed and leaves nothing", async () => {
    await site.up(everything);
    expect(Object.fromEntries(ours.map((collection) => [collection, site.live(collection).length]))).toEqual({
      "deployments/": 2,
      "deployedModels/": 3,
      "users/": 1,
      "secrets/": 1,
      "supervisedFineTuningJobs/": 1,
      "rlorTrainerJobs/": 1,
    });
    const texts = site.resources().flatMap(({ inputs, outputs }) => [inputs?.["__provider"], outputs?.["__provider"]]);
    expect(texts).toHaveLength(16);
    expect(new Set(texts).size).toBe(1);
    expect(Buffer.byteLength(String(texts[0]))).toBeLessThanOrEqual(300);

    await site.requests();
    await site.expect(0, "preview --expect-no-changes");
    expect(await site.requests()).toEqual([]);
    await site.expect(0, "up --expect-no-changes");
    expect(await site.writes()).toEqual([]);

    await site.expect(0, "refresh --preview-only --expect-no-changes");
    await site.tamper(site.resource("chat").id, { maxReplicaCount: 8 });
    await site.tamper(site.resource("ada").id, { role: "admin" });
    await site.tamper(site.resource("policy").id, {
      zeroDataRetention: { inference: { enforcement: "NOT_ENFORCED" } },
    });
    const drift = await site.expect(7, "refresh --preview-only --expect-no-changes --diff");
    for (const shown of [
      /maxReplicaCount\W+2 => 8/,
      /role\W+"contributor"\W+=> "admin"/,
      /enforcement\W+"ENFORCED"\W+=> "NOT_ENFORCED"/,
    ])
      expect(drift.output).toMatch(shown);
    expect(await site.writes()).toEqual([]);

    await site.expect(0, "up --refresh");
    const healed = (name: string) => site.emulator.world.get(String(site.resource(name).id))!.fields;
    expect(healed("chat")).toMatchObject({ maxReplicaCount: 2, annotations: { "custom/team": "assistants" } });
    expect(healed("ada")).toMatchObject({ role: "contributor" });
    expect(healed("policy")).toMatchObject({ zeroDataRetention: { inference: { enforcement: "ENFORCED" } } });

    await site.expect(0, "destroy");
    expect(ours.flatMap((collection) => site.live(collection))).toEqual([]);
    expect(site.live("policySettings")).toEqual([
      { name: `accounts/${account}/policySettings`, updateTime: expect.any(String) },
    ]);
    expect(site.resources()).toEqual([]);
    expect(site.processes()).toEqual([]);
  });
});

onEachSite((open) => {
  let site: Site;
  beforeEach(async () => void (site = await open({ settings: { patch: "replace" } })));
  afterEach(() => site.close());

  test("an edit changes an object in place where possible, and replaces it otherwise", async () => {
    const fixed = { ...chat, deploymentId: "fixed" };
    const ada = { kind: "User", email: "ada@example.com", role: "user" };
    await site.up({
      resources: {
        chat,
        ada,
        moving: chat,
        fixed,
        tuning,
        storage: { kind: "Secret", keyName: "STORAGE_KEY", value: { secret: "one" } },
      },
    });
    const before = (name: string) => String(ids[name]);
    const ids = Object.fromEntries(site.resources().map(({ urn, id }) => [urn.split("::").at(-1)!, id]));
    const now = (name: string) => site.emulator.world.get(String(site.resource(name).id));
    await site.requests();

    await site.up({
      resources: {
        chat: { ...chat, displayName: "Chat", maxReplicaCount: 3, annotations: { "custom/team": "core" } },
        ada: { ...ada, email: "Ada@Example.com", role: "admin" },
        moving: { ...chat, preemptible: true },
        fixed: { ...fixed, baseModel: "accounts/platform/models/open-70b" },
        tuning: { ...tuning, epochs: 3 },
        storage: { kind: "Secret", keyName: "STORAGE_KEY", value: { secret: "two" } },
      },
    });
    for (const name of ["chat", "ada", "storage", "fixed"]) expect(site.resource(name).id).toBe(before(name));
    for (const name of ["moving", "tuning"]) expect(site.resource(name).id).not.toBe(before(name));
    expect(now("chat")?.fields).toMatchObject({
      displayName: "Chat",
      minReplicaCount: 1,
      maxReplicaCount: 3,
      annotations: { "custom/team": "core" },
    });
    expect(now("ada")?.fields).toMatchObject({ role: "admin" });
    expect(now("moving")?.fields).toMatchObject({ preemptible: true });
    expect(now("fixed")?.fields).toMatchObject({ baseModel: "accounts/platform/models/open-70b" });
    expect(now("tuning")?.fields).toMatchObject({ epochs: 3, state: "JOB_STATE_COMPLETED" });
    expect(now("storage")?.hidden).toEqual({ value: "two" });
    expect(site.live("deployments/")).toHaveLength(3);
    expect(site.live("supervisedFineTuningJobs/")).toHaveLength(1);
    const requests = await site.requests();
    expect(
      requests.filter(({ method }) => method === "DELETE").map(({ path, query }) => [path, query["hard"]]),
    ).toEqual(
      expect.arrayContaining([
        [`/v1/${before("moving")}`, undefined],
        [`/v1/${before("fixed")}`, "true"],
        [`/v1/${before("tuning")}`, undefined],
      ]),
    );
    const order = requests
      .filter(({ method }) => method === "POST" || method === "DELETE")
      .map(({ method, path, query }) => `${method} ${query["deploymentId"] ?? path.split("/").at(-1)}`);
    expect(order.indexOf("DELETE fixed")).toBeLessThan(order.indexOf("POST fixed"));
    await site.expect(0, "preview --expect-no-changes");
  });

  test("a forced replacement leaves one live object of each, right away and later", async () => {
    await site.up({ resources: { chat, tuning } });
    const replace = `up --replace ${site.urn("Deployment", "chat")} --replace ${site.urn("SupervisedFineTuningJob", "tuning")}`;
    for (const line of [replace, "up", replace, replace]) {
      await site.expect(0, line);
      expect([site.only("deployments/")["name"], site.only("supervisedFineTuningJobs/")["name"]]).toEqual([
        site.resource("chat").id,
        site.resource("tuning").id,
      ]);
    }
    expect(site.only("supervisedFineTuningJobs/")).toMatchObject({ state: "JOB_STATE_COMPLETED" });
    await site.expect(0, "preview --expect-no-changes");
  });

  test("existing objects are adopted as programmed and stay; policies end as declared", async () => {
    const strict = {
      allowServerless: true,
      allowServerlessFast: false,
      allowDedicatedDeployments: true,
      allowTraining: false,
    };
    const open = { ...strict, allowTraining: true };
    for (const id of [account, "other", "third"]) {
      site.emulator.world.setKey(`${id}-key`, id, "admin");
      await site.seed({
        [`accounts/${id}/policySettings`]: { defaultPermissions: strict, updateTime: "2026-01-01T00:00:00Z" },
      });
    }
    await site.seed({
      [`accounts/${account}/deployments/shared`]: {
        baseModel: openModel,
        maxReplicaCount: 1,
        minReplicaCount: 0,
        displayName: "By hand",
      },
      [`accounts/${account}/users/grace`]: { email: "grace@example.com", role: "admin" },
    });
    const policy = { kind: "PolicySettings", defaultPermissions: open, adopt: "overwrite", allowLoosening: true };
    const env = {
      MODELPLATFORM_ACCOUNTS: JSON.stringify({ other: { apiKey: "other-key" }, third: { apiKey: "third-key" } }),
    };
    const declared = {
      resources: {
        shared: {
          kind: "Deployment",
          deploymentId: "shared",
          baseModel: openModel,
          maxReplicaCount: 2,
          adopt: "overwrite",
        },
        grace: { kind: "User", email: "Grace@example.com", role: "admin", adopt: "ifEqual" },
        kept: { ...policy },
        cleared: { ...policy, accountId: "other", onDelete: "clear" },
        restored: { ...policy, accountId: "third", onDelete: "restorePrevious" },
      },
    };
    await site.up(declared, { env });
    expect(site.only("deployments/")).toMatchObject({ maxReplicaCount: 2, displayName: "By hand" });
    expect(["shared", "grace", "kept"].map((name) => site.resource(name).outputs?.["adopted"])).toEqual([
      true,
      true,
      true,
    ]);
    await site.expect(0, "preview --expect-no-changes", { env });
    await site.expect(0, "destroy", { env });
    expect(site.only("deployments/")).toMatchObject({ maxReplicaCount: 2 });
    expect(site.only("users/")).toMatchObject({ role: "admin" });
    const permissions = (id: string) =>
      site.emulator.world.get(`accounts/${id}/policySettings`)?.fields["defaultPermissions"];
    expect({
      retain: permissions(account),
      clear: permissions("other"),
      restorePrevious: permissions("third"),
    }).toEqual({ retain: open, clear: undefined, restorePrevious: strict });
  });
});

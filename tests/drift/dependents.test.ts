import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DriftReport } from "../../drift/scan/document";
import { fileJournal } from "../../drift/scan/journal";
import { namesIn, recordedObjects } from "../../drift/scan/recorded-object";
import { importDeployment } from "../../engine/state/checkpoint";
import type { Field } from "../../provider/core/fields/fields";
import { managedSpecs } from "../../provider/resources/index";
import { instantTime } from "../api/support/instant-time";
import type { Values } from "../values";
import { byName, createScene } from "./support/scene";
import { exported, type RecordedResource, recordedStack, stateOf } from "./support/stacks";

const time = "2026-01-01T00:00:00Z";
const open8b = "accounts/platform/models/open-8b";
const host = "accounts/acme/deployments/chat";

const recordedHost: RecordedResource = {
  kind: "Deployment",
  inputs: { baseModel: open8b, maxReplicaCount: 2 },
  live: { name: host, baseModel: open8b, maxReplicaCount: 2, state: "READY", createTime: time, updateTime: time },
};
const drifted: Values = { ...recordedHost.live, maxReplicaCount: 7 };
const loaded = (id: string, deployment = host): Values => ({
  name: `accounts/acme/deployedModels/${id}`,
  model: "accounts/acme/models/addon",
  deployment,
  state: "DEPLOYED",
  createTime: time,
  updateTime: time,
});

const urnOf = (recorded: RecordedResource): string => String(stateOf(recorded, "urn:pulumi:prod::shop")["urn"]);

const dependentsOf = (report: DriftReport, name: string): (string | null)[] =>
  (byName(report)[name]!.dependents ?? []).map((dependent) => dependent.name ?? dependent.urn);

test("loaded models and jobs that name a deployment depend on it, at no more requests", async () => {
  const scene = createScene();
  scene.put(host, drifted);
  const alone = (await scene.scan([recordedHost]), scene.requests.splice(0));
  scene.put(loaded("support")["name"] as string, loaded("support"));
  scene.put(loaded("elsewhere")["name"] as string, loaded("elsewhere", "accounts/acme/deployments/other"));
  scene.put("accounts/acme/rlorTrainerJobs/tune", {
    state: "JOB_STATE_RUNNING",
    rolloutDeploymentName: host,
    createTime: time,
  });
  const report = await scene.scan([recordedHost]);
  expect(byName(report)[host]!.dependents).toEqual([
    { type: "DeployedModel", name: "accounts/acme/deployedModels/support", urn: null },
    { type: "RlorTrainerJob", name: "accounts/acme/rlorTrainerJobs/tune", urn: null },
  ]);
  expect(scene.requests.map(({ path }) => path).sort()).toEqual(alone.map(({ path }) => path).sort());
});

test("what nothing needs has no dependents", async () => {
  const scene = createScene();
  scene.put(host, drifted);
  expect(byName(await scene.scan([recordedHost]))[host]).not.toHaveProperty("dependents");
});

test("what a state says depends on it, of any package, is a dependent", async () => {
  const scene = createScene();
  scene.put(host, drifted);
  const support: RecordedResource = {
    kind: "DeployedModel",
    inputs: { model: "accounts/acme/models/addon", deployment: host },
    live: loaded("support"),
    state: { dependencies: [urnOf(recordedHost)], propertyDependencies: { deployment: [urnOf(recordedHost)] } },
  };
  const other = (name: string, state: Values): Values => ({
    urn: `urn:pulumi:prod::shop::random:index/randomPet:RandomPet::${name}`,
    ...{ custom: true, type: "random:index/randomPet:RandomPet", id: name, inputs: {}, outputs: {} },
    ...state,
  });
  const stack = recordedStack([recordedHost, support]);
  const document = exported([recordedHost, support]) as { deployment: { resources: Values[] } };
  document.deployment.resources.push(
    other("by-option", { dependencies: [urnOf(recordedHost)] }),
    other("by-property", { propertyDependencies: { prefix: [urnOf(recordedHost)] } }),
    other("with", { deletedWith: urnOf(recordedHost) }),
    other("leaving", { dependencies: [urnOf(recordedHost)], delete: true }),
    other("component", { dependencies: [urnOf(recordedHost)], custom: false }),
    other("unrelated", { dependencies: [urnOf(support)] }),
  );
  const objects = recordedObjects("shop/prod", importDeployment(document));
  scene.put(loaded("support")["name"] as string, loaded("support"));
  expect(dependentsOf(await scene.scan([objects]), host)).toEqual([
    "accounts/acme/deployedModels/support",
    "urn:pulumi:prod::shop::random:index/randomPet:RandomPet::by-option",
    "urn:pulumi:prod::shop::random:index/randomPet:RandomPet::by-property",
    "urn:pulumi:prod::shop::random:index/randomPet:RandomPet::with",
  ]);
  // Known from its state and from the service: told once, with its URN.
  expect(byName(await scene.scan([stack]))[host]!.dependents).toEqual([
    { type: "DeployedModel", name: "accounts/acme/deployedModels/support", urn: urnOf(support) },
  ]);
});

test("what another stack records as named depends on it, even where it is gone", async () => {
  const scene = createScene();
  scene.put(host, drifted);
  const gone: RecordedResource = {
    kind: "DeployedModel",
    inputs: { model: "accounts/acme/models/addon", deployment: host },
    live: loaded("support"),
  };
  const stacks = [recordedStack([recordedHost]), recordedStack([gone], { project: "base" })];
  expect(dependentsOf(await scene.scan(stacks), host)).toEqual(["accounts/acme/deployedModels/support"]);
});

test("another account's deployment that serves a public model depends on it", async () => {
  const scene = createScene({ accounts: ["acme", "globex"] });
  const model = "accounts/acme/models/shared";
  const live = { name: model, kind: "HF_BASE_MODEL", public: true, state: "READY", createTime: time };
  scene.put(model, { ...live, displayName: "by hand" });
  scene.put("accounts/globex/deployments/d", {
    ...recordedHost.live,
    name: "accounts/globex/deployments/d",
    baseModel: model,
  });
  const recorded: RecordedResource = {
    kind: "Model",
    inputs: { kind: "HF_BASE_MODEL", public: true, displayName: "x" },
    live,
  };
  const report = await scene.scan([recorded], { accounts: ["acme", "globex"] });
  expect(dependentsOf(report, model)).toEqual(["accounts/globex/deployments/d"]);
});

test("a job does not depend on what it makes, nor an object on itself", () => {
  const job = managedSpecs.find(({ kind }) => kind === "SupervisedFineTuningJob")!;
  const named = namesIn(job, "accounts/acme/supervisedFineTuningJobs/j", {
    baseModel: open8b,
    [job.produces!.name]: "accounts/acme/models/made",
  });
  expect(named).toEqual([open8b]);
});

/** Fields that name objects, as their declarations say, with the way to each. */
const namingFields = (fields: readonly Field[], way: readonly Field[] = []): Field[][] =>
  fields.flatMap((field) => [
    ...(field.markers.refersTo === undefined ? [] : [[...way, field]]),
    ...namingFields([...(field.fields ?? []), ...(field.item ? [field.item] : [])], [...way, field]),
  ]);

const valueAt = ([field, ...rest]: readonly Field[], name: string): unknown => {
  const inner = rest.length === 0 ? name : valueAt(rest, name);
  if (!field!.item || rest[0] !== field!.item) return rest.length === 0 ? name : { [rest[0]!.name]: inner };
  return field!.type === "map" ? { key: inner } : [inner];
};

test.each(managedSpecs.map((spec) => [spec.kind, spec] as const))("whatever a %s names is found", (_, spec) => {
  const ways = namingFields(spec.fields.message.filter(({ name }) => name !== spec.produces?.name));
  for (const way of ways) {
    const values = { [way[0]!.name]: valueAt(way, "accounts/acme/things/t") };
    expect([way.map(({ name }) => name).join("."), namesIn(spec, "x", values)]).toEqual([
      way.map(({ name }) => name).join("."),
      ["accounts/acme/things/t"],
    ]);
  }
});

test("a scan that goes on after an interruption knows what the first part has read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "drift-"));
  try {
    const abort = new AbortController();
    const clock = instantTime();
    let keptModels = (): void => {};
    const areModelsKept = new Promise<void>((resolve) => (keptModels = resolve));
    const scene = createScene({
      time: clock,
      // Interrupted once the deployed models are read and kept.
      travel: async ({ path }) => {
        if (!path.includes("/secrets") || abort.signal.aborted) return;
        await areModelsKept;
        abort.abort();
      },
    });
    scene.put(host, drifted);
    scene.put(loaded("support")["name"] as string, loaded("support"));
    const journal = fileJournal(folder, ["1.2.3"], clock.now);
    const telling: typeof journal = {
      ...journal,
      write: async (scan, result) => {
        await journal.write(scan, result);
        if (scan.spec.kind === "DeployedModel") keptModels();
      },
    };
    await expect(scene.scan([recordedHost], { journal: telling, signal: abort.signal })).rejects.toThrow();
    scene.requests.length = 0;
    const report = await scene.scan([recordedHost], { journal: fileJournal(folder, ["1.2.3"], clock.now) });
    expect(dependentsOf(report, host)).toEqual(["accounts/acme/deployedModels/support"]);
    expect(scene.requests.filter(({ path }) => path.includes("/deployedModels"))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

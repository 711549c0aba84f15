import type { Values } from "../../provider/lifecycle/types";
import { elvish } from "../core/dialects";
import { createHarness, type Harness, type Process } from "./harness";

const model = "accounts/platform/models/open-8b";
const setting = { dialect: JSON.stringify(elvish) };

/** A declaration of every kind, and a later one. Later ones may use outputs of earlier ones. */
type Story = readonly [
  kind: string,
  name: string,
  before: (made: Record<string, Values>) => Values,
  after: (made: Record<string, Values>) => Values,
];

const permissions = {
  allowServerless: true,
  allowServerlessFast: false,
  allowDedicatedDeployments: true,
  allowTraining: true,
};

const stories: readonly Story[] = [
  [
    "PolicySettings",
    "policy",
    () => ({
      defaultPermissions: permissions,
      rules: [{ model, permissions }],
      residency: "GLOBAL",
      onDelete: "clear",
      allowLoosening: true,
      adopt: "overwrite",
    }),
    () => ({
      defaultPermissions: permissions,
      rules: [{ model, permissions: { ...permissions, allowServerless: false } }],
      residency: "EUROPE",
      onDelete: "clear",
      allowLoosening: true,
      adopt: "overwrite",
    }),
  ],
  [
    "User",
    "ada",
    () => ({ email: "ada@example.com", role: "contributor", displayName: "Ada" }),
    () => ({ email: "ada@example.com", role: "custom", permissionPreset: "READY", displayName: "Ada" }),
  ],
  [
    "Secret",
    "storage",
    () => ({ keyName: "STORAGE_KEY", value: "canary-one" }),
    () => ({ keyName: "STORAGE_KEY", value: "canary-two" }),
  ],
  [
    "Model",
    "weights",
    () => ({
      modelId: "weights",
      kind: "HUB_BASE_MODEL",
      baseModelDetails: { parameterCount: "8" },
      displayName: "Weights",
    }),
    () => ({
      modelId: "weights",
      kind: "HUB_BASE_MODEL",
      baseModelDetails: { parameterCount: "8" },
      displayName: "Weights",
      modelHubUrl: "https://hub.example.com/w",
      description: "baseModel",
    }),
  ],
  [
    "Deployment",
    "chat",
    () => ({
      deploymentId: "chat",
      baseModel: model,
      acceleratorType: "VENDOR1_H100_80GB",
      acceleratorCount: 1,
      annotations: { "custom/role": "baseModel" },
      directRouteApiKeys: ["canary-route"],
      autoscalingPolicy: { scaleUpWindow: "1m", loadTargets: { default: 0.5 } },
      skipShapeValidation: true,
    }),
    () => ({
      deploymentId: "chat",
      baseModel: model,
      acceleratorType: "VENDOR1_H100_80GB",
      acceleratorCount: 1,
      displayName: "READY",
      annotations: { "custom/role": "acceleratorType" },
      directRouteApiKeys: ["canary-route"],
      autoscalingPolicy: { scaleUpWindow: "2m", loadTargets: { default: 0.6 } },
      skipShapeValidation: true,
    }),
  ],
  [
    "SupervisedFineTuningJob",
    "tune",
    () => ({
      supervisedFineTuningJobId: "tune",
      baseModel: model,
      dataset: "accounts/acme/datasets/d",
      evaluationDataset: "accounts/acme/datasets/e",
      learningRate: 0.001,
      outputModel: "tuned",
      trackingConfig: { enabled: true, apiKey: "canary-token" },
    }),
    () => ({
      supervisedFineTuningJobId: "tune",
      baseModel: model,
      dataset: "accounts/acme/datasets/d",
      evaluationDataset: "accounts/acme/datasets/e",
      learningRate: 0.001,
      outputModel: "tuned",
      displayName: "Tune",
      trackingConfig: { enabled: true, apiKey: "canary-token" },
    }),
  ],
  [
    "RlorTrainerJob",
    "prefer",
    () => ({
      rlorTrainerJobId: "prefer",
      dataset: "accounts/acme/datasets/p",
      trainingConfig: { baseModel: model, learningRate: 0.5, epochs: 1 },
      rewardWeights: ["helpful=1.0"],
    }),
    () => ({
      rlorTrainerJobId: "prefer",
      dataset: "accounts/acme/datasets/p",
      trainingConfig: { baseModel: model, learningRate: 0.5, epochs: 1 },
      rewardWeights: ["helpful=1.0"],
      displayName: "Prefer",
    }),
  ],
  [
    "DeployedModel",
    "loaded",
    (made) => ({ model: made["weights"]!["name"], deployment: made["chat"]!["name"], displayName: "Loaded" }),
    (made) => ({
      model: made["weights"]!["name"],
      deployment: made["chat"]!["name"],
      displayName: "Loaded",
      description: "READY",
    }),
  ],
];

/** Everything that was recorded, and the world after each step; made-up ids and the address left out. */
async function lived(at: Harness, process: Process): Promise<unknown> {
  const told: unknown[] = [];
  const made: Record<string, Values> = {};
  const tell = (step: string, outputs: unknown): void => {
    const world = [...at.emulator.world.all()]
      .filter(({ name }) => name.startsWith("accounts/acme/"))
      .map(({ fields, hidden }) => ({ fields, hidden }));
    // The settings with which an object was written are recorded beside it.
    const text = JSON.stringify([step, outputs, world], (key, value: unknown) => {
      if (key === "serviceSettings") return undefined;
      return ["endpoint", "digests"].includes(key) || /Ur[li]s?$/.test(key) ? "…" : value;
    });
    told.push(
      JSON.parse(
        text
          .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|(?<=deployedModels\/[\w-]*-)[0-9a-f]{8}/g, "uuid")
          .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time"),
      ),
    );
  };
  for (const [kind, name, before, after] of stories) {
    const { outputs } = await process.create(kind, name, before(made));
    tell(`${name} created`, outputs);
    expect(await process.diff(kind, name, outputs, before(made))).toMatchObject({ changes: false });
    made[name] = await process.update(kind, name, outputs, after(made));
    tell(`${name} updated`, made[name]);
    tell(`${name} read`, await process.read(kind, name, made[name]));
  }
  for (const [kind, name] of [...stories].reverse()) {
    await process.delete(kind, name, made[name]!);
    tell(`${name} deleted`, null);
  }
  return told;
}

const harnesses: Harness[] = [];
const opened = async (...given: Parameters<typeof createHarness>): Promise<Harness> => {
  const at = await createHarness(...given);
  harnesses.push(at);
  return at;
};
afterEach(async () => {
  await Promise.all(harnesses.splice(0).map((at) => at.close()));
});

test("a dialect on both sides changes neither what is recorded nor what is live", async () => {
  const plain = await opened();
  const spoken = await opened({ dialect: elvish });
  expect(await lived(spoken, spoken.process(setting))).toEqual(await lived(plain, plain.process()));
});

test("the journal shows the service's words and no secret, states the package's words", async () => {
  const at = await opened({ dialect: elvish });
  const process = at.process(setting);
  const outputs: Values[] = [];
  for (const [kind, name, before] of stories.slice(0, 6))
    outputs.push((await process.create(kind, name, before({}))).outputs);
  const answer = await at.emulator.fetch(
    new Request("http://127.0.0.1/_emulator/requests", { headers: { host: "127.0.0.1" } }),
  );
  const { requests } = (await answer.json()) as {
    requests: { method: string; path: string; query: Values; body: Values }[];
  };
  const created = (collection: string) =>
    requests.find(({ method, path }) => method !== "GET" && path.includes(collection))!;
  expect(created("deployments")).toMatchObject({
    query: { anyShape: "true" },
    body: { llm: model, gpuKind: "ELF_H100_80GB", labels: { "custom/role": "baseModel" }, sideDoorKeys: "[redacted]" },
  });
  expect(created("users").body).toMatchObject({ rank: "builder", title: "Ada" });
  expect(created("secrets").body).toMatchObject({ variable: "STORAGE_KEY", content: "[redacted]" });
  expect(created("policySettings")).toMatchObject({
    query: { updateMask: expect.stringContaining("model_rules") as string },
    body: { modelRules: [{ model, grants: { mayTrain: true } }] },
  });
  expect(JSON.stringify(requests)).not.toContain("canary");
  expect(outputs[4]).toMatchObject({ baseModel: model, acceleratorType: "VENDOR1_H100_80GB", state: "READY" });
  expect(at.object("accounts/acme/users/ada")).toMatchObject({ role: "contributor", state: "READY" });
});

test.each([
  ["service's", {}, { dialect: elvish }],
  ["client's", setting, {}],
])("a dialect on the %s side alone does not work by accident", async (_, config, settings) => {
  const at = await opened(settings);
  await expect(at.process(config).create("Deployment", "chat", { baseModel: model })).rejects.toThrow(
    /is not a field|is required/,
  );
});

test("an error that names fields in the service's words gives the package's names", async () => {
  const at = await opened({ dialect: elvish });
  const failure = at.process({ ...setting, preflight: "false" }).create("Deployment", "chat", {
    baseModel: model,
    acceleratorType: "VENDOR2_MI300X_192GB",
    deploymentShape: "default",
  });
  await expect(failure).rejects.toThrow(/`gpuKind`: conflicts.*its `gpuKind` is `acceleratorType` here/s);
});

test("an unusable dialect is refused before any request, with where it is set", async () => {
  const at = await opened();
  expect(() => at.process({ dialect: '{"fields": {"displayNme": "title"}}' })).toThrow(
    /the dialect in the config `modelplatform:dialect` cannot be used.*did you mean `displayName`/,
  );
});

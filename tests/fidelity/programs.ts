import type { Values } from "../values";

/** What a program declares of a kind, and how it changes. */
export interface LifeProgram {
  collection: string;
  inputs: Values;
  /** Undefined where no change is made in place. */
  edited?: Values;
  /** Whether the change is live. */
  shows(object: Values): boolean;
  /** What is left of settings that say nothing. */
  isNone?(object: Values): boolean;
}

const chat = {
  ...{ deploymentId: "chat", baseModel: "accounts/acme/models/base", displayName: "Chat", description: "answers" },
  ...{ minReplicaCount: 0, maxReplicaCount: 2, annotations: { "custom/team": "support" }, acceptShapelessRisk: true },
  ...{ placement: { multiRegion: "EUROPE" }, preemptible: true, deploymentTemplate: "large" },
};
const ada = { email: "ada@example.com", role: "user", displayName: "Ada", userId: "ada" };
const storage = { secretId: "storage", keyName: "STORAGE_KEY", value: "hunter2" };
const support = {
  ...{ modelId: "support", kind: "HUB_BASE_MODEL", displayName: "Support 8B", contextLength: 4096 },
  baseModelDetails: { parameterCount: "8000000000", modelType: "open", modelHubFiles: ["b.bin", "a.bin"] },
};
const served = { model: "accounts/acme/models/support", deployment: "accounts/acme/deployments/chat" };
const tune = {
  ...{ supervisedFineTuningJobId: "tune", dataset: "accounts/acme/datasets/d", baseModel: "accounts/acme/models/base" },
  ...{ epochs: 2, learningRate: 0.0001, earlyStop: true, loraRank: 8 },
};
const trainingConfig = { baseModel: "accounts/acme/models/base", epochs: 2, learningRate: 0.0001, loraRank: 8 };
const reinforced = { rlorTrainerJobId: "reinforced", dataset: "accounts/acme/datasets/d", trainingConfig };
const rights = {
  ...{ allowServerless: true, allowDedicatedDeployments: true, allowTraining: true, allowServerlessFast: false },
};
const settings = {
  ...{ defaultPermissions: rights, residency: "EUROPE", onDelete: "clear", allowLoosening: true },
  zeroDataRetention: { defaultEnforced: true },
};

const isShown = (path: string, value: unknown) => (object: Values) => object[path] === value;

export const programs = {
  Deployment: {
    collection: "deployments",
    inputs: chat,
    edited: { ...chat, maxReplicaCount: 3 },
    shows: ({ maxReplicaCount }) => Number(maxReplicaCount) === 3,
  },
  User: {
    collection: "users",
    inputs: ada,
    edited: { ...ada, role: "contributor" },
    shows: isShown("role", "contributor"),
  },
  Secret: {
    collection: "secrets",
    inputs: storage,
    edited: { ...storage, keyName: "STORAGE_TOKEN" },
    shows: isShown("keyName", "STORAGE_TOKEN"),
  },
  Model: {
    collection: "models",
    inputs: support,
    edited: { ...support, supportsTools: true },
    shows: ({ supportsTools }) => String(supportsTools) === "true",
  },
  DeployedModel: {
    collection: "deployedModels",
    inputs: { ...served, displayName: "Support" },
    edited: { ...served, displayName: "Help" },
    shows: isShown("displayName", "Help"),
  },
  SupervisedFineTuningJob: { collection: "supervisedFineTuningJobs", inputs: tune, shows: () => true },
  RlorTrainerJob: { collection: "rlorTrainerJobs", inputs: reinforced, shows: () => true },
  PolicySettings: {
    collection: "policySettings",
    inputs: settings,
    edited: { ...settings, residency: "US" },
    shows: isShown("residency", "US"),
    isNone: ({ residency, defaultPermissions }) => residency === undefined && defaultPermissions === undefined,
  },
} as const satisfies Record<string, LifeProgram>;

import { account, type DeclaredProgram, type RunOptions, type Site } from "./site";

export const openModel = "accounts/platform/models/open-8b";

export const chat = {
  kind: "Deployment",
  baseModel: openModel,
  deploymentShape: "default",
  minReplicaCount: 1,
  maxReplicaCount: 2,
};
export const tuning = {
  kind: "SupervisedFineTuningJob",
  baseModel: openModel,
  dataset: `accounts/${account}/datasets/tickets`,
  epochs: 2,
  learningRate: 0.0001,
};

const after = { opts: { dependsOn: ["@policy"] } };

/** One of each kind of resource that an `up` can finish by itself, tied together as a program would. */
export const everything: DeclaredProgram = {
  resources: {
    policy: {
      kind: "PolicySettings",
      defaultPermissions: {
        allowServerless: true,
        allowServerlessFast: false,
        allowDedicatedDeployments: true,
        allowTraining: true,
      },
      zeroDataRetention: { defaultEnforced: false, inference: { enforcement: "ENFORCED" } },
      onDelete: "clear",
      allowLoosening: true,
    },
    ada: { kind: "User", email: "ada@example.com", role: "contributor", displayName: "Ada", ...after },
    storage: { kind: "Secret", keyName: "STORAGE_KEY", value: { secret: "not so secret" } },
    chat: {
      ...chat,
      annotations: { "custom/team": "assistants" },
      autoscalingPolicy: { scaleDownWindow: "15m" },
      ...after,
    },
    support: { ...tuning, cloudS3Config: { credentialsSecret: "@storage.name" }, ...after },
    preferences: {
      kind: "RlorTrainerJob",
      dataset: `accounts/${account}/datasets/preferences`,
      trainingConfig: { baseModel: openModel, epochs: 1 },
      rewardWeights: ["helpful=1.0"],
      ...after,
    },
    serving: {
      kind: "Deployment",
      baseModel: "@support.outputModelName",
      deploymentShape: "default",
      enableAddons: true,
    },
    loaded: {
      kind: "DeployedModel",
      model: "@preferences.outputModelName",
      deployment: "@chat.name",
      displayName: "Preferences",
    },
  },
  outputs: { serving: "@serving.name", model: "@support.outputModelName" },
};

/** Somebody makes Ada an admin: a refresh shows it, and an `up` that refreshes reverts it. */
export async function expectHealed(site: Site, options: RunOptions = {}): Promise<void> {
  await site.tamper(site.resource("ada").id, { role: "admin" });
  await site.expect(7, "refresh --preview-only --expect-no-changes", options);
  await site.expect(0, "up --refresh", options);
  expect(site.only("users/")).toMatchObject({ role: "contributor" });
}

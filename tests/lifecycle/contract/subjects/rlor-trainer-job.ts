import type { ContractSubject } from "../subject";

const trainingConfig = { baseModel: "accounts/platform/models/open-8b", epochs: 1 };
const inputs = {
  dataset: "accounts/acme/datasets/preferences",
  trainingConfig,
  rewardWeights: ["helpful=1.0", "short=0.5"],
};
const kept = { ...inputs, keepAlive: true };

export const rlorTrainerJob: ContractSubject = {
  kind: "RlorTrainerJob",
  inputs,
  chosen: { rlorTrainerJobId: "trainer" },
  other: { ...inputs, dataset: "accounts/acme/datasets/orders" },
  updates: [],
  recorded: {
    displayName: "Preferences",
    cloudS3Config: { credentialsSecret: "accounts/acme/secrets/storage" },
    blobStorageConfig: { tenantId: "tenant" },
    trackingConfig: { enabled: true, apiKey: "tracking-key", project: "preferences" },
    purpose: "PURPOSE_PILOT",
  },
  replacements: {
    rlorTrainerJobId: { to: "trainer-2" },
    accountId: { to: "beta" },
    triggers: { to: { data: "2" } },
    dataset: { to: "accounts/acme/datasets/orders" },
    evaluationDataset: { to: "accounts/acme/datasets/evaluation" },
    evalAutoCarveout: { to: true },
    trainingConfig: { to: { ...trainingConfig, epochs: 2 } },
    rewardWeights: { to: ["helpful=2.0"] },
    keepAlive: { to: true },
    rolloutDeploymentName: { to: "accounts/acme/deployments/rollout" },
    lossConfig: { to: { klBeta: 0.5, orpo: { lambda: 0.25 } } },
    nodeCount: { to: 2 },
    serviceMode: { to: true },
    hotLoadDeploymentId: { from: kept, to: "chat" },
    forwardOnly: { to: true },
    managedBy: { to: "a service" },
  },
  secret: (text) => ({ ...inputs, trackingConfig: { enabled: true, apiKey: text, project: "preferences" } }),
};

import * as pulumi from "@pulumi/pulumi";
import { Deployment, PolicySettings, Secret, SupervisedFineTuningJob, User } from "pulumi-modelplatform";

const config = new pulumi.Config();
const base = "accounts/platform/models/open-8b";

// What the account allows. It exists once and always, so the program says what a removal does.
const policy = new PolicySettings("policy", {
  defaultPermissions: {
    allowServerless: true,
    allowServerlessFast: false,
    allowDedicatedDeployments: true,
    allowTraining: true,
  },
  zeroDataRetention: { defaultEnforced: false, inference: { enforcement: "ENFORCED" } },
  onDelete: "clear",
  allowLoosening: true,
});

// Who may do what.
const ada = new User(
  "ada",
  { email: "ada@example.com", role: "contributor", displayName: "Ada" },
  { dependsOn: policy },
);
const grace = new User(
  "grace",
  { email: "grace@example.com", role: "inference-user", displayName: "Grace" },
  { dependsOn: policy },
);

// A credential. Its value is encrypted in state and never read back.
const storage = new Secret("storage", {
  keyName: "STORAGE_KEY",
  value: config.getSecret("storageKey") ?? pulumi.secret("only-for-the-emulator"),
});

// A model on accelerators; the service picks a validated shape that has them.
const chat = new Deployment(
  "chat",
  {
    baseModel: base,
    deploymentShape: "default",
    acceleratorType: "VENDOR1_H100_80GB",
    displayName: "Chat",
    minReplicaCount: 1,
    maxReplicaCount: 2,
    annotations: { "custom/team": "assistants" },
  },
  { dependsOn: policy },
);

// A training run, whose outcome is a model …
const tuning = new SupervisedFineTuningJob(
  "support",
  {
    baseModel: base,
    dataset: pulumi.interpolate`accounts/${policy.accountId}/datasets/support-tickets`,
    epochs: 2,
    learningRate: 0.0001,
    cloudS3Config: { credentialsSecret: storage.name },
  },
  { dependsOn: policy },
);

// … that a second deployment serves.
const support = new Deployment("support", {
  baseModel: tuning.outputModelName,
  deploymentShape: "default",
  acceleratorType: "VENDOR1_H100_80GB",
  acceleratorCount: 1,
  maxReplicaCount: 1,
});

export const users = [ada.name, grace.name];
export const chatDeployment = chat.name;
export const chatShape = chat.deploymentShape;
export const supportModel = tuning.outputModelName;
export const supportDeployment = support.name;

import * as pulumi from "@pulumi/pulumi";
import { Deployment, Secret, SupervisedFineTuningJob } from "pulumi-modelplatform";

const config = new pulumi.Config();

const storage = new Secret("storage", {
  keyName: "STORAGE_KEY",
  value: config.getSecret("storageKey") ?? pulumi.secret("only-for-the-emulator"),
});

// Another month is another run, and so another model. The old one stays until the new one serves.
const tuning = new SupervisedFineTuningJob("support", {
  baseModel: "accounts/platform/models/open-8b",
  dataset: config.get("dataset") ?? "accounts/demo/datasets/support-tickets",
  cloudS3Config: { credentialsSecret: storage.name },
  epochs: 2,
  triggers: { month: config.get("month") ?? "2026-01" },
});

// Nothing is deployed before there is a model: the reference to its name is the order.
const serving = new Deployment("support", {
  baseModel: tuning.outputModelName,
  deploymentShape: "default",
  minReplicaCount: 1,
  maxReplicaCount: 3,
});

export const model = tuning.outputModelName;
export const deployment = serving.name;

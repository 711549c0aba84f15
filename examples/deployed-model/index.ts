import * as pulumi from "@pulumi/pulumi";
import { DeployedModel, Deployment, SupervisedFineTuningJob } from "pulumi-modelplatform";

const config = new pulumi.Config();
const baseModel = "accounts/platform/models/open-8b";

const tuning = new SupervisedFineTuningJob("support", {
  baseModel,
  dataset: config.get("dataset") ?? "accounts/demo/datasets/support-tickets",
  epochs: 1,
  loraRank: 8,
});

// One deployment of the base model serves many adapters; it gets ready while the training runs.
const shared = new Deployment("shared", {
  baseModel,
  deploymentShape: "default",
  enableAddons: true,
  maxReplicaCount: 2,
});

const support = new DeployedModel("support", {
  model: tuning.outputModelName,
  deployment: shared.name,
  displayName: "Support",
  default: true,
});

export const deployment = shared.name;
export const queryAs = pulumi.interpolate`${support.model}#${support.deployment}`;

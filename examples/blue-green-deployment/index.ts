import * as pulumi from "@pulumi/pulumi";
import { DeployedModel, Deployment } from "pulumi-modelplatform";

const config = new pulumi.Config();
const model = config.get("model") ?? "accounts/platform/models/open-8b";
const candidate = config.get("candidate");

// Another base model needs another deployment. It is made beside this one,
// and this one goes when it is no longer asked.
const chat = new Deployment("chat", {
  baseModel: model,
  deploymentShape: "default",
  minReplicaCount: 1,
  maxReplicaCount: 2,
  drainTime: config.get("drainTime") ?? "30s",
  disableAutoDeploy: true,
});

// Moves from the old deployment to the new one in place, and is the default all the while.
const answering = new DeployedModel("chat", { model, deployment: chat.name, default: true });

// What may be next: asked by its full address only, and down to no replica when it is not asked.
if (candidate) {
  const trial = new Deployment("candidate", {
    baseModel: candidate,
    deploymentShape: "default",
    maxReplicaCount: 1,
    disableAutoDeploy: true,
  });
  new DeployedModel("candidate", { model: candidate, deployment: trial.name });
}

export const address = pulumi.interpolate`${answering.model}#${answering.deployment}`;

import { Deployment, SupervisedFineTuningJob } from "pulumi-modelplatform";

const tuning = new SupervisedFineTuningJob("support", {
  baseModel: "accounts/platform/models/open-8b",
  dataset: "accounts/demo/datasets/support-tickets",
  epochs: 2,
});
// Deployed once it is trained: the reference is the order.
const serving = new Deployment("support", {
  baseModel: tuning.outputModelName,
  deploymentShape: "default",
  maxReplicaCount: 2,
});
export const endpoint = serving.name;

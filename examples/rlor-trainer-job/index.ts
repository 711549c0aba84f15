import * as pulumi from "@pulumi/pulumi";
import { RlorTrainerJob, SupervisedFineTuningJob } from "pulumi-modelplatform";

const config = new pulumi.Config();

// First the tone, from examples …
const tone = new SupervisedFineTuningJob("tone", {
  baseModel: "accounts/platform/models/open-8b",
  dataset: config.get("examples") ?? "accounts/demo/datasets/support-tickets",
  epochs: 1,
});

// … then the judgement, from rewards: training continues from the model that the first job leaves behind.
const judgement = new RlorTrainerJob("judgement", {
  dataset: config.get("preferences") ?? "accounts/demo/datasets/preferences",
  trainingConfig: { warmStartFrom: tone.outputModelName, epochs: 1, learningRate: 0.00001, loraRank: 16 },
  rewardWeights: ["helpful=1.0", "concise=0.3"],
  lossConfig: { klBeta: 0.05 },
  nodeCount: 1,
});

export const model = judgement.outputModelName;
export const acceleratorSeconds = judgement.acceleratorSeconds;

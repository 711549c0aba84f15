import * as pulumi from "@pulumi/pulumi";
import { Secret, SupervisedFineTuningJob } from "pulumi-modelplatform";

const config = new pulumi.Config();

const storage = new Secret("storage", {
  keyName: "STORAGE_KEY",
  value: config.getSecret("storageKey") ?? pulumi.secret("only-for-the-emulator"),
});

const tuning = new SupervisedFineTuningJob("support", {
  baseModel: "accounts/platform/models/open-8b",
  dataset: config.get("dataset") ?? "accounts/demo/datasets/support-tickets",
  cloudS3Config: { credentialsSecret: storage.name },
  evalAutoCarveout: true,
  earlyStop: true,
  epochs: config.getNumber("epochs") ?? 2,
  learningRate: 0.0001,
  loraRank: 16,
  // A run that fails is started again, three times in all. Another month starts a new run.
  onFailure: "rerun",
  maxAttempts: 3,
  triggers: { month: config.get("month") ?? "2026-01" },
  timeouts: { create: "12h" },
});

export const model = tuning.outputModelName;
export const outcome = tuning.state;
export const cost = tuning.estimatedCost.apply(
  (money) => money && `${Number(money.units) + Number(money.nanos ?? 0) / 1e9} ${money.currencyCode}`,
);

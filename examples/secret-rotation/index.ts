import * as pulumi from "@pulumi/pulumi";
import { Secret, SupervisedFineTuningJob } from "pulumi-modelplatform";

const config = new pulumi.Config();

// The value is read from the environment when it is sent, and kept nowhere; state has a salted digest that tells a new
// one. The service never gives a value back: another version writes it again, whatever is there.
const storage = new Secret("storage", {
  keyName: "STORAGE_KEY",
  valueFrom: { env: "STORAGE_KEY" },
  valueVersion: config.get("rotation") ?? "2026-01",
});

// What uses the credential knows its name only, so a rotation does not touch it: nothing is trained again.
const tuning = new SupervisedFineTuningJob("support", {
  baseModel: "accounts/platform/models/open-1b",
  dataset: config.get("dataset") ?? "accounts/demo/datasets/support-tickets",
  cloudS3Config: { credentialsSecret: storage.name },
  epochs: 1,
});

export const secret = storage.name;
export const rotation = storage.valueVersion;
export const model = tuning.outputModelName;

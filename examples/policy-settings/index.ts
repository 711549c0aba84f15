import * as pulumi from "@pulumi/pulumi";
import { getModelOutput, PolicySettings } from "pulumi-modelplatform";

const config = new pulumi.Config();

const nothing = {
  allowServerless: false,
  allowServerlessFast: false,
  allowDedicatedDeployments: false,
  allowTraining: false,
};
const largest = getModelOutput({ accountId: "platform", modelId: "open-70b" });

const policy = new PolicySettings("policy", {
  defaultPermissions: {
    allowServerless: true,
    allowServerlessFast: false,
    allowDedicatedDeployments: true,
    allowTraining: true,
  },
  // A rule is a complete row: nothing of the defaults holds for a model that has one.
  rules: [{ model: largest.name, permissions: { ...nothing, allowServerless: true } }],
  residency: "EUROPE",
  // Requests leave no trace; training may keep its datasets and weights.
  zeroDataRetention: { defaultEnforced: true, training: { enforcement: "NOT_ENFORCED" } },
  // The settings are there as long as the account is. These two say what may happen to them.
  allowLoosening: config.getBoolean("allowLoosening") ?? true,
  onDelete: "restorePrevious",
});

export const name = policy.name;
export const since = policy.updateTime;

import * as pulumi from "@pulumi/pulumi";
import { PolicySettings, User } from "pulumi-modelplatform";

// The account is the stack's: `modelplatform:accountId`.
const config = new pulumi.Config();

export const policy = new PolicySettings("policy", {
  defaultPermissions: {
    allowServerless: true,
    allowServerlessFast: false,
    allowDedicatedDeployments: true,
    allowTraining: false,
  },
  residency: config.get<"APAC" | "EUROPE" | "US">("residency") ?? "EUROPE",
  zeroDataRetention: { defaultEnforced: true },
  onDelete: "restorePrevious",
  allowLoosening: true,
}).name;

export const auditor = new User("auditor", {
  email: config.get("auditor") ?? "audit@example.com",
  role: "inference-user",
}).name;

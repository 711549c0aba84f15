import type { ContractSubject } from "../subject";

const permissions = {
  allowServerless: true,
  allowDedicatedDeployments: true,
  allowTraining: true,
  allowServerlessFast: false,
};

const inputs = {
  defaultPermissions: permissions,
  rules: [{ model: "accounts/platform/models/open-8b", permissions }],
  residency: "EUROPE",
  zeroDataRetention: { defaultEnforced: false, inference: { enforcement: "ENFORCED" } },
  allowLoosening: true,
};

export const policySettings: ContractSubject = {
  kind: "PolicySettings",
  inputs,
  chosen: {},
  other: { ...inputs, residency: "US" },
  conflict: { residency: "US" },
  removable: { onDelete: "clear" },
  updates: [
    {
      changes: {
        residency: { to: "US", dropped: "cleared" },
        defaultPermissions: { to: { ...permissions, allowTraining: false }, dropped: "cleared" },
        rules: {
          to: [{ model: "accounts/platform/models/open-1b", permissions: { ...permissions, allowServerless: false } }],
          dropped: "cleared",
        },
        zeroDataRetention: {
          to: { defaultEnforced: true, training: { enforcement: "NOT_ENFORCED" } },
          dropped: "cleared",
        },
      },
    },
    {
      changes: { cmekRequired: { to: true, dropped: "kept" } },
      config: { apiKey: "superuser-key" },
      settings: { externalKeyReady: true },
    },
  ],
  replacements: { accountId: { to: "beta" } },
  drift: { zeroDataRetention: { defaultEnforced: false, inference: { enforcement: "NOT_ENFORCED" } } },
};

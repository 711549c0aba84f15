import type { ContractSubject } from "../subject";

const inputs = {
  model: "accounts/acme/models/support",
  deployment: "accounts/acme/deployments/chat",
  displayName: "Support",
};

export const deployedModel: ContractSubject = {
  kind: "DeployedModel",
  inputs,
  chosen: {},
  other: { ...inputs, model: "accounts/acme/models/search" },
  world: ["acme/deployments/chat", "acme/deployments/search", "beta/deployments/chat"].map((name) => ({
    name: `accounts/${name}`,
    baseModel: "accounts/platform/models/open-8b",
    state: "READY",
    enableAddons: true,
  })),
  updates: [
    {
      changes: {
        displayName: { to: "Help", dropped: "cleared" },
        description: { to: "Answers questions.", dropped: "cleared" },
        default: { to: false, dropped: "kept" },
        serverless: { to: true, dropped: "kept" },
        public: { to: true, dropped: "kept" },
        model: { to: "accounts/acme/models/search" },
        deployment: { to: "accounts/acme/deployments/search" },
      },
    },
  ],
  replacements: { accountId: { to: "beta", with: { deployment: "accounts/beta/deployments/chat" } } },
  drift: { displayName: "Changed" },
};

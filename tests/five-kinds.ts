import type { Values } from "./values";

const baseModel = "accounts/platform/models/open-8b";

/** Nobody waits for half an hour of training. */
const submitted = { waitFor: "submitted" };

/** Collections and inputs of kinds with each sort of id: automatic ones, keys, and ones that follow from a key. */
export function fiveKinds(account: string): Record<string, { collection: string; inputs(index: number): Values }> {
  const dataset = `accounts/${account}/datasets/support`;
  return {
    User: { collection: "users", inputs: (index) => ({ email: `n${index}@example.com`, role: "user" }) },
    Secret: { collection: "secrets", inputs: (index) => ({ keyName: `KEY_${index}`, value: "hunter2" }) },
    Deployment: { collection: "deployments", inputs: () => ({ baseModel, deploymentShape: "default" }) },
    SupervisedFineTuningJob: {
      collection: "supervisedFineTuningJobs",
      inputs: () => ({ dataset, baseModel, ...submitted }),
    },
    RlorTrainerJob: {
      collection: "rlorTrainerJobs",
      inputs: () => ({ dataset, trainingConfig: { baseModel }, ...submitted }),
    },
  };
}

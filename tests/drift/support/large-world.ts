import type { Emulator } from "../../../emulator/index";
import type { Values } from "../../values";
import type { RecordedResource } from "./stacks";

/** Objects per account, by kind. */
export interface Mix {
  deployments: number;
  users: number;
  models: number;
  secrets: number;
}

const base = "accounts/platform/models/open-8b";
const time = "2026-01-01T00:00:00Z";

const makers: Readonly<Record<keyof Mix, { kind: string; inputs: (index: number) => Values; fields: Values }>> = {
  deployments: {
    kind: "Deployment",
    inputs: (index) => ({ baseModel: base, maxReplicaCount: 2, displayName: `Deployment ${index}` }),
    fields: { state: "READY" },
  },
  users: {
    kind: "User",
    inputs: (index) => ({ email: `user-${index}@example.com`, role: "user" }),
    fields: { state: "READY" },
  },
  models: {
    kind: "Model",
    inputs: () => ({ kind: "HUB_PEFT_ADDON", peftDetails: { baseModel: base, r: 8, targetModules: ["q"] } }),
    fields: { state: "READY" },
  },
  secrets: { kind: "Secret", inputs: (index) => ({ keyName: `KEY_${index}` }), fields: {} },
};

export const sizeOf = (mix: Mix): number => Object.values(mix).reduce((sum, count) => sum + count, 0);

/**
 * Fills accounts, and gives what a stack records of each. The first `spoilt`
 * deployments of each account differ from their record.
 */
export function fill(emulator: Emulator, accounts: readonly string[], mix: Mix, spoilt: number): RecordedResource[] {
  return accounts.flatMap((account) =>
    (Object.keys(mix) as (keyof Mix)[]).flatMap((collection) => {
      const { kind, inputs, fields } = makers[collection];
      return Array.from({ length: mix[collection] }, (_, index) => {
        const name = `accounts/${account}/${collection}/o${String(index).padStart(5, "0")}`;
        const given = inputs(index);
        const live = { name, ...given, ...fields, createTime: time, updateTime: time };
        emulator.world.put({
          kind,
          name,
          fields: collection === "deployments" && index < spoilt ? { ...live, maxReplicaCount: 7 } : live,
        });
        return { kind, inputs: given, live };
      });
    }),
  );
}

import type { ResourceSpec } from "../core/declaration/resource";
import type { KindHooks } from "./hooks";
import { policySettings } from "./policy-settings";
import { secret } from "./secret";
import { user } from "./user";

const kinds: Readonly<Record<string, KindHooks>> = {
  PolicySettings: policySettings,
  Secret: secret,
  User: user,
};

const none: KindHooks = {};

/** What a kind does beyond what its declaration says. */
export const hooksOf = ({ kind }: Pick<ResourceSpec, "kind">): KindHooks => kinds[kind] ?? none;

import type { ResourceSpec } from "../core/declaration/resource";
import type { KindHooks } from "./hooks";
import { policySettings } from "./policy-settings";

const kinds: Readonly<Record<string, KindHooks>> = {
  PolicySettings: policySettings,
};

const none: KindHooks = {};

/** What a kind does beyond what its declaration says. */
export const hooksOf = ({ kind }: Pick<ResourceSpec, "kind">): KindHooks => kinds[kind] ?? none;

import { optionsIn } from "../core/declaration/own-fields";
import type { KindHooks } from "./hooks";

const leastAccess = { role: "inference-user" };

export const user: KindHooks = {
  onUndeletable(recorded) {
    switch (optionsIn(recorded).onDeleteUnsupported) {
      case "abandon":
        return { outcome: "it stays on the service" };
      case "demote":
        return { update: leastAccess, outcome: `it now has ${JSON.stringify(leastAccess)}` };
      default:
        return { option: '`onDeleteUnsupported: "abandon"`' };
    }
  },
};

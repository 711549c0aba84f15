import { failedPrecondition, permissionDenied } from "../refusals";
import type { Service } from "./service";

/** Only a platform superuser changes `cmekRequired`, and only where there is a key of the customer's (A061). */
export const policySettings: Service = {
  update: ({ before, after, changed }, { caller, settings }) => {
    const changes =
      changed.has("cmekRequired") &&
      (before.fields["cmekRequired"] === true) !== (after.fields["cmekRequired"] === true);
    if (!changes) return after;
    if (caller.role !== "superuser")
      throw permissionDenied("`cmekRequired` can be changed by a platform superuser only");
    if (after.fields["cmekRequired"] === true && !settings.externalKeyReady)
      throw failedPrecondition("`cmekRequired` needs a primary external key that is READY");
    return after;
  },
};

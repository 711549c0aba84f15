import { z } from "../zod";
import { Duration } from "./atoms";
import { closedEnum, field, immutable, providerOption } from "./fields";

/** What every resource takes besides its own fields. */
export const commonInputs = {
  accountId: field(immutable(z.string()), { default: "the provider's account", example: "acme" })
    .optional()
    .describe("Account that the object lives in."),
  acceptDrift: providerOption(z.string())
    .optional()
    .describe(
      "Accepts drift in fields that the program does not set, or an object that was recreated under the same name. Refreshes, `up` and `npx pulumi-modelplatform drift` print the value to set; it accepts the drift that they showed, and no later drift. One text may hold the values for many objects, with spaces between them.",
    ),
  adopt: field(
    providerOption(
      closedEnum({
        never: "Fails, and names the existing object.",
        ifEqual: "Adopts the object if it equals the program, and fails otherwise.",
        overwrite: "Adopts the object, and updates it to match the program.",
      }),
    ),
    {
      default: "`never`; for the settings of an account, `ifEqual`",
    },
  )
    .optional()
    .describe(
      "What to do with an existing object: one in the account that has the chosen id or the natural key (such as the e-mail address of a user) of this resource, and that this resource did not create. Fail (`never`), adopt it if it equals the program and fail otherwise (`ifEqual`), or adopt it and update it to match (`overwrite`). Inputs whose change would replace the resource have to agree in any case. An adopted object stays when its resource is removed.",
    ),
  deletionProtection: field(providerOption(z.boolean()), {
    default: "the provider's `deletionProtection`, else `false`",
  })
    .optional()
    .describe(
      "Whether to refuse to delete or replace the object. To lift it, set this to `false` and run `up` before the change that deletes.",
    ),
  immutable: field(providerOption(z.array(z.string())), { namesFields: true, example: ["displayName"] })
    .optional()
    .describe(
      "Names of fields that this service ignores in updates. A change of one of them then replaces the resource.",
    ),
  timeouts: field(
    providerOption(
      z.strictObject({
        create: Duration.optional().describe("How long create may wait until the object is ready."),
        update: Duration.optional().describe("How long update may wait until the object is ready again."),
        delete: Duration.optional().describe("How long delete may wait until the object is gone."),
      }),
    ),
    { default: "the resource option `customTimeouts`, else {timeouts}" },
  )
    .optional()
    .describe(
      "How long each operation may wait before it fails. An object that is not ready in time stays in the state, unless the resource says otherwise (`onTimeout`).",
    ),
};

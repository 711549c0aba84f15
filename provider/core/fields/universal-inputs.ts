import { z } from "zod";
import { Duration } from "./atoms";
import { behaviour, field, immutable } from "./fields";

/** What every resource takes besides its own fields. */
export const commonInputs = {
  accountId: field(immutable(z.string()), { default: "the provider's account", example: "acme" })
    .optional()
    .describe("Account that the object lives in."),
  acceptDrift: behaviour(z.string())
    .optional()
    .describe(
      "Accepts drift in fields that the program does not set: the live values become the recorded ones. A refresh, `up` and `npx pulumi-modelplatform drift` name the text to give; it holds once, for the drift that they have shown and for none that comes later.",
    ),
  adopt: field(behaviour(z.enum(["never", "ifEqual", "overwrite"])), {
    default: "`never`, or `ifEqual` for settings that exist once per account",
  })
    .optional()
    .describe(
      "Whether to adopt an object that already exists: `never`, `ifEqual` to what the program declares, or `overwrite` it with that.",
    ),
  deletionProtection: field(behaviour(z.boolean()), { default: "the setting `deletionProtection`, else `false`" })
    .optional()
    .describe(
      "Whether to refuse to delete the object, also for a replacement, until an `up` of its own has set this to `false`.",
    ),
  immutable: field(behaviour(z.array(z.string())), { namesFields: true, example: ["precision"] })
    .optional()
    .describe(
      "Names of fields that this service accepts in an update and does not change: a change of one of them replaces the resource.",
    ),
  timeouts: behaviour(
    z.strictObject({
      create: Duration.optional().describe("How long create may wait until the object is ready."),
      update: Duration.optional().describe("How long update may wait until the object is ready again."),
      delete: Duration.optional().describe("How long delete may wait until the object is gone."),
    }),
  )
    .optional()
    .describe(
      "How long each operation may wait before it fails. An object that is not ready in time stays recorded in state.",
    ),
};

import { z } from "zod";
import { Duration } from "./atoms";
import { behaviour, field, immutable } from "./fields";

/** What every resource takes besides its own fields. */
export const commonInputs = {
  accountId: immutable(z.string())
    .optional()
    .describe("Account that the object lives in. Default: the provider's account. A change replaces the object."),
  acceptDrift: behaviour(z.string())
    .optional()
    .describe(
      "Accepts changes that were made behind the program's back, in fields that it does not set, as they are live. A refresh, `up` and `npx pulumi-modelplatform drift` name the word to give; it holds once, for what they have shown, and for nothing that comes later.",
    ),
  adopt: behaviour(z.enum(["never", "ifEqual", "overwrite"]))
    .optional()
    .describe(
      "Whether an object that already exists is taken over: not at all, if it is as declared, or made as declared. Default: `never`; for settings that exist once per account `ifEqual`.",
    ),
  deletionProtection: behaviour(z.boolean())
    .optional()
    .describe(
      "Refuses to delete the object, also for a replacement, until an `up` of its own has set this to `false`. Default: the setting `deletionProtection`, else `false`.",
    ),
  immutable: field(behaviour(z.array(z.string())), { namesFields: true })
    .optional()
    .describe(
      "Fields that this service accepts and does not change in place: a change of one of them replaces the object (A033).",
    ),
  timeouts: behaviour(
    z.strictObject({
      create: Duration.optional().describe("For create, such as `45m`."),
      update: Duration.optional().describe("For update."),
      delete: Duration.optional().describe("For delete."),
    }),
  )
    .optional()
    .describe("How long each operation may wait before it fails; the object stays recorded."),
};

import { Text } from "../fields/atoms";
import { field } from "../fields/fields";
import { z } from "../zod";
import type { ResourceSpec } from "./resource";

const accountId = field(Text, { default: "the default account", example: "acme" })
  .optional()
  .describe("Account whose objects to list.");
const filter = field(Text, { default: "all objects", example: 'state="READY"' })
  .optional()
  .describe("Which objects to list, in AIP-160 syntax.");

/** Arguments for listing the objects of a kind. Kinds that exist once per account take no filter. */
export const listingInputs = ({ singleton }: ResourceSpec): z.ZodObject =>
  z.strictObject(singleton ? { accountId } : { accountId, filter });

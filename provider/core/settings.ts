import { z } from "zod";
import type { DialectTable } from "./dialect-table";
import { fieldsOf, secret } from "./fields";
import { snakeCase } from "./names";
import { packageName } from "./tokens";

/** Where the key of an account comes from, and where it goes. */
const AccountKey = z
  .strictObject({
    apiKey: secret(z.string()).optional().describe("The key itself."),
    keyCommand: z.array(z.string()).optional().describe("Command that prints the key, with its arguments."),
    baseUrl: z.string().optional().describe("Where this key's requests go, if not to the default."),
  })
  .meta({ id: "AccountKey", description: "Key of one account: `apiKey` or `keyCommand`." });

/** `off`, or another path or id parameter, for an operation whose place is a convention (A001). */
type OperationOverride = "off" | { path?: string; idParam?: string };

const anything = z.unknown();

/** What a stack's config and an explicit provider may set; what only the environment has is not here. */
export const settings = z.strictObject({
  apiKey: secret(z.string()).optional().describe("Bearer key of the default account."),
  accountId: z.string().optional().describe("Default account: the last segment of `accounts/<account id>`."),
  baseUrl: z.string().optional().describe("Address of the service: https, or http on this machine."),
  accounts: secret(z.record(z.string(), AccountKey)).optional().describe("Keys of more accounts, by account."),
  requestsPerSecond: z
    .number()
    .optional()
    .describe(
      "Most requests per second and account. Default: no ceiling but the one that the service shows by refusing.",
    ),
  preflight: z
    .boolean()
    .optional()
    .describe(
      "Whether a preview reads policy, models and shapes, and refuses what the service would refuse. Default: false.",
    ),
  recover: z
    .enum(["ask", "take", "new"])
    .optional()
    .describe(
      "What to do with an object that an interrupted run may have left behind: fail and name it, take it over, or make another. Default: `ask`.",
    ),
  allowEndpointChange: z
    .boolean()
    .optional()
    .describe(
      "Whether recorded objects may be looked for at another address than the one they were made at. Default: false.",
    ),
  deletionProtection: z
    .boolean()
    .optional()
    .describe("Whether objects are protected from deletion where their resource does not say. Default: false."),
  ownershipMarker: z
    .boolean()
    .optional()
    .describe(
      "Whether deployments carry the stack and the resource that they belong to among their annotations, so that other stacks and machines know whose they are. Default: false.",
    ),
  intents: z
    .string()
    .optional()
    .describe(
      "Folder for notes about creates that are under way, kept between the runs of a pipeline; a relative path is one below the project's folder. Default: a folder of the user's.",
    ),
  dialect: (z.string() as unknown as z.ZodType<string | Partial<DialectTable>>)
    .optional()
    .describe(
      "How the service spells fields and values that this package calls by neutral words: the path of a JSON file, or the JSON itself, `{ fields: { ours: theirs }, values: { ours: theirs } }`.",
    ),
  updateMask: z
    .enum(["snake", "camel", "off"])
    .optional()
    .describe(
      "How an update says which fields change: in snake case, in camel case, or not at all, for a service that has no mask. Default: `snake`.",
    ),
  patchBody: z
    .enum(["full", "minimal"])
    .optional()
    .describe(
      "What the body of an update holds: everything that is known to belong there, which is right for every service, or required and changed fields alone. Default: `full`.",
    ),
  operations: z
    .record(z.string(), anything as unknown as z.ZodType<OperationOverride>)
    .optional()
    .describe("Paths of operations that this service spells differently, by operation: `{ path, idParam }`, or `off`."),
});

export const settingFields = fieldsOf(settings);

export const settingKey = (name: string): string => `${packageName}:${name}`;

/** The environment variable of a setting; overriding operations takes more than a variable can say. */
export const settingVariable = (name: string): string | undefined =>
  name === "operations" ? undefined : `MODELPLATFORM_${snakeCase(name).toUpperCase()}`;

import { TextField } from "../fields/atoms";
import { type Field, field, fieldsOf } from "../fields/fields";
import { z } from "../zod";
import { recordNames } from "./own-records";
import type { ResourceSpec } from "./resource";

/** The fields of a kind that a program sets, reads from a resource, and gets from a function. */

/** Records of this provider that every resource shows besides the service's fields. */
export const readableRecords = z.object({
  accountId: field(z.string(), { derivedFrom: { template: "{account}" } }).describe(
    "Account that the object lives in.",
  ),
  endpoint: z
    .string()
    .describe("Origin of the service that the object was created at, such as `https://api.example.com`."),
  managedFields: z
    .array(z.string())
    .describe("Paths of the fields that the program sets, in Pulumi's property-path syntax."),
  adopted: z
    .boolean()
    .optional()
    .describe("Whether the object existed before and was taken over. It then stays when the resource is removed."),
});

/** Everything that a program may set. */
export const inputFields = (spec: ResourceSpec): readonly Field[] => fieldsOf(spec.inputs);

/**
 * Everything that a program may read from a resource. What the service sets may be absent; what this provider makes
 * never is.
 */
export function outputFields(spec: ResourceSpec): readonly Field[] {
  const { message, outputs, behaviours, directives, resourceId } = spec.fields;
  const isCreated = (each: Field): boolean => each === resourceId || Object.hasOwn(spec.derived, each.name);
  const all = [
    ...(resourceId ? [resourceId] : []),
    ...outputs,
    ...message,
    ...behaviours,
    ...directives,
    ...fieldsOf(readableRecords),
  ];
  return all
    .filter(({ markers }) => !markers.volatile)
    .map((each) => (isCreated(each) ? { ...each, required: true } : each));
}

/** What is there to be read only where the program gave it: nothing else sets it. */
export const ownOptions = ({ fields: { behaviours, directives } }: ResourceSpec): readonly Field[] =>
  [...behaviours, ...directives].filter(({ markers }) => markers.behaviour?.default === undefined);

/** What an object is that functions answer. */
export const observedSummary = ({ kind, summary }: ResourceSpec): string =>
  `An object of kind \`${kind}\` as the service returns it. ${summary}`;

/** An object as the service answers it: nothing that this provider adds, and nothing that is never answered. */
export function observedFields({ fields, derived }: ResourceSpec): readonly Field[] {
  const added = new Set<string>([...recordNames, ...Object.keys(derived)]);
  const isAnswered = ({ name, markers }: Field): boolean => !markers.inputOnly && !added.has(name);
  return [...fields.outputs, ...fields.message].filter(isAnswered);
}
const accountId = field(TextField, { default: "the default account", example: "acme" })
  .optional()
  .describe("Account whose objects to list.");
const filter = field(TextField, { default: "all objects", example: 'state="READY"' })
  .optional()
  .describe("Which objects to list, in AIP-160 syntax.");

/** Arguments for listing the objects of a kind. Kinds that exist once per account take no filter. */
export const listingInputs = ({ singleton }: ResourceSpec): z.ZodObject =>
  z.strictObject(singleton ? { accountId } : { accountId, filter });

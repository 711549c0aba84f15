import { TextField } from "../fields/atoms";
import { type Field, field, fieldsOf } from "../fields/fields";
import type { Derivation } from "../fields/markers";
import { fillTemplate, isSegment } from "../values/names";
import { type Values, valueAt } from "../values/values";
import { z } from "../zod";
import { recordNames } from "./own-fields";
import type { ResourceSpec } from "./resource";

/** What identifies an object: its account, its own id, and its whole name where that is known. */
interface Own {
  account: string;
  id: string;
  name?: string;
}

/** The value of an output that follows from the object's name and `fields`; undefined where they make none. */
export function valueFollowing({ template, from }: Derivation, own: Own, fields: Values): string | undefined {
  if (from === undefined) return fillTemplate(template, { ...own });
  const value = from
    .map((path) => (path === "id" ? own.id : valueAt(fields, path)))
    .find((candidate) => typeof candidate === "string" && candidate !== "");
  if (typeof value !== "string") return undefined;
  if (value.startsWith("accounts/")) return value;
  return isSegment(value) ? fillTemplate(template, { account: own.account, value }) : undefined;
}

/** The fields of a kind that a program sets, reads from a resource, and gets from a function. */

/** Records of this provider that every resource shows besides the service's fields. */
export const readableRecords = z.object({
  accountId: field(z.string(), { follows: { template: "{account}" } }).describe("Account that the object lives in."),
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

/** What a function answers: one object of a kind, all of a collection, or a message of its own. */
export type FunctionResult = { one: string } | { all: string; as: string } | { message: z.ZodObject };

/** A function that programs can call. Its arguments are an operation's parameters and body, by name. */
export interface FunctionSpec {
  summary: string;
  /** Catalogue name of the operation, where it is not the function's own. */
  operation?: string;
  inputs: z.ZodObject;
  /** Kind whose inputs are arguments too; they are the message in the body. */
  inputsOfKind?: string;
  /** Query parameters that are always sent. */
  fixed?: Readonly<Record<string, boolean>>;
  answer: FunctionResult;
  /** Arguments of a call that shows what the function is for. */
  example: Readonly<Record<string, unknown>>;
}

/** A function with everything that its declaration refers to. */
interface FunctionShape {
  /** Judges arguments. */
  arguments: z.ZodObject;
  /** Fields of the answer. */
  outputs: readonly Field[];
}

export function functionShape(spec: FunctionSpec, specOf: (kind: string) => ResourceSpec | undefined): FunctionShape {
  const kind = (name: string): ResourceSpec => specOf(name)!;
  return {
    arguments: spec.inputsOfKind === undefined ? spec.inputs : kind(spec.inputsOfKind).inputs.extend(spec.inputs.shape),
    outputs: outputsOf(spec.answer, kind),
  };
}

function outputsOf(answer: FunctionResult, kind: (name: string) => ResourceSpec): readonly Field[] {
  if ("message" in answer) return fieldsOf(answer.message);
  if ("one" in answer) return observedFields(kind(answer.one));
  const [list, totalSize] = fieldsOf(
    z.object({
      [answer.as]: z
        .array(z.looseObject({}).meta({ id: `Observed${answer.all}` }))
        .describe("The objects, of all pages."),
      totalSize: z.int().optional().describe("How many objects there are, as the service counts them."),
    }),
  ) as [Field, Field];
  const spec = kind(answer.all);
  const item = { ...list.item!, description: observedSummary(spec), fields: observedFields(spec) };
  return [{ ...list, item }, totalSize];
}

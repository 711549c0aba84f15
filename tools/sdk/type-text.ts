import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import type { TypeNames } from "../../provider/core/fields/type-names";
import { inputFacts, outputFacts } from "../../provider/core/schema/facts";
import { comment, documentationOf, wrapTypeArguments } from "./layout";

/** Where a type stands: among what a program gives, now or later, or among what it gets. */
export type Position = "input" | "plain" | "output";

/** How the types of fields are written. Messages and enums are referred to by `input.`, `output.` and `enums.`. */
export interface TypeTexts {
  /** The type of a field's value, by itself. */
  valueOf(field: Field, position: Position): string;
  /** The same with what else may stand there: nothing, `null`, a value that is known later. */
  memberOf(field: Field, position: Position): string;
}

const scalars: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  any: "unknown",
  object: "Record<string, unknown>",
};

/** The name of a message where a program gives values that may be known later. */
export const argsName = (name: string): string => `${name}Args`;

export function typeTexts(names: TypeNames): TypeTexts {
  const later = (type: string, position: Position): string => (position === "input" ? `pulumi.Input<${type}>` : type);

  function valueOf(field: Field, position: Position): string {
    if (field.markers.inputType !== undefined && position !== "output") return field.markers.inputType;
    if (field.type === "array") return `${inParentheses(later(valueOf(field.item!, position), position))}[]`;
    if (field.type === "map") return mapOf(field, later(valueOf(field.item!, position), position), position);
    const name = names.nameOf(field);
    if (name === undefined) return literals(field) ?? scalars[field.type]!;
    if (field.type !== "object") return orOther(`enums.${name}`, field.closed);
    if (position === "output") return `output.${name}`;
    return `input.${position === "input" ? argsName(name) : name}`;
  }

  function memberOf(field: Field, position: Position): string {
    const value = valueOf(field, position);
    if (position === "output") return field.required ? value : orNothing(value, "undefined");
    const nothing = [...(field.nullable ? ["null"] : []), ...(field.required ? [] : ["undefined"])];
    return later(orNothing(value, ...nothing), position);
  }

  return { valueOf, memberOf };
}

/** Where the keys are known, a program can only give those; a service may answer others. */
function mapOf({ markers: { knownKeys } }: Field, value: string, position: Position): string {
  if (knownKeys === undefined || position === "output") return `Record<string, ${value}>`;
  return `Partial<Record<${enumValues(knownKeys).join(" | ")}, ${value}>>`;
}

const orNothing = (type: string, ...nothing: string[]): string =>
  type === "unknown" ? type : [type, ...nothing].join(" | ");

const inParentheses = (type: string): string => (/^[\w.]+(<.*>)?$/.test(type) ? type : `(${type})`);

/** The values of an enum that has no name, being of one value. */
const literals = ({ values, closed }: Field): string | undefined =>
  values && orOther(enumValues(values).join(" | "), closed);

/** The values of an enum as a type writes them. */
export const enumValues = (values: readonly string[]): string[] => values.map((value) => JSON.stringify(value));

/** An enum that may grow takes any text, and its values are offered anyway. */
const orOther = (type: string, isClosed: boolean): string => (isClosed ? type : `${type} | (string & {})`);

const exampleTimes: Readonly<Record<string, string>> = { "date-time": "2030-01-31T00:00:00Z", int64: "8000000000" };

/** The members of an interface, documented. `spec` is the kind whose rules hold for them. */
export const members = (fields: readonly Field[], position: Position, types: TypeTexts, spec?: ResourceSpec): string =>
  fields.map((field) => member(field, position, types, spec)).join("");

function member(field: Field, position: Position, types: TypeTexts, spec?: ResourceSpec): string {
  const type = types.memberOf(field, position);
  if (position === "output")
    return `${comment(documentationOf(field, outputFacts(field)), "  ")}${wrapTypeArguments(`  ${field.name}: ${type};`)}\n`;
  const text = comment(documentationOf(field, inputFacts(field, spec), exampleOf(field, spec)), "  ");
  return `${text}${wrapTypeArguments(`  ${field.name}${field.required ? "" : "?"}: ${type};`)}\n`;
}

/** A value as a program writes it, where a value has a form. */
function exampleOf(field: Field, spec?: ResourceSpec): unknown {
  const { example, sameAs, refersTo, resourceId } = field.markers;
  const own =
    field.path === field.name ? (spec?.example as Record<string, unknown> | undefined)?.[field.name] : undefined;
  if (example !== undefined) return example;
  if (typeof own === "string") return own;
  if (sameAs === "duration") return "45m";
  if (refersTo !== undefined) return `accounts/acme/${refersTo.collection}/example`;
  if (resourceId) return "example";
  return field.format === undefined ? undefined : exampleTimes[field.format];
}

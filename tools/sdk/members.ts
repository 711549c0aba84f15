import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { inputFacts, outputFacts } from "../../provider/core/schema/facts";
import { comment, documentationOf } from "./comment";
import { fitted } from "./layout";
import type { Position, TypeTexts } from "./type-text";

const exampleTimes: Readonly<Record<string, string>> = { "date-time": "2030-01-31T00:00:00Z", int64: "8000000000" };

/** The members of an interface, documented. `spec` is the kind whose rules hold for them. */
export const members = (fields: readonly Field[], position: Position, types: TypeTexts, spec?: ResourceSpec): string =>
  fields.map((field) => member(field, position, types, spec)).join("");

function member(field: Field, position: Position, types: TypeTexts, spec?: ResourceSpec): string {
  const type = types.memberOf(field, position);
  if (position === "output")
    return `${comment(documentationOf(field, outputFacts(field)), "  ")}${fitted(`  ${field.name}: ${type};`)}\n`;
  const text = comment(documentationOf(field, inputFacts(field, spec), exampleOf(field, spec)), "  ");
  return `${text}${fitted(`  ${field.name}${field.required ? "" : "?"}: ${type};`)}\n`;
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

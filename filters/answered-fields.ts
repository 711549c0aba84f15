import type { ResourceSpec } from "../provider/core/declaration/resource";
import type { Field } from "../provider/core/fields/fields";
import { closest } from "../provider/core/values/did-you-mean";
import { camelCase, snakeCase } from "../provider/core/values/names";
import { memoizeByKey } from "../provider/core/values/once";

/** One step of a path as a request spells it. `at` is its position in the text, from 1. */
export interface PathStep {
  text: string;
  at: number;
}

/**
 * The fields of an object in a response, which filters, orders and masks may name. Leaves out input-only fields at any
 * depth.
 */
export const answeredFields = memoizeByKey(({ fields }: ResourceSpec): readonly Field[] =>
  withoutInputs([...fields.outputs, ...fields.message]),
);

const withoutInputs = (fields: readonly Field[]): readonly Field[] =>
  fields
    .filter((field) => !field.markers.inputOnly)
    .map((field) => (field.fields ? { ...field, fields: withoutInputs(field.fields) } : field));

/** The member that `text` names in snake_case or, unless `snakeOnly`, in camelCase (A095). */
export function memberNamed(fields: readonly Field[], text: string, snakeOnly = false): Field | undefined {
  const camel = camelCase(text);
  return fields.find((field) =>
    snakeOnly ? snakeCase(field.name) === text : field.name === text || field.name === camel,
  );
}

/** Message for a name that is not a field: the name, its position, and the field it may mean. */
export function unknownMember(fields: readonly Field[], step: PathStep): string {
  const known = fields.map((field) => snakeCase(field.name));
  const near = closest(snakeCase(step.text), known);
  return `unknown field \`${step.text}\` at character ${step.at}${near === undefined ? "" : `; did you mean \`${near}\`?`}`;
}

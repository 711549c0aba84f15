import { oncePer } from "../values/once";
import type { Segment } from "../values/paths";
import type { Field } from "./fields";

/** A kind, as far as its places are concerned. */
interface Placed {
  readonly fields: { readonly message: readonly Field[] };
}

/** Fields by their names. */
export const fieldsByName = oncePer(
  (fields: readonly Field[]): ReadonlyMap<string, Field> => new Map(fields.map((field) => [field.name, field])),
);

/** The declared field at a place of an object that a program may set; undefined where nothing is declared there. */
export function fieldAt(spec: Placed | undefined, [first, ...rest]: readonly Segment[]): Field | undefined {
  const top = spec?.fields.message.find(({ name }) => name === first);
  const along = top ? fieldsAlong(top, rest) : [];
  return along.length === rest.length + 1 ? along.at(-1) : undefined;
}

/** The declared fields on the way to a place: members of messages, and the items of lists and maps. */
export function fieldsAlong(field: Field, [first, ...rest]: readonly Segment[]): Field[] {
  if (first === undefined) return [field];
  const next = field.fields?.find(({ name }) => name === first) ?? field.item;
  return next ? [field, ...fieldsAlong(next, rest)] : [field];
}

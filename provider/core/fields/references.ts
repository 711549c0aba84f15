import { isObject, type Values } from "../values/values";
import type { Field } from "./fields";

/** A place where an object names another one. */
interface ObjectReference {
  field: Field;
  /** As it stands there: a resource name, or what a program may give instead. */
  name: string;
}

/** Whether a field, or something in it, names another object. */
export const isReferring = (field: Field): boolean =>
  field.markers.refersTo !== undefined ||
  (field.fields ?? []).some(isReferring) ||
  (field.item !== undefined && isReferring(field.item));

/** What `values` name in these fields, and in the members and entries of them. */
export function* referencesIn(fields: readonly Field[], values: Values): Generator<ObjectReference> {
  for (const field of fields) yield* within(field, values[field.name]);
}

function* within(field: Field, value: unknown): Generator<ObjectReference> {
  if (typeof value === "string") {
    if (field.markers.refersTo !== undefined) yield { field, name: value };
    return;
  }
  if (!isObject(value) && !Array.isArray(value)) return;
  if (field.fields && isObject(value)) yield* referencesIn(field.fields.filter(isReferring), value);
  else if (field.item) for (const entry of Object.values(value)) yield* within(field.item, entry);
}

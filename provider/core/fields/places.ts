import { memoizeByKey } from "../values/once";
import type { Segment } from "../values/paths";
import { isObject, type Values } from "../values/values";
import type { Field } from "./fields";

/** A kind, as far as its places are concerned. */
interface WithFields {
  readonly fields: { readonly message: readonly Field[] };
}

/** Fields by their names. */
export const fieldsByName = memoizeByKey(
  (fields: readonly Field[]): ReadonlyMap<string, Field> => new Map(fields.map((field) => [field.name, field])),
);

/** The declared field at a place of an object that a program may set; undefined where nothing is declared there. */
export function fieldAtPath(spec: WithFields | undefined, [first, ...rest]: readonly Segment[]): Field | undefined {
  const top = spec?.fields.message.find(({ name }) => name === first);
  const along = top ? fieldsOnPath(top, rest) : [];
  return along.length === rest.length + 1 ? along.at(-1) : undefined;
}

/** The declared fields on the way to a place: members of messages, and the items of lists and maps. */
export function fieldsOnPath(field: Field, [first, ...rest]: readonly Segment[]): Field[] {
  if (first === undefined) return [field];
  const next = field.fields?.find(({ name }) => name === first) ?? field.item;
  return next ? [field, ...fieldsOnPath(next, rest)] : [field];
}

/** A place where an object names another one. */
interface ObjectReference {
  field: Field;
  path: readonly Segment[];
  /** As it stands there: a resource name, or what a program may give instead. */
  name: string;
}

/** Whether a field, or something in it, names another object. */
export const isReferring = (field: Field): boolean =>
  field.markers.refersTo !== undefined ||
  (field.fields ?? []).some(isReferring) ||
  (field.item !== undefined && isReferring(field.item));

/** What `values` name in these fields, and in the members and entries of them. */
export function* referencesIn(
  fields: readonly Field[],
  values: Values,
  at: readonly Segment[] = [],
): Generator<ObjectReference> {
  for (const field of fields) yield* within(field, values[field.name], [...at, field.name]);
}

function* within(field: Field, value: unknown, path: readonly Segment[]): Generator<ObjectReference> {
  if (typeof value === "string") {
    if (field.markers.refersTo !== undefined) yield { field, path, name: value };
    return;
  }
  if (!isObject(value) && !Array.isArray(value)) return;
  if (field.fields && isObject(value)) yield* referencesIn(field.fields.filter(isReferring), value, path);
  else if (field.item)
    for (const [key, entry] of Object.entries(value))
      yield* within(field.item, entry, [...path, Array.isArray(value) ? Number(key) : key]);
}

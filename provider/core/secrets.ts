import type { ResourceSpec } from "./declaration/resource";
import type { Field } from "./fields/fields";
import { memoizeByKey } from "./values/once";

export const containsSecret = (field: Field): boolean =>
  field.markers.secret === true ||
  (field.fields ?? []).some(containsSecret) ||
  (field.item !== undefined && containsSecret(field.item));

/** Digests tell whether two values are equal, and what was there before may hold what is secret now. */
const secretRecords = ["digests", "previous"];

/** Top-level properties of a kind that are ciphertext in state: the engine marks secrets by these names alone. */
export const secretProperties = memoizeByKey((spec: ResourceSpec): ReadonlySet<string> => {
  const { message, outputs, behaviours } = spec.fields;
  const own = [...message, ...outputs, ...behaviours].filter(containsSecret).map((field) => field.name);
  return new Set(own.length === 0 ? [] : [...own, ...secretRecords]);
});

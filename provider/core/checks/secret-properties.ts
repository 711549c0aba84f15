import type { ResourceSpec } from "../declaration/resource";
import { oncePer } from "../values/once";
import { holdsSecret } from "./check";

/** Digests tell whether two values are equal, and what was there before may hold what is secret now. */
const secretRecords = ["digests", "previous"];

/** Top-level properties of a kind that are ciphertext in state: the engine marks secrets by these names alone. */
export const secretProperties = oncePer((spec: ResourceSpec): ReadonlySet<string> => {
  const { message, outputs, behaviours } = spec.fields;
  const own = [...message, ...outputs, ...behaviours].filter(holdsSecret).map((field) => field.name);
  return new Set(own.length === 0 ? [] : [...own, ...secretRecords]);
});

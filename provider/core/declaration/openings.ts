import { isUnset } from "../fields/equality";
import type { Field } from "../fields/fields";
import type { AccessGrant } from "../fields/markers";
import type { ResourceSpec } from "./resource";

function rankOf({ order }: AccessGrant, field: Field, value: unknown): number {
  const index = order.indexOf(value);
  if (index >= 0) return index;
  return isUnset(field, value) ? 0 : Number.POSITIVE_INFINITY;
}

/** Whether `after` grants more than `before`; assumed for values that are not listed. */
export function opensUp(opening: AccessGrant, field: Field, before: unknown, after: unknown): boolean {
  const [was, is] = [rankOf(opening, field, before), rankOf(opening, field, after)];
  return is > was || (is === Number.POSITIVE_INFINITY && is === was);
}

/** Whether `value` grants as much as there is, or is not listed, which may be as much. */
export function isWidest(opening: AccessGrant, field: Field, value: unknown): boolean {
  const rank = rankOf(opening, field, value);
  return rank > 0 && rank >= opening.order.length - 1;
}

/** Whether objects of the kind are made of a secret that a program gives. */
export const holdsSecret = ({ fields }: ResourceSpec): boolean =>
  fields.message.some(({ required, markers }) => markers.inputOnly && (markers.secret || required));

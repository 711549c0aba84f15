import { isUnset } from "./equality";
import type { Field } from "./fields";
import type { AccessOpening } from "./opening";

/** Whether `after` grants more than `before`; assumed for values that are not listed. */
export function opensUp({ order }: AccessOpening, field: Field, before: unknown, after: unknown): boolean {
  const rank = (value: unknown): number => {
    const index = order.indexOf(value);
    if (index >= 0) return index;
    return isUnset(field, value) ? 0 : Number.POSITIVE_INFINITY;
  };
  const [was, is] = [rank(before), rank(after)];
  return is > was || (is === Number.POSITIVE_INFINITY && is === was);
}

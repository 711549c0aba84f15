import { pathText, type Segment } from "../values/paths";
import type { Field } from "./fields";
import { isMark } from "./owner";

/**
 * Keys that a program's map must not have: those that the service keeps for
 * itself, and those that this provider writes.
 */
export function keyFailures(field: Field, value: object, path: readonly Segment[]): { path: string; reason: string }[] {
  const { keyPrefix } = field.markers;
  return Object.keys(value).flatMap((key) => {
    const at = pathText([...path, key]);
    if (isMark(field, key))
      return [{ path: at, reason: "is reserved: this provider records the object's owner in it; use another key" }];
    if (keyPrefix === undefined || key.startsWith(keyPrefix)) return [];
    return [{ path: at, reason: `keys must begin with \`${keyPrefix}\`; write \`${keyPrefix}${key}\`` }];
  });
}

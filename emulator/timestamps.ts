import type { ResourceSpec } from "../provider/core/declaration/resource";
import { memoizeByKey } from "../provider/core/values/once";
import type { Fields } from "./types";

/** A time as answers give it: RFC 3339. */
export const timestamp = (ms: number): string => new Date(ms).toISOString();

const keepsUpdateTime = memoizeByKey(({ fields }: ResourceSpec): boolean =>
  fields.outputs.some((field) => field.name === "updateTime"),
);

/** The message with a later `updateTime` than before, even if the clock does not advance: every change is visible. */
export function withUpdateTime(spec: ResourceSpec, fields: Fields, now: number): Fields {
  if (!keepsUpdateTime(spec)) return fields;
  const last = Date.parse(String(fields["updateTime"] ?? fields["createTime"] ?? ""));
  return { ...fields, updateTime: timestamp(Number.isNaN(last) ? now : Math.max(now, last + 1)) };
}

import type { ResourceSpec } from "../core/declaration/resource";
import type { Fields } from "./types";

/** A time as answers give it: RFC 3339. */
export const timestamp = (ms: number): string => new Date(ms).toISOString();

const touched = new WeakMap<ResourceSpec, boolean>();

function keepsUpdateTime(spec: ResourceSpec): boolean {
  let keeps = touched.get(spec);
  if (keeps === undefined)
    touched.set(spec, (keeps = spec.fields.outputs.some((field) => field.name === "updateTime")));
  return keeps;
}

/** The message with a later `updateTime` than it had, even where the clock stands still, so that every change shows. */
export function touchedAt(spec: ResourceSpec, fields: Fields, now: number): Fields {
  if (!keepsUpdateTime(spec)) return fields;
  const last = Date.parse(String(fields["updateTime"] ?? fields["createTime"] ?? ""));
  return { ...fields, updateTime: timestamp(Number.isNaN(last) ? now : Math.max(now, last + 1)) };
}

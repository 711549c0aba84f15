import type { Json } from "./types";

export type JsonObject = { [key: string]: Json };

/** Whether `value` has named members: neither null nor a list. */
export function isObject<Member = Json>(value: unknown): value is { [key: string]: Member } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

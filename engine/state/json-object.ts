import type { StateValue } from "./types";

export type JsonObject = { [key: string]: StateValue };

/** Whether `value` has named members: neither null nor a list. */
export function isObject<Member = StateValue>(value: unknown): value is { [key: string]: Member } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import type { Field } from "../core/fields/fields";
import { fieldsByName } from "../core/fields/places";
import { isObject } from "../core/values/values";
import { answeredFields } from "./answers";
import type { ApiOperation, Json } from "./types";

/**
 * An answer with its scalars in their declared types: proto3 JSON writes 64-bit integers as text, and some gateways
 * write every scalar so. What is no spelling of the declared type stays as it is, for the check of answers to name.
 */
export function decodeAnswer({ spec, lists, verb }: ApiOperation, value: unknown): unknown {
  if (!isObject(value)) return value;
  if (["get", "create", "update"].includes(verb)) return membersOf(answeredFields(spec), value);
  const listed = value[spec.collection];
  if (!lists || !Array.isArray(listed)) return value;
  const fields = answeredFields(spec);
  return { ...value, [spec.collection]: listed.map((each) => (isObject(each) ? membersOf(fields, each) : each)) };
}

function membersOf(fields: ReadonlyMap<string, Field>, values: Json): Json {
  const entries = Object.entries(values).map(([name, value]) => {
    const field = fields.get(name);
    return [name, field ? decoded(field, value) : value] as const;
  });
  return Object.fromEntries(entries);
}

function decoded({ type, fields, item }: Field, value: unknown): unknown {
  if (Array.isArray(value)) return item && type === "array" ? value.map((entry) => decoded(item, entry)) : value;
  if (isObject(value)) {
    if (type === "object" && fields) return membersOf(fieldsByName(fields), value);
    if (type !== "map" || !item) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decoded(item, member)]));
  }
  return scalar(type, value);
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Each spelling of a boolean that services use. */
const booleans: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ["true", true],
  ["false", false],
  [1, true],
  [0, false],
]);

function scalar(type: Field["type"], value: unknown): unknown {
  if (type === "integer" || type === "number") {
    if (typeof value !== "string" || !jsonNumber.test(value)) return value;
    const number = Number(value);
    const isExact = type === "number" ? Number.isFinite(number) : Number.isSafeInteger(number);
    return isExact ? number : value;
  }
  if (type === "boolean") return booleans.get(typeof value === "string" ? value.toLowerCase() : value) ?? value;
  if (type === "string" && (typeof value === "number" || typeof value === "boolean")) return String(value);
  return value;
}

import { recordNames } from "../provider/core/declaration/own-records";
import type { ResourceSpec } from "../provider/core/declaration/resource";
import type { Field } from "../provider/core/fields/fields";
import { answeredFields } from "../provider/core/filters/answered-fields";
import { shortestFloat32 } from "../provider/core/values/float32";
import { oncePer } from "../provider/core/values/once";
import type { Fields } from "./types";

export interface Rendering {
  /** Answers include unset members, with their zero values (A094). */
  emitUnset: boolean;
  /** Answers include map keys that are not the customer's (A046). */
  allKeys: boolean;
}

const indexed = oncePer(
  (fields: readonly Field[]): ReadonlyMap<string, Field> => new Map(fields.map((field) => [field.name, field])),
);

const rendered = new WeakMap<Fields, (Fields | undefined)[]>();

/** The message as it is answered. The same stored message gives the same answer, so that an edge may keep its text. */
export function render(spec: ResourceSpec, fields: Fields, rendering: Rendering): Fields {
  const place = (rendering.emitUnset ? 1 : 0) + (rendering.allKeys ? 2 : 0);
  let answers = rendered.get(fields);
  if (!answers) rendered.set(fields, (answers = []));
  return (answers[place] ??= spec.explicit ? fields : message(servedFields(spec), fields, rendering));
}

/** The declared members of an answer without those that this provider adds to it. */
const servedFields = oncePer((spec: ResourceSpec): readonly Field[] => {
  const added = new Set([...Object.keys(spec.derived), ...recordNames]);
  return answeredFields(spec).filter((field) => !added.has(field.name));
});

function message(declared: readonly Field[], values: Fields, rendering: Rendering): Fields {
  const index = indexed(declared);
  const answer: Fields = {};
  // A field whose zero is a value has a presence of its own: it is there or it is not.
  if (rendering.emitUnset)
    for (const field of declared) if (field.markers.zero !== "value") answer[field.name] = zeroOf(field);
  for (const name of Object.keys(values)) {
    const field = index.get(name);
    const value = field ? member(field, values[name], rendering) : values[name];
    if (value === undefined || value === null) continue;
    if (rendering.emitUnset || !field || field.required || field.markers.zero === "value" || !isZero(field, value))
      answer[name] = value;
  }
  return answer;
}

function member(field: Field, value: unknown, rendering: Rendering): unknown {
  if (typeof value === "number" && field.markers.float32) return shortestFloat32(value);
  if (value === null || typeof value !== "object") return value;
  if (field.type === "object") return message(field.fields!, value as Fields, rendering);
  if (field.type === "array" && field.item?.type === "object")
    return (value as Fields[]).map((entry) => message(field.item!.fields!, entry, rendering));
  const { keyPrefix } = field.markers;
  if (keyPrefix === undefined || rendering.allKeys) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => key.startsWith(keyPrefix)));
}

/**
 * A message that is there is set, whatever it holds; of everything else zero
 * is what a reader takes an absent member for.
 */
function isZero(field: Field, value: unknown): boolean {
  if (typeof value === "string")
    return (
      value === "" ||
      value === field.markers.unsetValue ||
      (field.values !== undefined && value.endsWith("_UNSPECIFIED"))
    );
  if (typeof value === "object" && value !== null) return field.type !== "object" && Object.keys(value).length === 0;
  return value === 0 || value === false;
}

function zeroOf(field: Field): unknown {
  if (field.type === "array") return [];
  if (field.type === "map") return {};
  if (field.type === "boolean") return false;
  if (field.type === "integer" || field.type === "number") return 0;
  if (field.type !== "string" || field.format === "date-time") return null;
  return field.markers.unsetValue ?? field.values?.find((value) => value.endsWith("_UNSPECIFIED")) ?? "";
}

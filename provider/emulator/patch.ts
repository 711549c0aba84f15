import { isDeepStrictEqual } from "node:util";
import type { ResourceSpec } from "../core/declaration/resource";
import type { Field } from "../core/fields/fields";
import type { MaskPath } from "./masks";
import { invalid, type Violation } from "./refusals";
import type { Fields, StoredObject } from "./types";
import type { JudgedBody } from "./validate";

/** The object with the body's values at `paths`. A path at which the body has nothing, or `null`, is cleared (A032). */
export function patched(
  object: StoredObject,
  { fields, hidden }: JudgedBody,
  paths: readonly MaskPath[],
): StoredObject {
  const next = paths.reduce((message, path) => written(message, path, valueAt(fields, path)), object.fields);
  const secrets = Object.entries(hidden).filter(([at]) => paths.some((path) => path.join(".") === at));
  return {
    ...object,
    fields: next,
    ...(secrets.length > 0 && { hidden: { ...object.hidden, ...Object.fromEntries(secrets) } }),
  };
}

const valueAt = (fields: Fields, path: MaskPath): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      value !== null && typeof value === "object" && Object.hasOwn(value, name) ? (value as Fields)[name] : undefined,
    fields,
  );

function written(message: Fields, path: MaskPath, value: unknown): Fields {
  const [first, ...rest] = path as [string, ...string[]];
  const cleared = value === undefined || value === null;
  if (rest.length > 0) {
    const inner = message[first];
    if (cleared && (inner === undefined || inner === null)) return message;
    return withMember(message, first, written((inner ?? {}) as Fields, rest, value));
  }
  return cleared ? withoutMember(message, first) : withMember(message, first, withoutNulls(value));
}

// Members are set through entries: an assignment to a name such as `__proto__` would not make a member of it.
const withMember = (message: Fields, name: string, value: unknown): Fields =>
  Object.fromEntries([...Object.entries(message).filter(([other]) => other !== name), [name, value]]);

const withoutMember = (message: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(message).filter(([other]) => other !== name));

function withoutNulls(value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === null ? [] : [[name, withoutNulls(member)]])),
  );
}

/** The message with the object's input-only values in their places. */
export const revealed = ({ hidden = {} }: StoredObject, fields: Fields): Fields =>
  Object.entries(hidden).reduce((message, [path, value]) => written(message, path.split("."), value), fields);

/** Names of the top-level members in which two objects differ, input-only ones included. */
export function changedMembers(before: StoredObject, after: StoredObject): Set<string> {
  const names = new Set([...Object.keys(before.fields), ...Object.keys(after.fields)]);
  const changed = new Set([...names].filter((name) => !isDeepStrictEqual(before.fields[name], after.fields[name])));
  for (const path of Object.keys(after.hidden ?? {}))
    if (before.hidden?.[path] !== after.hidden?.[path]) changed.add(path.split(".")[0]!);
  return changed;
}

/** Refuses an update that would change what cannot change, or clear what must be there. */
export function judgeChange(spec: ResourceSpec, after: StoredObject, changed: ReadonlySet<string>): void {
  const violations = spec.fields.message.flatMap((field): Violation[] => {
    if (!changed.has(field.name)) return [];
    if (field.markers.immutable) return [{ field: field.name, description: "cannot be changed after creation" }];
    return field.required && isMissing(field, after)
      ? [{ field: field.name, description: "is required and cannot be cleared" }]
      : [];
  });
  if (violations.length > 0) throw invalid(violations);
}

const isMissing = (field: Field, object: StoredObject): boolean =>
  object.fields[field.name] === undefined || object.fields[field.name] === "";

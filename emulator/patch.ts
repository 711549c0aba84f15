import { isDeepStrictEqual } from "node:util";
import type { ResourceSpec } from "../provider/core/declaration/resource";
import { differences } from "../provider/core/fields/equality";
import type { Field } from "../provider/core/fields/fields";
import type { MaskPath } from "./masks";
import { invalid, type Violation } from "./refusals";
import type { ObjectChange } from "./services/service";
import type { Fields, Settings, StoredObject } from "./types";
import type { JudgedBody } from "./validate";

/** The object with the body's values at `paths`. A path at which the body has nothing, or `null`, is cleared (A032). */
export function patched(
  object: StoredObject,
  { fields, hidden }: JudgedBody,
  paths: readonly MaskPath[],
): StoredObject {
  const next = paths.reduce((message, path) => written(message, path, valueAt(fields, path)), object.fields);
  const isWritten = ([at]: [string, unknown]): boolean => paths.some((path) => path.join(".") === at);
  const kept = Object.entries(object.hidden ?? {}).filter((entry) => !isWritten(entry));
  const secrets = [...kept, ...Object.entries(hidden).filter(isWritten)];
  return { ...object, fields: next, hidden: orNone(Object.fromEntries(secrets)) };
}

/** Nothing in place of an object without members. */
export const orNone = (fields: Fields): Fields | undefined => (Object.keys(fields).length > 0 ? fields : undefined);

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
  for (const path of Object.keys({ ...before.hidden, ...after.hidden }))
    if (before.hidden?.[path] !== after.hidden?.[path]) changed.add(path.split(".")[0]!);
  return changed;
}

/** Refuses a body that holds what no update can change, whatever its value. */
export function refuseFixed(spec: ResourceSpec, body: Fields): void {
  const fixed = spec.fields.message.filter(
    ({ name, markers }) => markers.immutable && !markers.alwaysSent && Object.hasOwn(body, name),
  );
  if (fixed.length > 0) throw invalid(fixed.map(({ name }) => ({ field: name, description: "cannot be updated" })));
}

/**
 * Refuses an update that would change what cannot change, or clear what must be there. A server that replaces the
 * object forgets what cannot change where the body leaves it out.
 */
export function judgeChange(
  spec: ResourceSpec,
  { before, after, changed }: ObjectChange,
  { patch }: Pick<Settings, "patch">,
): void {
  const violations = spec.fields.message.flatMap((field): Violation[] => {
    if (!changed.has(field.name)) return [];
    if (field.markers.immutable && patch === "replace" && after.fields[field.name] === undefined) return [];
    if (field.markers.immutable && saysTheSame(field, before.fields[field.name], after.fields[field.name])) return [];
    if (field.markers.immutable) return [{ field: field.name, description: "cannot be changed after creation" }];
    return field.required && isMissing(field, after)
      ? [{ field: field.name, description: "is required and cannot be cleared" }]
      : [];
  });
  if (violations.length > 0) throw invalid(violations);
}

/** A member that is unset may be spelt out (A094). */
const saysTheSame = (field: Field, one: unknown, other: unknown): boolean =>
  differences(field, one, other).length === 0 && differences(field, other, one).length === 0;

const isMissing = (field: Field, object: StoredObject): boolean =>
  object.fields[field.name] === undefined || object.fields[field.name] === "";

import { isDeepStrictEqual } from "node:util";
import { memberNamed } from "../filters/answered-fields";
import type { ResourceSpec } from "../provider/core/declaration/resource";
import { differences } from "../provider/core/fields/equality";
import type { Field } from "../provider/core/fields/fields";
import { camelCase } from "../provider/core/values/names";
import { invalidField, invalidRequest, type Violation } from "./refusals";
import type { ObjectChange } from "./services/service";
import type { Fields, Settings, StoredObject } from "./types";
import type { JudgedBody } from "./validate";

/** Where an update writes: the names on the way from the message to a member of it, or to a key of a map. */
type MaskPath = readonly string[];

/**
 * The paths that an update writes, by how this kind of server reads mask and body (A030). Paths to read-only members
 * are ignored.
 */
export function pathsOf(spec: ResourceSpec, body: Fields, mask: string | undefined, settings: Settings): MaskPath[] {
  const explicitMask = mask === undefined || mask === "" ? undefined : mask;
  switch (settings.patch) {
    case "mask":
      return explicitMask === undefined ? derivedPaths(spec, body) : maskedPaths(spec, explicitMask, settings);
    case "derive":
      return derivedPaths(spec, body);
    case "populated":
      return explicitMask === undefined ? populatedPaths(spec, body) : maskedPaths(spec, explicitMask, settings);
    case "replace":
      return allPaths(spec, body);
  }
}

/** Every member that an update may write, sent or not. */
const writable = (spec: ResourceSpec): readonly Field[] =>
  spec.fields.message.filter((field) => !field.markers.recordedOnly);
function maskedPaths(spec: ResourceSpec, mask: string, settings: Settings): MaskPath[] {
  return mask.split(",").flatMap((entry) => {
    const text = entry.trim();
    if (text === "*")
      return writable(spec)
        .filter((field) => !field.markers.immutable && !field.markers.inputOnly)
        .map((field) => [field.name]);
    return resolvePath(spec, text, settings.maskPaths === "lenient");
  });
}

/** One entry of a mask: snake_case, member by member; below a map the rest is a key (A030). */
function resolvePath(spec: ResourceSpec, text: string, lenient: boolean): MaskPath[] {
  const unknown = (): MaskPath[] => {
    if (lenient) return [];
    const hint = /[A-Z]/.test(text) ? "; paths are written in snake_case" : "";
    throw invalidField("updateMask", `\`${text}\` is not a field of the message${hint}`);
  };
  const [first = "", ...rest] = text.split(".");
  if (memberNamed(spec.fields.outputs, first, !lenient)) return [];
  let field = memberNamed(spec.fields.message, first, !lenient);
  if (!field) return unknown();
  const path = [field.name];
  for (const [index, name] of rest.entries()) {
    if (field.type === "map")
      return [
        [
          ...path,
          rest
            .slice(index)
            .join(".")
            .replace(/^`(.*)`$/, "$1"),
        ],
      ];
    const member = memberNamed(field.fields ?? [], name, !lenient);
    const open = field.type === "object" && field.open && (lenient || !/[A-Z]/.test(name));
    if (!member && !open) return unknown();
    path.push(member?.name ?? camelCase(name));
    field = member ?? { ...field, fields: [] };
  }
  return [path];
}

/** The body's own leaves: nested messages member by member, lists and maps whole, null and zero as values. */
function derivedPaths(spec: ResourceSpec, body: Fields): MaskPath[] {
  return writable(spec).flatMap((field) =>
    Object.hasOwn(body, field.name) ? leaves(field, body[field.name], [field.name]) : [],
  );
}

function leaves(field: Field, value: unknown, path: MaskPath): MaskPath[] {
  if (field.type !== "object" || value === null || typeof value !== "object") return [path];
  const members = Object.entries(value);
  if (members.length === 0) return [path];
  return members.flatMap(([name, member]) => {
    const declared = field.fields?.find((candidate) => candidate.name === name);
    return declared ? leaves(declared, member, [...path, name]) : [[...path, name]];
  });
}

/** The body's leaves that hold something (AIP-134's implied mask). */
function populatedPaths(spec: ResourceSpec, body: Fields): MaskPath[] {
  return derivedPaths(spec, body).filter((path) => {
    const value = path.reduce<unknown>((here, name) => (here as Fields)[name], body);
    if (value === null || value === "" || value === 0 || value === false) return false;
    return typeof value !== "object" || Object.keys(value).length > 0;
  });
}

/**
 * All that a client can give, so that what the body leaves out is gone, including what cannot change and what is never
 * answered. Spared is what the service decides by itself: settings of a superuser, what it moves, what a shape decides,
 * and members with verbs of their own (A031, A046).
 */
function allPaths(spec: ResourceSpec, body: Fields): MaskPath[] {
  return writable(spec).flatMap((field) => {
    const { sentIfChanged, serverMoved, ownedBy, ownRequest } = field.markers;
    const spared = sentIfChanged || serverMoved || ownRequest || (ownedBy !== undefined && body[ownedBy.field]);
    return Object.hasOwn(body, field.name) || !spared ? [[field.name]] : [];
  });
}

/** The object with the body's values at `paths`. A path at which the body has nothing, or `null`, is cleared (A032). */
export function applyPatch(
  object: StoredObject,
  { fields, hidden }: JudgedBody,
  paths: readonly MaskPath[],
): StoredObject {
  const next = paths.reduce((message, path) => writeAtPath(message, path, valueAt(fields, path)), object.fields);
  const isWritten = ([at]: [string, unknown]): boolean => paths.some((path) => path.join(".") === at);
  const kept = Object.entries(object.hidden ?? {}).filter((entry) => !isWritten(entry));
  const secrets = [...kept, ...Object.entries(hidden).filter(isWritten)];
  return { ...object, fields: next, hidden: undefinedIfEmpty(Object.fromEntries(secrets)) };
}

/** Nothing in place of an object without members. */
export const undefinedIfEmpty = (fields: Fields): Fields | undefined =>
  Object.keys(fields).length > 0 ? fields : undefined;

const valueAt = (fields: Fields, path: MaskPath): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      value !== null && typeof value === "object" && Object.hasOwn(value, name) ? (value as Fields)[name] : undefined,
    fields,
  );

function writeAtPath(message: Fields, path: MaskPath, value: unknown): Fields {
  const [first, ...rest] = path as [string, ...string[]];
  const cleared = value === undefined || value === null;
  if (rest.length > 0) {
    const inner = message[first];
    if (cleared && (inner === undefined || inner === null)) return message;
    return withMember(message, first, writeAtPath((inner ?? {}) as Fields, rest, value));
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
export const withHiddenValues = ({ hidden = {} }: StoredObject, fields: Fields): Fields =>
  Object.entries(hidden).reduce((message, [path, value]) => writeAtPath(message, path.split("."), value), fields);

/** Names of the top-level members in which two objects differ, input-only ones included. */
export function changedMembers(before: StoredObject, after: StoredObject): Set<string> {
  const names = new Set([...Object.keys(before.fields), ...Object.keys(after.fields)]);
  const changed = new Set([...names].filter((name) => !isDeepStrictEqual(before.fields[name], after.fields[name])));
  for (const path of Object.keys({ ...before.hidden, ...after.hidden }))
    if (before.hidden?.[path] !== after.hidden?.[path]) changed.add(path.split(".")[0]!);
  return changed;
}

/** Rejects a body with a field that no update can change, even with an equal value. */
export function rejectImmutable(spec: ResourceSpec, body: Fields): void {
  const fixed = spec.fields.message.filter(
    ({ name, markers }) => markers.immutable && !markers.alwaysSent && Object.hasOwn(body, name),
  );
  if (fixed.length > 0)
    throw invalidRequest(fixed.map(({ name }) => ({ field: name, description: "cannot be updated" })));
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
    if (field.markers.immutable && isSameValue(field, before.fields[field.name], after.fields[field.name])) return [];
    if (field.markers.immutable) return [{ field: field.name, description: "cannot be changed after creation" }];
    return field.required && isMissing(field, after)
      ? [{ field: field.name, description: "is required and cannot be cleared" }]
      : [];
  });
  if (violations.length > 0) throw invalidRequest(violations);
}

/** A member that is unset may be spelt out (A094). */
const isSameValue = (field: Field, one: unknown, other: unknown): boolean =>
  differences(field, one, other).length === 0 && differences(field, other, one).length === 0;

const isMissing = (field: Field, object: StoredObject): boolean =>
  object.fields[field.name] === undefined || object.fields[field.name] === "";

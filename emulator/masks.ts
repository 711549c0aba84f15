import type { ResourceSpec } from "../provider/core/declaration/resource";
import type { Field } from "../provider/core/fields/fields";
import { memberNamed } from "../provider/core/filters/answered-fields";
import { camelCase } from "../provider/core/values/names";
import { invalidField } from "./refusals";
import type { Fields, Settings } from "./types";

/** Where an update writes: the names on the way from the message to a member of it, or to a key of a map. */
export type MaskPath = readonly string[];

/**
 * The paths that an update writes, by how this kind of server reads mask and body (A030). Paths to read-only members
 * are ignored.
 */
export function pathsOf(spec: ResourceSpec, body: Fields, mask: string | undefined, settings: Settings): MaskPath[] {
  const given = mask === undefined || mask === "" ? undefined : mask;
  switch (settings.patch) {
    case "mask":
      return given === undefined ? derived(spec, body) : asked(spec, given, settings);
    case "derive":
      return derived(spec, body);
    case "populated":
      return given === undefined ? populated(spec, body) : asked(spec, given, settings);
    case "replace":
      return whole(spec, body);
  }
}

/** Every member that an update may write, given or not. */
const writable = (spec: ResourceSpec): readonly Field[] =>
  spec.fields.message.filter((field) => !field.markers.recordedOnly);

function asked(spec: ResourceSpec, mask: string, settings: Settings): MaskPath[] {
  return mask.split(",").flatMap((entry) => {
    const text = entry.trim();
    if (text === "*")
      return writable(spec)
        .filter((field) => !field.markers.immutable && !field.markers.inputOnly)
        .map((field) => [field.name]);
    return resolved(spec, text, settings.maskPaths === "lenient");
  });
}

/** One entry of a mask: snake_case, member by member; below a map the rest is a key (A030). */
function resolved(spec: ResourceSpec, text: string, lenient: boolean): MaskPath[] {
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
function derived(spec: ResourceSpec, body: Fields): MaskPath[] {
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
function populated(spec: ResourceSpec, body: Fields): MaskPath[] {
  return derived(spec, body).filter((path) => {
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
function whole(spec: ResourceSpec, body: Fields): MaskPath[] {
  return writable(spec).flatMap((field) => {
    const { sentIfChanged, serverMoved, ownedBy, ownRequest } = field.markers;
    const spared = sentIfChanged || serverMoved || ownRequest || (ownedBy !== undefined && body[ownedBy.field]);
    return Object.hasOwn(body, field.name) || !spared ? [[field.name]] : [];
  });
}

import { isOwned } from "../comparison/desired";
import type { FieldChange } from "../comparison/diff";
import type { ResourceSpec } from "../declaration/resource";
import { durationSeconds, entriesByKey, isUnset, secondsText } from "../fields/equality";
import type { Field } from "../fields/fields";
import { snakeCase } from "../values/names";
import { isObject, type Values } from "../values/values";

/**
 * A value as the service writes it: durations in seconds, members not declared
 * as they are, none that only the service sets.
 */
export function encode(field: Field, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (typeof value === "string") return field.markers.sameAs === "duration" ? durationText(value) : value;
  if (field.type === "array" && Array.isArray(value)) return value.map((entry) => encode(field.item!, entry));
  if (field.type !== "object" || typeof value !== "object") return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const declared = field.fields?.find((candidate) => candidate.name === name);
    return member === undefined || declared?.markers.outputOnly
      ? []
      : [[name, declared ? encode(declared, member) : member] as const];
  });
  return Object.fromEntries(members);
}

function durationText(text: string): string {
  const seconds = durationSeconds(text);
  return Number.isNaN(seconds) ? text : secondsText(seconds);
}

/** The message of a create: what the program sets and nothing else. */
export function createMessage(spec: ResourceSpec, inputs: Values): Record<string, unknown> {
  const set = spec.fields.message.filter((field) => inputs[field.name] !== undefined && inputs[field.name] !== null);
  return Object.fromEntries(set.map((field) => [field.name, encode(field, inputs[field.name])]));
}

/**
 * An update that is right however the service treats the mask (A030, A031): the
 * body says everything, the mask what changed.
 */
export interface Update {
  mask: string[];
  body: Record<string, unknown>;
}

/**
 * The update that turns `live` into what `desired` asks for. The body is the whole object, so that a server that
 * replaces objects loses nothing: what the program manages, values that are never answered included, and the last read
 * value of the rest, including what cannot change. A field with a request of its own (A046) goes along as it was read
 * and is not in the mask; the message of its own request is this body with that field changed.
 */
export function updateOf(spec: ResourceSpec, live: Values, desired: Values, changes: readonly FieldChange[]): Update {
  const changed = new Set(changes.filter((change) => change.effect === "update").map((change) => change.property));
  const body: Record<string, unknown> = {};
  for (const field of spec.fields.message) {
    const value = bodyValue(field, live, desired, changed);
    if (value !== undefined) body[field.name] = value;
  }
  const mask = spec.fields.message
    .filter((field) => changed.has(field.name) && !field.markers.ownRequest)
    .map((field) => snakeCase(field.name));
  return { mask, body };
}

/** Whether an update never changes the field: it goes along for servers that replace objects. */
export const isImmutableField = ({ markers }: Field): boolean =>
  !markers.alwaysSent && (markers.immutable !== undefined || markers.deprecated !== undefined);

/** How much of an object the body of an update holds (A031). */
export type BodyForm = "full" | "mutable" | "minimal";

/** The whole message, the message without what cannot change, or only what changes and what every update must have. */
export function bodyOf(spec: ResourceSpec, message: Values, mask: readonly string[], form: BodyForm): Values {
  if (form === "full") return message;
  const changed = new Set(mask.map(snakeCase));
  const kept = spec.fields.message.filter((field) =>
    form === "mutable" ? !isImmutableField(field) : field.markers.alwaysSent || changed.has(snakeCase(field.name)),
  );
  return Object.fromEntries(kept.flatMap(({ name }) => (Object.hasOwn(message, name) ? [[name, message[name]]] : [])));
}

function bodyValue(field: Field, live: Values, desired: Values, changed: ReadonlySet<string>): unknown {
  const { name, markers } = field;
  const managed = Object.hasOwn(desired, name);
  if (markers.alwaysSent)
    return changed.has(name) || (managed && desired[name] !== null) ? encode(field, desired[name]) : live[name];
  if (markers.recordedOnly) return undefined;
  if (isImmutableField(field) || markers.ownRequest)
    return isUnset(field, live[name]) ? undefined : readBack(field, live[name]);
  if (changed.has(name)) return encode(field, mergeValue(field, desired[name], live[name]));
  if (markers.sentIfChanged) return undefined;
  if (markers.inputOnly) return managed ? encode(field, desired[name]) : undefined;
  if (managed)
    return markers.sameAs === "resolvedVersion"
      ? live[name]
      : encode(field, mergeValue(field, desired[name], live[name]));
  return isOwned(field, { ...live, ...desired }) || markers.serverMoved ? undefined : readBack(field, live[name]);
}

/**
 * A last read value in a form that can be sent: an answer may show an unset member as an empty text that is not a valid
 * value (A094).
 */
function readBack(field: Field, value: unknown): unknown {
  if (field.type !== "object" || !isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const declared = field.fields?.find((candidate) => candidate.name === name);
    return declared && declared.markers.zero !== "value" && member === ""
      ? []
      : [[name, declared ? readBack(declared, member) : member] as const];
  });
  return Object.fromEntries(members);
}

/** A message or a map is replaced as a whole (A034), so what is not the program's goes back as it was read. */
function mergeValue(field: Field, desired: unknown, live: unknown): unknown {
  if (desired === null || typeof desired !== "object" || live === null || typeof live !== "object") return desired;
  if (field.type === "array") return withGrown(field, desired, live);
  if (field.type === "object")
    return field.markers.whole
      ? withRemovals(withGrown(field, desired, live) as object, live)
      : { ...(readBack(field, live) as Values), ...desired };
  if (field.type !== "map" || field.markers.keyPrefix === undefined) return desired;
  const foreign = Object.entries(live).filter(([key]) => !key.startsWith(field.markers.keyPrefix!));
  return { ...Object.fromEntries(foreign), ...desired };
}

/** Members that a newer release of the API has added to a message go back as they were read: none may be unset. */
function withGrown(field: Field, desired: unknown, live: unknown): unknown {
  const { setOf, grows } = field.markers;
  if (Array.isArray(desired) && Array.isArray(live) && typeof setOf === "string" && field.item) {
    const withKey = (entry: unknown): entry is Values => isObject(entry) && entry[setOf] !== undefined;
    const [, answered] = entriesByKey(field.item, setOf, desired.filter(withKey), live.filter(withKey));
    return desired.map((entry) =>
      withKey(entry) ? withGrown(field.item!, entry, answered.get(String(entry[setOf]))) : entry,
    );
  }
  if (field.type !== "object" || !isObject(desired) || !isObject(live)) return desired;
  const declared = new Map((field.fields ?? []).map((member) => [member.name, member]));
  const grown = grows ? Object.entries(live).filter(([name]) => !declared.has(name)) : [];
  const members = Object.entries(desired).map(([name, member]) => {
    const known = declared.get(name);
    return [name, known ? withGrown(known, member, live[name]) : member] as const;
  });
  return { ...Object.fromEntries(grown), ...Object.fromEntries(members) };
}

/** Sends removed members as null: a service that looks at the body alone would keep them (A032). */
function withRemovals(desired: object, live: object): Values {
  const removed = Object.entries(live).flatMap(([name, value]) =>
    value === null || (desired as Values)[name] !== undefined ? [] : [[name, null] as const],
  );
  const kept = Object.entries(desired).map(
    ([name, value]) =>
      [
        name,
        isObject(value) && isObject((live as Values)[name])
          ? withRemovals(value, (live as Values)[name] as Values)
          : value,
      ] as const,
  );
  return Object.fromEntries([...kept, ...removed]);
}

/** The message of a separate PATCH for one field (A046), and the payloads of the verbs if that is refused. */
export function separateRequestFor(
  field: Field,
  live: Values,
  desired: Values,
): { message: Values; set: Values; remove: string[] } {
  const desiredEntries = (desired[field.name] ?? {}) as Values;
  const liveEntries = (live[field.name] ?? {}) as Values;
  const prefix = field.markers.keyPrefix ?? "";
  const message = { [field.name]: mergeValue(field, desiredEntries, liveEntries) };
  const set = Object.fromEntries(Object.entries(desiredEntries).filter(([key, value]) => liveEntries[key] !== value));
  return {
    message,
    set,
    remove: Object.keys(liveEntries).filter((key) => key.startsWith(prefix) && !Object.hasOwn(desiredEntries, key)),
  };
}

import type { Change } from "./diff";
import type { Field } from "./fields";
import { fillTemplate, snakeCase } from "./names";
import { valueAt } from "./paths";
import { recordNames, reservedInputs } from "./records";
import type { ResourceSpec } from "./resource";
import { durationSeconds, type Resolution } from "./same";

type Values = Readonly<Record<string, unknown>>;

/** A value as the service writes it: durations in seconds, members not declared as they are. */
export function encode(field: Field, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (typeof value === "string") return field.markers.sameAs === "duration" ? `${durationSeconds(value)}s` : value;
  if (field.type === "array" && Array.isArray(value)) return value.map((entry) => encode(field.item!, entry));
  if (field.type !== "object" || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries.map(([name, member]) => [name, encodeMember(field, name, member)]));
}

function encodeMember(field: Field, name: string, value: unknown): unknown {
  const member = field.fields?.find((candidate) => candidate.name === name);
  return member ? encode(member, value) : value;
}

/** The message of a create: what the program sets and nothing else. */
export function createMessage(spec: ResourceSpec, inputs: Values): Record<string, unknown> {
  const set = spec.fields.message.filter((field) => inputs[field.name] !== undefined && inputs[field.name] !== null);
  return Object.fromEntries(set.map((field) => [field.name, encode(field, inputs[field.name])]));
}

/** An update that is right whatever the service makes of the mask (A030, A031): the body says everything, the mask what changed. */
export interface Update {
  mask: string[];
  body: Record<string, unknown>;
}

/**
 * The update that turns `live` into what `desired` asks for. The body carries what is required, everything the program manages, and
 * the last read value of what it does not, so that a server that replaces the object loses nothing.
 */
export function updateOf(spec: ResourceSpec, live: Values, desired: Values, changes: readonly Change[]): Update {
  const changed = new Set(changes.filter((change) => change.effect === "update").map((change) => change.property));
  const fields = spec.fields.message.filter((field) => !field.markers.ownRequest);
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    const value = bodyValue(field, live, desired, changed);
    if (value !== undefined) body[field.name] = value;
  }
  const mask = fields.filter((field) => changed.has(field.name)).map((field) => snakeCase(field.name));
  return { mask, body };
}

function bodyValue(field: Field, live: Values, desired: Values, changed: ReadonlySet<string>): unknown {
  const { name, markers } = field;
  const managed = Object.hasOwn(desired, name);
  if (markers.alwaysSent) return managed ? encode(field, desired[name]) : live[name];
  if (markers.immutable || markers.recordedOnly || markers.deprecated) return undefined;
  if (changed.has(name)) return encode(field, merged(field, desired[name], live[name]));
  if (markers.inputOnly || markers.sentIfChanged) return undefined;
  if (managed) return markers.sameAs === "resolvedVersion" ? live[name] : encode(field, merged(field, desired[name], live[name]));
  const owner = markers.ownedBy?.field;
  const owned = owner !== undefined && typeof (desired[owner] ?? live[owner]) === "string" && (desired[owner] ?? live[owner]) !== "";
  return owned || markers.secret || markers.serverMoved ? undefined : live[name];
}

/** A message or a map is replaced as a whole (A034), so what is not the program's goes back as it was read. */
function merged(field: Field, desired: unknown, live: unknown): unknown {
  if (desired === null || typeof desired !== "object" || live === null || typeof live !== "object") return desired;
  if (field.type === "object" && !field.markers.whole) return { ...live, ...desired };
  if (field.type !== "map" || field.markers.keyPrefix === undefined) return desired;
  const foreign = Object.entries(live).filter(([key]) => !key.startsWith(field.markers.keyPrefix!));
  return { ...Object.fromEntries(foreign), ...desired };
}

/** The message of a PATCH of its own for one field (A046), and the verbs' payloads where that is refused. */
export function ownRequestOf(field: Field, live: Values, desired: Values): { message: Values; set: Values; remove: string[] } {
  const wanted = (desired[field.name] ?? {}) as Values;
  const found = (live[field.name] ?? {}) as Values;
  const prefix = field.markers.keyPrefix ?? "";
  const message = { [field.name]: merged(field, wanted, found) };
  const set = Object.fromEntries(Object.entries(wanted).filter(([key, value]) => found[key] !== value));
  return { message, set, remove: Object.keys(found).filter((key) => key.startsWith(prefix) && !Object.hasOwn(wanted, key)) };
}

/** What an answer tells, without what must not be kept: input-only values, and signed URLs that differ on each read (A097). */
export function storedMessage(spec: ResourceSpec, message: Values): Record<string, unknown> {
  const fields = [...spec.fields.message, ...spec.fields.outputs];
  const kept = Object.entries(message).filter(([name, value]) => {
    const field = fields.find((candidate) => candidate.name === name);
    return value !== undefined && !field?.markers.volatile && !field?.markers.inputOnly && !recordNames.includes(name as never) && !reservedInputs.has(name);
  });
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutInputOnly(fields.find((field) => field.name === name), value)]));
}

function withoutInputOnly(field: Field | undefined, value: unknown): unknown {
  if (field?.type !== "object" || value === null || typeof value !== "object") return value;
  const hidden = (field.fields ?? []).filter((member) => member.markers.inputOnly).map((member) => member.name);
  return hidden.length === 0 ? value : Object.fromEntries(Object.entries(value).filter(([name]) => !hidden.includes(name)));
}

/** Options and directives as the program gave them: recorded beside the message, so that a later delete sees them. */
export function recordedOptions(spec: ResourceSpec, inputs: Values): Record<string, unknown> {
  const options = [...spec.fields.behaviours, ...spec.fields.directives].filter((field) => inputs[field.name] !== undefined && !field.markers.secret);
  return Object.fromEntries(options.map((field) => [field.name, inputs[field.name]]));
}

/** Names that follow from an object's own fields, such as that of a job's output model (A070). */
export function derivedNames(spec: ResourceSpec, account: string, id: string, message: Values): Record<string, string> {
  const entries = Object.entries(spec.derived ?? {}).map(([output, { template, from }]) => {
    const value = from.map((path) => (path === "id" ? id : valueAt(message, path))).find((candidate) => typeof candidate === "string" && candidate !== "") as string;
    return [output, value.startsWith("accounts/") ? value : fillTemplate(template, { account, value })] as const;
  });
  return Object.fromEntries(entries);
}

/** What each field that the service resolves was given as, and what it became (A047). A field given as it is needs no record. */
export function resolutionsOf(spec: ResourceSpec, inputs: Values, message: Values): Record<string, Resolution> {
  const resolved = spec.fields.message.filter((field) => field.markers.sameAs === "resolvedVersion");
  const entries = resolved.flatMap((field) => {
    const [input, value] = [inputs[field.name], message[field.name]];
    return typeof input === "string" && typeof value === "string" && input !== value && value !== "" ? [[field.name, { input, value }] as const] : [];
  });
  return Object.fromEntries(entries);
}

/**
 * The program's inputs as a read finds them: what it set and still is as set stays in its own spelling, what differs is the live value
 * (so that an engine sees drift), what it did not set stays out.
 */
export function projectedInputs(spec: ResourceSpec, inputs: Values, live: Values, same: (field: Field, desired: unknown, live: unknown) => boolean): Record<string, unknown> {
  const projected: Record<string, unknown> = { ...inputs };
  for (const field of spec.fields.message) {
    const value = inputs[field.name];
    if (value === undefined || field.markers.recordedOnly || field.markers.inputOnly || field.markers.deprecated) continue;
    if (!same(field, value, live[field.name])) projected[field.name] = live[field.name] ?? null;
  }
  return projected;
}

import { createHash } from "node:crypto";
import { changesBetween } from "../../core/comparison/diff";
import type { ResourceSpec } from "../../core/declaration/resource";
import { isCompared, isUnset } from "../../core/fields/equality";
import type { Field } from "../../core/fields/fields";
import { isMark } from "../../core/fields/owner";
import { createMessage, encode } from "../../core/requests/wire";
import type { SentDigests } from "../ports/journal";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";

/**
 * Whether the live object shows every field as the program's inputs would have
 * made it. What is never answered says nothing.
 */
export function showsInputs(spec: ResourceSpec, account: string, live: LiveObject, inputs: Values): boolean {
  const told = new Set(spec.fields.message.filter(isTold).map((field) => field.name));
  return !changesBetween(spec, { ...live, accountId: account, resolutions: {} }, inputs).some(
    ({ property, effect }) => effect !== "record" && told.has(property),
  );
}

/** Digests of what a create sends and answers repeat. */
export function digestsOfSent(spec: ResourceSpec, inputs: Values, salt: string): SentDigests {
  const message = createMessage(spec, inputs);
  const fields = spec.fields.message
    .filter((field) => isTold(field) && message[field.name] !== undefined)
    .flatMap((field) => leaves(field, message[field.name], field.name))
    .map(([path, text]) => [path, digest(salt, text)] as const);
  return { salt, fields: Object.fromEntries(fields) };
}

/** Whether the live object shows all that these digests are of. */
export function showsSent(spec: ResourceSpec, live: LiveObject, { salt, fields }: SentDigests): boolean {
  const shown = new Map(spec.fields.message.flatMap((field) => leaves(field, live[field.name], field.name)));
  return Object.entries(fields).every(([path, sent]) => digest(salt, shown.get(path) ?? "null") === sent);
}

/** Answers repeat what was sent, unless the service resolves it, moves it by itself or was left the choice. */
const isTold = (field: Field): boolean =>
  isCompared(field) &&
  !field.markers.volatile &&
  field.markers.sameAs !== "resolvedVersion" &&
  field.markers.anyValue === undefined;

const digest = (salt: string, text: string): string => createHash("sha256").update(salt).update(text).digest("hex");

/** Values by path in one spelling; a message by its members, because a service fills in those that were not sent. */
function leaves(field: Field, value: unknown, path: string): [path: string, text: string][] {
  if (isUnset(field, value)) return [];
  if (field.type === "object" && typeof value === "object" && value !== null)
    return (field.fields ?? []).flatMap((member) =>
      leaves(member, (value as Values)[member.name], `${path}.${member.name}`),
    );
  return [[path, JSON.stringify(inOneSpelling(field, encode(field, value)))]];
}

function inOneSpelling(field: Field, value: unknown): unknown {
  if (Array.isArray(value)) {
    const entries = value.map((entry) => (field.item ? inOneSpelling(field.item, entry) : entry));
    return field.markers.setOf ? entries.map((entry) => JSON.stringify(entry)).sort() : entries;
  }
  if (typeof value === "object" && value !== null)
    return Object.entries(value)
      .filter(([key]) => key.startsWith(field.markers.keyPrefix ?? "") && !isMark(field, key))
      .sort(([one], [other]) => (one < other ? -1 : 1));
  if (typeof value === "number") return field.markers.float32 ? Math.fround(value) : value;
  return field.markers.sameAs === "letterCase" ? String(value).toLowerCase() : value;
}

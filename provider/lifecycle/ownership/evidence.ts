import { createHash } from "node:crypto";
import { changesBetween } from "../../core/comparison/diff";
import type { ResourceSpec } from "../../core/declaration/resource";
import { isUnset, normalizeText } from "../../core/fields/equality";
import type { Field } from "../../core/fields/fields";
import { isOwnerKey } from "../../core/fields/owner";
import { createMessage, encode } from "../../core/wire";
import type { SentDigests } from "../journal/facts";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";

/**
 * Whether the live object shows every field as the program's inputs would have
 * made it. Fields that are never answered are ignored.
 */
export function matchesInputs(spec: ResourceSpec, account: string, live: LiveObject, inputs: Values): boolean {
  const repeated = new Set(spec.fields.message.filter(isRepeated).map((field) => field.name));
  return !changesBetween(spec, { ...live, accountId: account, resolutions: {} }, inputs).some(
    ({ property, effect }) => effect !== "record" && repeated.has(property),
  );
}

/** Digests of what a create sends and answers repeat. */
export function digestsOfSent(spec: ResourceSpec, inputs: Values, salt: string): SentDigests {
  const message = createMessage(spec, inputs);
  const fields = spec.fields.message
    .filter((field) => isRepeated(field) && message[field.name] !== undefined)
    .flatMap((field) => leaves(field, message[field.name], field.name))
    .map(([path, text]) => [path, digest(salt, text)] as const);
  return { salt, fields: Object.fromEntries(fields) };
}

/** Whether the live object shows all that these digests are of. */
export function matchesSentDigests(spec: ResourceSpec, live: LiveObject, { salt, fields }: SentDigests): boolean {
  const liveLeaves = new Map(spec.fields.message.flatMap((field) => leaves(field, live[field.name], field.name)));
  return Object.entries(fields).every(([path, sent]) => digest(salt, liveLeaves.get(path) ?? "null") === sent);
}

/**
 * Whether the live object shows something that was not among `sent`, and that the service does not set by itself: a
 * text, a label or a number that is no default was set by a user.
 */
export const hasUnsentFields = (spec: ResourceSpec, live: LiveObject, sent: ReadonlySet<string>): boolean =>
  spec.fields.message.some(
    (field) =>
      field.name !== spec.host?.claim && addsTo({ field, value: live[field.name], path: field.name }, live, sent),
  );

/** The value of a field at a place of an object. */
interface LiveField {
  field: Field;
  value: unknown;
  path: string;
}

function addsTo({ field, value, path }: LiveField, live: Values, sent: ReadonlySet<string>): boolean {
  if (!isRepeated(field) || isSetByService(field) || sent.has(path) || isUnset(field, value)) return false;
  if (field.type === "object" && typeof value === "object" && value !== null)
    return (field.fields ?? []).some((member) =>
      addsTo({ field: member, value: (value as Values)[member.name], path: `${path}.${member.name}` }, live, sent),
    );
  const text = JSON.stringify(inOneSpelling(field, encode(field, value)));
  return text !== "[]" && text !== JSON.stringify(defaultOf(field, live)) && !isDocumentedDefault(field, value);
}

/** Where only words tell the default, they have it between backticks. */
const isDocumentedDefault = ({ markers }: Field, value: unknown): boolean =>
  markers.default?.includes(`\`${String(value)}\``) === true;

/** The service fills it in, moves it, or takes it from another object. */
const isSetByService = ({ markers }: Field): boolean =>
  markers.serverDefault === true || markers.serverMoved === true || markers.outputOnly === true || !!markers.ownedBy;

function defaultOf({ markers: { resetTo } }: Field, live: Values): unknown {
  return typeof resetTo === "object" ? Math.max(Number(live[resetTo.largerOf[0]] ?? 0), resetTo.largerOf[1]) : resetTo;
}

/** Answers repeat a field as it was sent, unless the service resolves, moves or chooses its value. */
const isRepeated = ({ markers }: Field): boolean =>
  !markers.inputOnly &&
  !markers.deprecated &&
  !markers.volatile &&
  markers.sameAs !== "resolvedVersion" &&
  markers.serverChoice === undefined;

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
      .filter(([key]) => key.startsWith(field.markers.keyPrefix ?? "") && !isOwnerKey(field, key))
      .sort(([one], [other]) => (one < other ? -1 : 1));
  if (typeof value === "number") return field.markers.float32 ? Math.fround(value) : value;
  if (typeof value !== "string") return value;
  if (field.markers.sameAs === "freeText") return normalizeText(value);
  return field.markers.sameAs === "letterCase" ? value.toLowerCase() : value;
}

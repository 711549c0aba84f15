import { isObject, type Values } from "../values/values";
import type { Field } from "./fields";

/** The owner of a live object, as its marks name it. */
export interface Owner {
  /** `organization/project/stack`. */
  stack: string;
  /** Types and name of the resource: the part of its URN that follows stack and project. */
  urn: string;
}

/** What identifies a declaration. */
export interface Identity {
  urn: string;
  organization: string;
  stack: string;
}

/** A mark is a text of at most so many characters. */
const longest = 128;
const digits = 16;

/** Text that a mark may hold unchanged: printable, and the same in every encoding. */
const disallowed = /[^\x20-\x7e]/gu;

/** The field that carries the marks, where the kind has one. */
export const ownerField = ({ fields }: { fields: { message: readonly Field[] } }): Field | undefined =>
  fields.message.find(({ markers }) => markers.carriesOwner);

/** Whether the key of a map names the owner rather than an entry of the program. */
export const isOwnerKey = ({ markers: { carriesOwner } }: Field, key: string): boolean =>
  carriesOwner !== undefined && Object.values(carriesOwner).includes(key);

/**
 * The owner that a declaration makes. `digest`: hexadecimal text of a hash, for what does not fit into a mark as it is.
 */
export function ownerOf({ urn, organization, stack }: Identity, digest: (text: string) => string): Owner {
  const [, project = "", ...resource] = urn.split("::");
  return {
    stack: truncatedWithDigest(`${organization}/${project}/${stack}`, digest),
    urn: truncatedWithDigest(resource.join("::"), digest),
  };
}

/** Two texts that are shortened alike stay two, by their digests. */
function truncatedWithDigest(text: string, digest: (text: string) => string): string {
  const plain = text.replace(disallowed, "_");
  if (plain === text && plain.length <= longest && plain.trim() === plain && plain !== "") return plain;
  const end = `-${digest(text).slice(0, digits)}`;
  return `${plain.trim().slice(0, longest - end.length)}${end}`;
}

/** The owner that a live object names; undefined where it names none, or not as a whole. */
export function ownerIn(spec: { fields: { message: readonly Field[] } }, live: Values): Owner | undefined {
  const field = ownerField(spec);
  const keys = field?.markers.carriesOwner;
  if (!field || !keys) return undefined;
  const marks = marksIn(field, live[field.name]);
  const [stack, urn] = [marks[keys.stack], marks[keys.urn]];
  return typeof stack === "string" && typeof urn === "string" && stack !== "" ? { stack, urn } : undefined;
}

/** The owner that an object names, as the end of a sentence about it. */
export const ownerDescription = (spec: { fields: { message: readonly Field[] } }, { stack, urn }: Owner): string =>
  `its \`${ownerField(spec)?.name}\` say that it belongs to ${urn} of the stack ${stack}`;

/** The marks among the entries of a map. */
export const marksIn = (field: Field, value: unknown): Values => entriesOf(value, (key) => isOwnerKey(field, key));

/** A map as the program knows it. */
export const withoutOwnerEntries = (field: Field, value: unknown): unknown =>
  isObject(value) ? entriesOf(value, (key) => !isOwnerKey(field, key)) : value;

/** A map with `marks` in place of those that it has. */
export function withOwnerEntries(field: Field, value: unknown, marks: Values): unknown {
  const plain = withoutOwnerEntries(field, value);
  if (Object.keys(marks).length === 0) return plain;
  return isObject(plain) ? { ...plain, ...marks } : marks;
}

/** The entries by which an owner is named. */
export function marksOf({ markers: { carriesOwner } }: Field, { stack, urn }: Owner): Values {
  return carriesOwner ? { [carriesOwner.stack]: stack, [carriesOwner.urn]: urn } : {};
}

/** Whether a map is not larger than the service takes it: the program's own entries come first. */
export const hasRoomForOwner = ({ markers: { convention } }: Field, value: unknown): boolean =>
  !isObject(value) || Object.keys(value).length <= (convention?.most ?? Number.POSITIVE_INFINITY);

const entriesOf = (value: unknown, predicate: (key: string) => boolean): Values =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => predicate(key))) : {};

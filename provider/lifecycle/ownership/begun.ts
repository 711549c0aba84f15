import { acceptedOf } from "../../core/comparison/accepted";
import { lastSegment } from "../../core/values/names";
import { chosenId, digestOfKey, isAutomatic, isFixed, naturalKey, stackOf, underEachName } from "../identity/ids";
import { precedesLast } from "../identity/notes";
import type { Operation } from "../operation/operation";
import type { Intent } from "../ports/intents";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { type Provenance, provenanceOf } from "./provenance";

/** Digest of the natural key of an object, or of what a program declares; undefined if a part of it is missing. */
export function keyDigestOf({ spec, objects }: Operation, object: Values): string | undefined {
  const key = naturalKey(spec, object);
  return key === undefined ? undefined : digestOfKey(spec.kind, objects.account, key);
}

/** Whether the note is about this object: a natural key tells it from another one that has since taken its name. */
export function isAbout(operation: Operation, { name, keyDigest }: Intent, object: LiveObject): boolean {
  const digest = keyDigestOf(operation, object);
  return digest === undefined || keyDigest === undefined ? name === object.name : keyDigest === digest;
}

/** Whether the note is about what the program declares: it has the id that the program gives, its key, or an own id. */
export function isOfDeclared(operation: Operation, inputs: Values, note: Intent): boolean {
  const { spec, objects } = operation;
  const id = chosenId(spec, inputs);
  const name = id === undefined ? ownNameIn(operation, note) : objects.nameOf(id);
  const hasName = name !== undefined && note.name === name;
  const digest = keyDigestOf(operation, inputs);
  if (digest === undefined || note.keyDigest === undefined || (hasName && isFixed(spec, inputs))) return hasName;
  return note.keyDigest === digest;
}

/** The name in a note where it is an automatic one of this declaration, which is proof by itself. */
export const ownNameIn = ({ call, objects }: Operation, { name }: Intent): string | undefined =>
  name !== undefined && isAutomatic(call.hidden, objects.account, lastSegment(name)) ? name : undefined;

/** Decides who made the object named in a note; an automatic id under any name that the declaration had is proof. */
export function provenanceOfBegun(operation: Operation, found: LiveObject, inputs: Values, note: Intent): Provenance {
  const { call, objects } = operation;
  const id = lastSegment(found.name);
  const hasOwnId = underEachName(call.hidden).some((each) => isAutomatic(each, objects.account, id));
  return provenanceOf(operation, found, inputs, note, hasOwnId);
}

/**
 * The notes of interrupted creates, later than the recorded object, that have certainly made the live one. They may be
 * another declaration's of this stack: a resource that was renamed is recorded under its former URN.
 */
export async function begunSince(
  operation: Operation,
  recorded: Values,
  live: LiveObject,
  inputs: Values,
): Promise<Intent[]> {
  const last = { ...recorded, createTime: acceptedTime(operation, recorded) };
  return (await certainlyBegun(operation, live, inputs)).filter((note) => precedesLast(last, note));
}

/** Whether one of these was this declaration's create, or went on with the recorded object under another URN. */
export async function isBegunAgain(
  operation: Operation,
  recorded: Values,
  live: LiveObject,
  inputs: Values,
): Promise<boolean> {
  const notes = await begunSince(operation, recorded, live, inputs);
  return notes.some((note) => isOwn(operation, note) || note.succeeds === acceptedTime(operation, recorded));
}

/** A read may show another object under the name, which nobody has accepted. */
const acceptedTime = ({ spec }: Operation, recorded: Values): unknown => acceptedOf(spec, recorded)["createTime"];

/** Whether the note is of this declaration, under any name that it had. */
const isOwn = ({ call }: Operation, { urn, of = urn }: Intent): boolean =>
  underEachName(call.hidden).some((each) => each.urn === of);

/** The notes of interrupted creates of this stack that have certainly made the live object, under whichever URN. */
export async function certainlyBegun(operation: Operation, live: LiveObject, inputs: Values): Promise<Intent[]> {
  const notes = await notesAbout(operation, live);
  return notes.filter(
    (note) => !note.settled && provenanceOfBegun(inNameOf(operation, note), live, inputs, note) === "ours",
  );
}

/**
 * The note of another declaration of this stack, whose interrupted create has certainly made the live object. One that
 * was taken over since shows what its taker has sent, whoever made it.
 */
export async function begunElsewhere(
  operation: Operation,
  live: LiveObject,
  inputs: Values,
): Promise<Intent | undefined> {
  const begun = await certainlyBegun(operation, live, inputs);
  return begun.find((note) => !isOwn(operation, note) && !note.passedOn);
}

/** Whether a state holds or held the object of the note, which this stack has made. */
export const isOwnRecorded = ({ settled, taken, own }: Intent): boolean => settled === true && (!taken || own === true);

/**
 * The other declaration of this stack that made the live object, as its note tells since a state has held it. The
 * object that this declaration has recorded under the name is then gone.
 */
export async function makerOf(operation: Operation, live: LiveObject): Promise<string | undefined> {
  const notes = await notesAbout(operation, live);
  const isMaker = (note: Intent): boolean =>
    isOwnRecorded(note) && note.made === live["createTime"] && !isOwn(operation, note);
  return notes.find(isMaker)?.urn;
}

/**
 * The other declaration of this stack that made the object, as far as notes tell. Where a create takes it over from
 * there, it is not adopted: it goes with that one from then on.
 */
export async function findMaker(operation: Operation, live: LiveObject, inputs: Values): Promise<string | undefined> {
  const maker = await makerOf(operation, live);
  if (maker !== undefined) return maker;
  const begun = await begunElsewhere(operation, live, inputs);
  return begun?.of ?? begun?.urn;
}

/** Whether this declaration made the live object under a name that it had before, and a state has held it. */
export async function hasMade(operation: Operation, live: LiveObject): Promise<boolean> {
  const { urn, aliases = [] } = operation.call.hidden;
  const wasNamed = (former: string): boolean =>
    aliases.includes(former) || operation.ports.claims.currentUrnOf(former, live.name) === urn;
  const notes = await notesAbout(operation, live);
  return notes.some(
    (note) => isOwnRecorded(note) && (note.made ?? live["createTime"]) === live["createTime"] && wasNamed(note.urn),
  );
}

/** Whether another declaration of this stack has had an object of that name, or was about to. */
export async function isNotedElsewhere(operation: Operation, name: string): Promise<boolean> {
  const { ports, objects, call } = operation;
  const notes = await ports.intents.naming(objects.origin, objects.account, name);
  const isOther = (note: Intent): boolean => stackOf(note.urn) === stackOf(call.hidden.urn) && !isOwn(operation, note);
  return notes.some((note) => isOther(note) && !note.passedOn);
}

/** The notes of this stack about the live object, or about another one with its name or natural key. */
export async function notesAbout(operation: Operation, live: LiveObject): Promise<Intent[]> {
  const { ports, objects, call } = operation;
  const subject = keyDigestOf(operation, live) ?? live.name;
  const notes = await ports.intents.naming(objects.origin, objects.account, subject);
  return notes.filter(({ urn }) => stackOf(urn) === stackOf(call.hidden.urn));
}

/** The same operation, of a declaration that had the URN of the note before. */
function inNameOf(operation: Operation, { urn, of = urn }: Intent): Operation {
  const { call } = operation;
  const aliases = [...(call.hidden.aliases ?? []), of];
  return { ...operation, call: { ...call, hidden: { ...call.hidden, aliases } } };
}

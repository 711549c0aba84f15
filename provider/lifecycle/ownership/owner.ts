import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { DeclaredUrn } from "../../../io/text/urns";
import { hasMovedMark, isRecreated } from "../../core/comparison/accepted";
import { type HiddenContext, HiddenInput, hiddenInput, recordsIn } from "../../core/declaration/own-fields";
import { phaseOf } from "../../core/declaration/states";
import { isModelPlatformError, ModelPlatformError } from "../../core/errors";
import type { Field } from "../../core/fields/fields";
import {
  hasRoomForOwner,
  type Identity,
  marksIn,
  marksOf,
  type Owner,
  ownerDescription,
  ownerField,
  ownerIn,
  ownerOf,
  withOwnerEntries,
} from "../../core/fields/owner";
import { resourceNameIn } from "../../core/pulumi-names";
import { forgetting, stackCommand } from "../commands";
import { type ObjectIdentity, objectKey } from "../memory/history";
import { aliasText, claimsOf, projectOf, underEachName } from "../memory/identity";
import type { ResourceView } from "../memory/run";
import type { CallContext, DeleteOperation, Operation } from "../operation";
import type { LiveObject, ObjectCollection } from "../ports";
import type { Values } from "../types";

/** The owner of a declaration's objects, as marks name it. */
export const ownerBy = (identity: Identity): Owner =>
  ownerOf(identity, (text) => createHash("sha256").update(text).digest("hex"));

/** The owner that a live object names, if that is this declaration under a current or former name. */
export function ownOwnerOn({ spec, call }: Operation, live: LiveObject): Owner | undefined {
  const owner = ownerIn(spec, live);
  return owner && underEachName(call.hidden).some((each) => isDeepStrictEqual(owner, ownerBy(each)))
    ? owner
    : undefined;
}

const keysOf = (field: Field): string =>
  Object.values(field.markers.carriesOwner ?? {})
    .map((key) => `\`${key}\``)
    .join(" and ");

/** A message to create an object with, and the report if the object lacks its owner's marks. */
interface MarkedMessage {
  message: Values;
  warn?: (name: string) => void;
}

/**
 * Messages to try for a create, in order: with the marks of its declaration, if the setting asks for them and there is
 * room, and without them for a service that rejects marks.
 */
export function markedMessages(operation: Operation, message: Values): MarkedMessage[] {
  const { spec, ports, call } = operation;
  const field = ownerField(spec);
  if (!field || !ports.settings.ownershipMarker) return [{ message }];
  const marked = withOwnerEntries(field, message[field.name], marksOf(field, ownerBy(call.hidden)));
  const warnOfRoom = (name: string): void =>
    call.reporter.warn(
      `${operation.title(name)} does not carry ${keysOf(field)}: there is no room beside its \`${field.name}\`.`,
    );
  return hasRoomForOwner(field, marked)
    ? [
        { message: { ...message, [field.name]: marked } },
        { message, warn: (name) => warnUnmarked(operation, name, field) },
      ]
    : [{ message, warn: warnOfRoom }];
}

/** Whether an error is about what carries the marks: `annotations` or `annotation key`, in the service's own words. */
export function isOwnerKeyError({ spec }: Operation, error: unknown): boolean {
  const field = ownerField(spec);
  if (!field || !isModelPlatformError(error) || error.status !== 400) return false;
  return (error.serviceMessage ?? error.message).toLowerCase().includes(field.name.replace(/s$/, "").toLowerCase());
}

export const warnUnmarked = (operation: Operation, name: string, field: Field): void =>
  operation.call.reporter.warn(
    `${operation.title(name)} does not carry ${keysOf(field)}: the service refuses them. Other stacks cannot tell who owns it.`,
  );

/**
 * Entries of a map beside the program's: the live marks, or this declaration's own. Its own are due if the setting asks
 * for them and there is room, and if the object already names an owner: that is now this declaration.
 */
export function mergedOwnerEntries(
  { ports, call, spec }: Operation,
  field: Field,
  desiredMap: unknown,
  live: LiveObject,
): OwnerEntries {
  const current = withOwnerEntries(field, desiredMap, marksIn(field, live[field.name]));
  const own = withOwnerEntries(field, desiredMap, marksOf(field, ownerBy(call.hidden)));
  const isDue = ownerIn(spec, live) !== undefined || ports.settings.ownershipMarker;
  return { current, due: isDue && hasRoomForOwner(field, own) ? own : current };
}

interface OwnerEntries {
  /** With the marks that are live. */
  current: unknown;
  /** With the marks that it should have. */
  due: unknown;
}

/** Whether two maps carry the same marks, whatever else they contain. */
export const hasSameOwner = (field: Field, desired: unknown, live: unknown): boolean =>
  isDeepStrictEqual(marksIn(field, desired), marksIn(field, live));

/** Whether the object should carry different marks. */
export function needsOwnerUpdate(operation: Operation, live: LiveObject): boolean {
  const field = ownerField(operation.spec);
  if (!field) return false;
  const { current, due } = mergedOwnerEntries(operation, field, live[field.name], live);
  return !hasSameOwner(field, due, current);
}

/**
 * Why a delete that the engine asks for is not obeyed, although it may forget the entry; undefined if it is. An object
 * that some declaration of this run holds stays: the engine asks for an older entry of it.
 */
export function objectionTo({ spec, resource }: DeleteOperation, name: string): string | undefined {
  const title = `${spec.kind} ${name}`;
  if (resource.held === name) return `${title} is the current object of this declaration`;
  const holder = resource.otherHolderOf(name);
  return holder === undefined ? undefined : `${title} belongs to ${holder} now`;
}

/**
 * Rejects if the state at hand has the object for another resource of the program as well: each would undo the other's
 * changes, and one of the two has nothing else.
 */
export function assertRecordedOnce(about: CallContext, object: ObjectIdentity): void {
  const { spec, resource, call } = about;
  const other = resource.otherHolderOf(object.name);
  // Without a creation time, one of the two records may be of an earlier object of the name.
  if (other === undefined || object.createTime === undefined || !isStillRecorded(about, object, other)) return;
  throw new ModelPlatformError(
    `${spec.kind} ${object.name} is in the state twice, as ${call.hidden.urn} and as ${other}, and is changed for neither`,
    {
      code: "recorded-twice",
      about: { object: object.name, resource: other },
      advice: `Take it out of the state for the one that is not to have it, with ${forgetting(about)} or ${forgetting(about, other)}. Then run ${stackCommand(about, "up")}, which creates another for that one.`,
      topic: "another-declaration-has-the-object",
    },
  );
}

/** Whether another resource that the program declares is recorded with the object: it is being replaced, or failed. */
export const isStillRecorded = ({ resource }: CallContext, object: ObjectIdentity, urn: DeclaredUrn): boolean =>
  resource.of(urn).isDeclared &&
  resource.recordedUnder([urn as string]).some((each) => objectKey(each) === objectKey(object));

/** Rejects if another resource of this run claims the object; its create decides what happens to it. */
export function assertNotClaimed(operation: DeleteOperation, name: string, recorded: Values): void {
  const claimant = claimantOf(operation, name, recorded);
  if (claimant !== undefined) throw claimedError(operation, name, claimant);
}

/** The declaration of this run that claims the object and does not hold it yet: its create decides about it. */
export function claimantOf(
  { spec, resource }: DeleteOperation,
  name: string,
  recorded: Values,
): DeclaredUrn | undefined {
  const { accountId } = recordsIn(recorded);
  return otherWanting(resource, [name, ...claimsOf(spec, accountId, recorded)]);
}

/** The other declaration that wants one of the keys: one that already has its object does not need another. */
function otherWanting(resource: ResourceView, keys: string[]): DeclaredUrn | undefined {
  const declarer = resource.otherDeclarerOf(keys);
  return declarer !== undefined && resource.of(declarer).held === undefined ? declarer : undefined;
}

/**
 * The declaration of this run that asks for this very object by its id, and whose create is refused because a state has
 * held it for another one: a resource that was renamed without an alias.
 */
export function renamedTo(
  { ports, spec, resource }: CallContext,
  name: string,
  recorded: Values,
): DeclaredUrn | undefined {
  if (spec.singleton || recordsIn(recorded).adopted === true || mayTake(ports)) return undefined;
  return otherWanting(resource, [name]);
}

/** An engine that tells its state leaves the object to the resource that the state has it for. */
const mayTake = ({ settings, state }: CallContext["ports"]): boolean => settings.recover === "take" && !state;

/** Rejects if the object that `declarer` is to create is live. */
export async function assertGone(operation: DeleteOperation, name: string, declarer: DeclaredUrn): Promise<void> {
  const { objects, spec } = operation;
  const live = objects.isReadable ? await objects.poll(name) : undefined;
  if (live && phaseOf(spec.lifecycle, live) !== "gone") throw claimedError(operation, name, declarer);
}

/** The object is another declaration's by the program, which does not have it yet. */
function claimedError(operation: DeleteOperation, name: string, declarer: DeclaredUrn): ModelPlatformError {
  const { spec, call, resource } = operation;
  const other = resource.of(declarer);
  const theirs = other.recordedName;
  const isSwap = theirs !== undefined && other.otherDeclarerOf([theirs]) === call.hidden.urn;
  const exchanged = isSwap ? `, which has ${spec.kind} ${theirs}: the two exchange their ids` : "";
  return new ModelPlatformError(
    `${operation.title(name)} is not deleted, because the program declares the same object as ${declarer}${exchanged}`,
    {
      code: "declared-by-another",
      about: { object: name, resource: declarer },
      answers: isSwap ? { leaveOut: declarer } : { alias: declarer, leaveOut: declarer },
      advice: isSwap
        ? "Give each the other's name in `aliases` to keep both objects, or leave one of the two out for one `up`."
        : `If it was renamed, give ${resourceNameIn(declarer)} \`${aliasText(call.hidden.urn, declarer)}\`; otherwise leave one of the two out for one \`up\`, or change its id. Then run ${stackCommand(operation, "up")}.`,
      topic: "another-declaration-has-the-object",
    },
  );
}

/**
 * Whether another object has the recorded name. A second read shows whether the creation time moves with reads: then it
 * identifies nothing.
 */
export async function isAnother(operation: Operation, recorded: Values, live: LiveObject): Promise<boolean> {
  const { spec, objects } = operation;
  if (!isRecreated(spec, recorded, live)) return false;
  const again = objects.isReadable ? await objects.find(live.name) : undefined;
  if (!again || !hasMovedMark(spec, live, again)) return true;
  warnOfMovingTime(operation);
  return false;
}

/** Collections with a warning that the times of their objects move. */
const movingTimes = new WeakSet<ObjectCollection>();

/** Reported once per collection: it is a property of the service. */
export function warnOfMovingTime({ spec, objects, call }: Operation): void {
  if (movingTimes.has(objects.shared)) return;
  movingTimes.add(objects.shared);
  call.reporter.warn(
    `The service changes the \`createTime\` of a ${spec.kind} after its creation, so that it does not tell one object from another that takes its name later. What has the recorded name counts as the recorded object.`,
  );
}

/**
 * Why a delete is not about the live object: the recorded one is deleted, and another one has its name. Undefined if it
 * is the recorded one. Rejects if it carries another stack's marks: its entry stays.
 */
export async function replacedObjectReason(
  operation: Operation,
  recorded: Values,
  live: LiveObject,
): Promise<string | undefined> {
  const title = operation.title(live.name);
  if (await isAnother(operation, recorded, live))
    return `${title} is not the object that the state recorded: it was created at ${String(live["createTime"])} under the same name`;
  const owner = foreignOwnerOf(operation, live, recorded);
  if (!owner) return undefined;
  throw new ModelPlatformError(
    `${title} is not deleted, because it belongs to another stack: ${ownerDescription(operation.spec, owner)}`,
    {
      code: "another-stacks",
      advice: `If it is that stack's, run ${forgetting(operation)}, which leaves it; if not, remove these marks and delete again.`,
      topic: "another-stack-has-the-object",
    },
  );
}

/**
 * The owner in another stack that the live object names. `recorded`: its record in a state. If that is of an earlier
 * release, which lists no marks, the same resource of the same project counts as this one: its stack may have been
 * renamed.
 */
export function foreignOwnerOf(operation: Operation, live: LiveObject, recorded?: Values): Owner | undefined {
  const owner = ownerIn(operation.spec, live);
  if (!owner || isOwn(operation, owner, recorded)) return undefined;
  if (!recorded || recordsIn(recorded).marks || !isNamedAs(operation.call.hidden, owner)) return owner;
  operation.call.reporter.info(
    `${operation.title(live.name)} counts as this stack's: ${ownerDescription(operation.spec, owner)}, which has had the same resource.`,
  );
  return undefined;
}

/** Whether an owner is this stack, by its name or by a recorded one. */
function isOwn({ call }: Operation, owner: Owner, recorded: Values = {}): boolean {
  const former = HiddenInput.safeParse(recorded[hiddenInput]);
  const stacks = [call.hidden, ...(former.success ? [former.data] : [])].map((each) => ownerBy(each).stack);
  return [...stacks, recordsIn(recorded).marks?.stack].includes(owner.stack);
}

/** Whether an owner is the same resource of the same project, in any stack. */
const isNamedAs = (hidden: HiddenContext, owner: Owner): boolean =>
  underEachName(hidden).some(
    (each) => ownerBy(each).urn === owner.urn && owner.stack.split("/")[1] === projectOf(each.urn),
  );

/** Rejects if the live object names an owner in another stack: it is neither taken over nor changed. */
export function assertNotForeign(operation: Operation, live: LiveObject, recorded?: Values): void {
  const owner = foreignOwnerOf(operation, live, recorded);
  if (!owner) return;
  const { name, markers } = ownerField(operation.spec)!;
  throw new ModelPlatformError(
    `${operation.title(live.name)} belongs to another stack: ${ownerDescription(operation.spec, owner)}`,
    {
      code: "another-stacks",
      advice: `Give this resource another id, or hand it over: \`state delete\` there, then remove \`${markers.carriesOwner!.stack}\` from its \`${name}\`.`,
      topic: "another-stack-has-the-object",
    },
  );
}

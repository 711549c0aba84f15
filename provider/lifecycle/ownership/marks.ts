import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isModelPlatformError } from "../../core/errors";
import type { Field } from "../../core/fields/fields";
import {
  hasRoomForOwner,
  type Identity,
  marksIn,
  marksOf,
  type Owner,
  ownerField,
  ownerIn,
  ownerOf,
  withOwnerEntries,
} from "../../core/fields/owner";
import { underEachName } from "../identity";
import { describeObject, type ResourceOperation } from "../operation/operation";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";

/** The owner of what a declaration makes, as marks name it. */
export const ownerBy = (identity: Identity): Owner =>
  ownerOf(identity, (text) => createHash("sha256").update(text).digest("hex"));

/** The owner that a live object names, where that is this declaration under a name that it has or had. */
export function ownOwnerOn({ spec, call }: ResourceOperation, live: LiveObject): Owner | undefined {
  const owner = ownerIn(spec, live);
  return owner && underEachName(call.hidden).some((each) => isDeepStrictEqual(owner, ownerBy(each)))
    ? owner
    : undefined;
}

const keysOf = (field: Field): string =>
  Object.values(field.markers.ownerKeys ?? {})
    .map((key) => `\`${key}\``)
    .join(" and ");

/** A message to create an object with, and what to say of the object where it does not carry its owner's marks. */
interface MarkedMessage {
  message: Values;
  warn?: (name: string) => void;
}

/**
 * What to send for a create, in order: the message with the marks of its declaration, where the setting asks for them
 * and there is room, and without them for a service that refuses what carries them.
 */
export function markedMessages(operation: ResourceOperation, message: Values): MarkedMessage[] {
  const { spec, ports, call } = operation;
  const field = ownerField(spec);
  if (!field || !ports.settings.ownershipMarker) return [{ message }];
  const marked = withOwnerEntries(field, message[field.name], marksOf(field, ownerBy(call.hidden)));
  const warnOfRoom = (name: string): void =>
    call.reporter.warn(
      `${describeObject(operation, name)} does not carry ${keysOf(field)}: there is no room beside its \`${field.name}\`.`,
    );
  return hasRoomForOwner(field, marked)
    ? [
        { message: { ...message, [field.name]: marked } },
        { message, warn: (name) => warnUnmarked(operation, name, field) },
      ]
    : [{ message, warn: warnOfRoom }];
}

/** Whether an error is about what carries the marks: `annotations` or `annotation key`, in the service's own words. */
export function isOwnerKeyError({ spec }: ResourceOperation, error: unknown): boolean {
  const field = ownerField(spec);
  if (!field || !isModelPlatformError(error) || error.status !== 400) return false;
  return (error.serviceMessage ?? error.message).toLowerCase().includes(field.name.replace(/s$/, "").toLowerCase());
}

export const warnUnmarked = (operation: ResourceOperation, name: string, field: Field): void =>
  operation.call.reporter.warn(
    `${describeObject(operation, name)} does not carry ${keysOf(field)}: the service refuses them. Other stacks cannot tell who owns it.`,
  );

/**
 * What a map is to hold beside the program's entries: the marks that are live, or this declaration's
 * own. Those are due where the setting asks for them and there is room, and where the object names an
 * owner already: it is this declaration's by now.
 */
export function mergedOwnerEntries(
  { ports, call, spec }: ResourceOperation,
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

/** Whether two maps carry the same marks, whatever else they hold. */
export const hasSameOwner = (field: Field, desired: unknown, live: unknown): boolean =>
  isDeepStrictEqual(marksIn(field, desired), marksIn(field, live));

/** Whether the object should carry different marks. */
export function needsOwnerUpdate(operation: ResourceOperation, live: LiveObject): boolean {
  const field = ownerField(operation.spec);
  if (!field) return false;
  const { current, due } = mergedOwnerEntries(operation, field, live[field.name], live);
  return !hasSameOwner(field, due, current);
}

import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isModelPlatformError } from "../../core/errors";
import type { Field } from "../../core/fields/fields";
import {
  type Identity,
  isRoomFor,
  marksIn,
  marksOf,
  type Owner,
  ownerField,
  ownerIn,
  ownerOf,
  withMarks,
} from "../../core/fields/owner";
import { type Operation, titleOf } from "../operation/operation";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";

/** The owner that a declaration makes, as marks name it. */
export const ownerBy = (identity: Identity): Owner =>
  ownerOf(identity, (text) => createHash("sha256").update(text).digest("hex"));

const keysOf = (field: Field): string =>
  Object.values(field.markers.carriesOwner ?? {})
    .map((key) => `\`${key}\``)
    .join(" and ");

/**
 * Sends a create with the marks of its declaration, where the setting asks for them; and once more without them
 * where the service refuses what carries them.
 */
export async function createMarked(
  operation: Operation,
  message: Values,
  create: (message: Values) => Promise<LiveObject>,
): Promise<LiveObject> {
  const { spec, ports, call } = operation;
  const field = ownerField(spec);
  if (!field || !ports.ownershipMarker) return create(message);
  const marked = withMarks(field, message[field.name], marksOf(field, ownerBy(call.hidden)));
  if (!isRoomFor(field, marked)) {
    const object = await create(message);
    call.reporter.warn(
      `${titleOf(operation, object.name)} does not carry ${keysOf(field)}: there is no room beside its \`${field.name}\`.`,
    );
    return object;
  }
  try {
    return await create({ ...message, [field.name]: marked });
  } catch (error) {
    if (!speaksOf(field, error)) throw error;
    const object = await create(message);
    warnUnmarked(operation, object.name, field);
    return object;
  }
}

/** `annotations` or `annotation key`, in the service's own words. */
const speaksOf = (field: Field, error: unknown): boolean =>
  isModelPlatformError(error) &&
  error.status === 400 &&
  (error.serviceMessage ?? error.message).toLowerCase().includes(field.name.replace(/s$/, "").toLowerCase());

export const warnUnmarked = (operation: Operation, name: string, field: Field): void =>
  operation.call.reporter.warn(
    `${titleOf(operation, name)} does not carry ${keysOf(field)}: the service refuses them. Other stacks cannot tell whose it is.`,
  );

/**
 * What a map is to hold beside the program's entries: the marks that are live, or this declaration's
 * own. Those are due where the setting asks for them and there is room, and where the object names an
 * owner already: it is this declaration's by now.
 */
export function markings({ ports, call, spec }: Operation, field: Field, wanted: unknown, live: LiveObject): Markings {
  const kept = withMarks(field, wanted, marksIn(field, live[field.name]));
  const own = withMarks(field, wanted, marksOf(field, ownerBy(call.hidden)));
  const isDue = ownerIn(spec, live) !== undefined || ports.ownershipMarker;
  return { kept, due: isDue && isRoomFor(field, own) ? own : kept };
}

export interface Markings {
  /** With the marks that are there. */
  kept: unknown;
  /** With the marks that are to be there. */
  due: unknown;
}

/** Whether two maps carry the same marks, whatever else they hold. */
export const isMarkedAs = (field: Field, wanted: unknown, live: unknown): boolean =>
  isDeepStrictEqual(marksIn(field, wanted), marksIn(field, live));

/** Whether the object is to carry other marks than it does. */
export function lacksMarks(operation: Operation, live: LiveObject): boolean {
  const field = ownerField(operation.spec);
  if (!field) return false;
  const { kept, due } = markings(operation, field, live[field.name], live);
  return !isMarkedAs(field, due, kept);
}

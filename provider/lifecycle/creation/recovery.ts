import { standing } from "../../core/declaration/states";
import { isAmbiguousOutcome, isConflict } from "../../core/errors";
import { chosenId } from "../identity/ids";
import { type Operation, requestOptions, titleOf } from "../operation/operation";
import { begunElsewhere, isAbout, isOfDeclared, keyDigestOf, provenanceOfBegun } from "../ownership/begun";
import { mayHaveBeenMade, type Provenance, provenanceOf, unprovenError } from "../ownership/provenance";
import type { Intent } from "../ports/intents";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { leftOverText } from "./left-over";
import { ownIntent, withdrawAll } from "./send";
import { adopt, refuseHeld, type Taken, takeOver } from "./take-over";

/** What is known of a create beside its error. */
interface Attempt {
  /** It was sent with an automatic id. */
  hasOwnId?: boolean;
  /** An earlier request of it may have been carried out. */
  wasLost?: boolean;
}

/**
 * Whether a failed request of this create has created `found` after all, which the note says from then on. Rejects if
 * only people can tell; the note of the request then stays, for a run with their decision.
 */
export async function isEcho(
  operation: Operation,
  found: LiveObject,
  inputs: Values,
  error: unknown,
  { hasOwnId = false, wasLost = false }: Attempt = {},
): Promise<boolean> {
  if (!wasLost && !mayHaveBeenMade(error)) return false;
  const provenance = await judge(operation, found, inputs, await ownIntent(operation), hasOwnId);
  if (provenance === "unproven" && operation.ports.recover !== "new") throw unprovenError(operation, found, error);
  if (provenance === "ours") await identify(operation, found);
  return provenance === "ours";
}

/** What only people could tell is foreign where another declaration of the stack has certainly made it. */
async function judge(
  operation: Operation,
  found: LiveObject,
  inputs: Values,
  note: Intent | undefined,
  hasOwnId = false,
): Promise<Provenance> {
  const provenance = provenanceOf(operation, found, inputs, note, hasOwnId);
  const isAnothers = provenance === "unproven" && (await begunElsewhere(operation, found, inputs)) !== undefined;
  return isAnothers ? "foreign" : provenance;
}

/** The object at the name that a create was refused; rethrows if there is none. */
export async function findInstead(operation: Operation, name: string, error: unknown): Promise<LiveObject> {
  if (!isAmbiguousOutcome(error) && !isConflict(error)) throw error;
  const found = await operation.objects.find(name, requestOptions(operation));
  if (!found) throw error;
  return found;
}

/** An object that an interrupted run of this declaration may have left: `note` is what that run wrote down. */
export async function recover(operation: Operation, found: LiveObject, inputs: Values, note: Intent): Promise<Taken> {
  // The note stays: the other one may be recorded for an older object, which is gone.
  refuseHeld(operation, found.name);
  const provenance = await judge(operation, found, inputs, note);
  const { recover: setting } = operation.ports;
  if (provenance === "ours" || (provenance === "unproven" && setting === "take"))
    return takeOverBegun(operation, found, inputs);
  if (provenance === "unproven" && setting === "ask") throw unprovenError(operation, found);
  await withdrawAll(operation);
  return adopt(operation, found, inputs, undefined);
}

export async function takeOverBegun(operation: Operation, found: LiveObject, inputs: Values): Promise<Taken> {
  await identify(operation, found);
  operation.call.reporter.warn(`${titleOf(operation, found.name)} was left by an interrupted run and is taken over.`);
  return takeOver(operation, found, inputs);
}

/** What has been proven to be begun stays so, though it no longer shows what was sent once it is patched. */
async function identify(operation: Operation, { name, createTime }: LiveObject): Promise<void> {
  const note = await ownIntent(operation);
  if (note && !note.settled && typeof createTime === "string")
    await operation.ports.intents.write({ ...note, name, made: createTime });
}

/**
 * Warns about an object that this declaration started under another id or natural key, before another note replaces its
 * note.
 */
export async function warnOfBegun(operation: Operation, note: Intent, inputs: Values): Promise<void> {
  if (note.settled || isOfDeclared(operation, inputs, note)) return;
  const { spec } = operation;
  const found = await findBegun(operation, note);
  const provenance = found && provenanceOfBegun(operation, found, inputs, note);
  // If the id is now automatic, an object that is certainly ours is taken over.
  const isAnywhere = chosenId(spec, inputs) === undefined && keyDigestOf(operation, inputs) === undefined;
  const isTaken = provenance === "ours" && isAnywhere;
  if (found && provenance !== "foreign" && !isTaken) operation.call.reporter.warn(leftOverText(spec, found.name));
}

async function findBegun(operation: Operation, note: Intent): Promise<LiveObject | undefined> {
  const { objects, spec } = operation;
  const named = note.name === undefined ? undefined : await objects.find(note.name, requestOptions(operation));
  if (named ? isAbout(operation, note, named) : note.keyDigest === undefined) return named;
  for await (const object of objects.list(requestOptions(operation))) {
    if (isAbout(operation, note, object) && standing(spec.lifecycle, object) !== "gone") return object;
  }
  return undefined;
}

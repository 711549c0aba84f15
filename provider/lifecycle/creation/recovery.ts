import { phaseOf } from "../../core/declaration/states";
import { isAmbiguousOutcome, isConflict } from "../../core/errors";
import { chosenId } from "../identity/ids";
import type { CreateAttempt } from "../journal/history";
import { type CreateOperation, type ResourceOperation, requestOptions, titleOf } from "../operation/operation";
import { isOfDeclared, keyDigestOf, writeFactOf } from "../ownership/facts";
import { whose } from "../ownership/whose";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { leftOverText } from "./left-over";
import { mayHaveBeenMade, rejectUnseen, unprovenError } from "./lost-answer";
import { adopt, type Placement, refuseHeld, takeOver } from "./take-over";

/**
 * Whether a failed request of this create has created `found` after all. `wasLost`: an earlier one may have been
 * carried out. Rejects if only a person can decide.
 */
export async function isResultOfLostRequest(
  operation: ResourceOperation,
  found: LiveObject,
  inputs: Values,
  { error, wasLost = false }: { error: unknown; wasLost?: boolean },
): Promise<boolean> {
  if (!wasLost && !mayHaveBeenMade(error)) return false;
  const { is } = await whose(operation, found, inputs);
  if (is === "unproven" && operation.ports.recover !== "new") throw unprovenError(operation, found, error);
  if (is === "begun") await writeFactOf(operation, "made", found);
  return is === "begun";
}

/** The object at the name that a create was refused; rethrows if there is none. */
export async function findInstead(operation: ResourceOperation, name: string, error: unknown): Promise<LiveObject> {
  if (!isAmbiguousOutcome(error) && !isConflict(error)) throw error;
  const found = await operation.objects.find(name, requestOptions(operation)).catch(rejectUnseen(error));
  if (!found) throw error;
  return found;
}

/** An object that an interrupted run of this declaration may have left. */
export async function recover(operation: CreateOperation, found: LiveObject, inputs: Values): Promise<Placement> {
  refuseHeld(operation, found.name);
  const { is } = await whose(operation, found, inputs);
  const { recover: setting } = operation.ports;
  if (is === "begun" || (is === "unproven" && setting === "take")) return takeOverBegun(operation, found, inputs);
  if (is === "unproven" && setting === "ask") throw unprovenError(operation, found);
  return adopt(operation, found, inputs);
}

export async function takeOverBegun(operation: CreateOperation, found: LiveObject, inputs: Values): Promise<Placement> {
  await writeFactOf(operation, "made", found);
  operation.call.reporter.warn(`${titleOf(operation, found.name)} was left by an interrupted run and is taken over.`);
  return takeOver(operation, found, inputs);
}

/** Warns about objects that this declaration started under another id or natural key. */
export async function warnOfBegun(
  operation: ResourceOperation,
  open: readonly CreateAttempt[],
  inputs: Values,
): Promise<void> {
  const { spec } = operation;
  const reported = new Set<string>();
  for (const each of open) {
    if (isOfDeclared(operation, inputs, each)) continue;
    const found = await findBegun(operation, each);
    const is = found && (await whose(operation, found, inputs)).is;
    // If the id is now automatic, an object that is certainly ours is taken over.
    const isAnywhere = chosenId(spec, inputs) === undefined && keyDigestOf(operation, inputs) === undefined;
    const isLeft = (is === "begun" && !isAnywhere) || is === "unproven";
    if (found && isLeft && !reported.has(found.name)) operation.call.reporter.warn(leftOverText(spec, found.name));
    if (found) reported.add(found.name);
  }
}

/** What stands where a create was sent: at its name, or with its natural key where the service chooses the name. */
export async function findBegun(
  operation: ResourceOperation,
  { place, made }: CreateAttempt,
): Promise<LiveObject | undefined> {
  const { objects, spec } = operation;
  const name = made?.name ?? place.name;
  const named = name === undefined ? undefined : await objects.find(name, requestOptions(operation));
  if (place.keyDigest === undefined) return named;
  const isIt = (object: LiveObject): boolean =>
    keyDigestOf(operation, object) === place.keyDigest && phaseOf(spec.lifecycle, object) !== "gone";
  if (named && isIt(named)) return named;
  for await (const object of objects.list(requestOptions(operation))) if (isIt(object)) return object;
  return undefined;
}

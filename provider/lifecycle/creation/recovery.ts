import { phaseOf } from "../../core/declaration/states";
import { isAmbiguousOutcome, isConflict } from "../../core/errors";
import type { CreateAttempt } from "../journal/history";
import { type ResourceOperation, requestOptions } from "../operation/operation";
import { isOfDeclared, keyDigestOf } from "../ownership/facts";
import { idSourceOf, relationOf } from "../ownership/relation";
import { isLeftElsewhere } from "../ownership/verdicts";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { leftOverText } from "./left-over";
import { rejectUnseen } from "./lost-answer";

/** The object at the name that a create was refused; rethrows if there is none. */
export async function findInstead(operation: ResourceOperation, name: string, error: unknown): Promise<LiveObject> {
  if (!isAmbiguousOutcome(error) && !isConflict(error)) throw error;
  const found = await operation.objects.find(name, requestOptions(operation)).catch(rejectUnseen(error));
  if (!found) throw error;
  return found;
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
    if (!found || reported.has(found.name)) continue;
    reported.add(found.name);
    const { relation } = await relationOf(operation, found, inputs);
    if (isLeftElsewhere(relation, idSourceOf(operation, inputs)))
      operation.call.reporter.warn(leftOverText(spec, found.name));
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

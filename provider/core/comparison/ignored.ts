import { isDeepStrictEqual } from "node:util";
import type { Records } from "../declaration/own-records";
import type { ResourceSpec } from "../declaration/resource";
import { differences, isUnset } from "../fields/equality";
import type { Field } from "../fields/fields";
import { valueAt } from "../values/paths";
import type { Values } from "../values/values";
import { isOwned, resetValue } from "./desired";
import { changesBetween, type FieldChange } from "./diff";

/** An update that was accepted: the object `before` and `after` it, and the changes that it carried. */
export interface AcceptedUpdate {
  before: Values;
  after: Values;
  changes: readonly FieldChange[];
}

/**
 * The changes that the service accepted and did not make (A033): what the program wants differs from the
 * object still. Where the program leaves the choice to the service (it cleared a field that does not stay
 * empty, A035, or gave a name that stands for another, A047), whatever the service chose is made; only what
 * stands as before, and is no default, was ignored.
 */
export function ignoredChanges(
  spec: ResourceSpec,
  inputs: Values,
  records: Partial<Records>,
  { before, after, changes }: AcceptedUpdate,
): FieldChange[] {
  const carried = new Set(changes.map((change) => change.property));
  const answered = new Map(
    spec.fields.message
      .filter((field) => !field.markers.inputOnly && carried.has(field.name))
      .map((field) => [field.name, field]),
  );
  return changesBetween(spec, { ...after, ...records, resolutions: {} }, inputs).filter((change) => {
    const field = answered.get(change.property);
    if (field === undefined || change.effect !== "update") return false;
    const isChosen =
      leavesChoice(field, change) &&
      (!isDeepStrictEqual(change.live, valueAt(before, change.path)) || isDefault(field, after, inputs));
    return !isChosen;
  });
}

/** Fields that cannot change and are gone after an update: the service replaced the object with the body. */
export const lostFields = (spec: ResourceSpec, { before, after }: AcceptedUpdate): string[] =>
  spec.fields.message.flatMap((field) =>
    field.markers.immutable && !isUnset(field, before[field.name]) && isUnset(field, after[field.name])
      ? [field.name]
      : [],
  );

const leavesChoice = ({ markers }: Field, { desired }: FieldChange): boolean =>
  markers.sameAs === "resolvedVersion" || (desired === null && markers.onRemoval !== "clear");

/** The service's own value may be the one that stood there before. */
function isDefault(field: Field, after: Values, inputs: Values): boolean {
  if (field.markers.serverDefault || isOwned(field, after)) return true;
  return (
    field.markers.resetTo !== undefined && differences(field, resetValue(field, inputs), after[field.name]).length === 0
  );
}

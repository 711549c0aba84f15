import type { Records } from "../declaration/own-records";
import type { ResourceSpec } from "../declaration/resource";
import { asCompleteMessage, differences, isUnset } from "../fields/equality";
import type { Field } from "../fields/fields";
import { fieldsByName } from "../fields/places";
import { isWithin, parsePath, pathText } from "../values/paths";
import type { Values } from "../values/values";
import { isOwned, resetValue } from "./desired";
import { changesBetween, type FieldChange } from "./diff";

/** An update that was accepted: the object `before` and `after` it, and the changes that it carried. */
export interface AcceptedUpdate {
  before: Values;
  after: Values;
  changes: readonly FieldChange[];
}

/** What differs still once a write was accepted (A033). */
export interface Outcome {
  /** Stands as before: the service accepted the change and did not make it. */
  ignored: readonly FieldChange[];
  /** Guards people, and is not what was sent (A049). */
  refused: readonly FieldChange[];
  /** The service made something else of what was sent. That stands. */
  kept: readonly FieldChange[];
}

/**
 * What the service made of an update. Where the program leaves the choice to the service (it cleared a field that does
 * not stay empty, A035, or gave a name that stands for another, A047), whatever the service chose is made; only what
 * stands as before, and is no default, was ignored.
 */
export function outcomeOfUpdate(
  spec: ResourceSpec,
  inputs: Values,
  records: Partial<Records>,
  { before, after, changes }: AcceptedUpdate,
): Outcome {
  const answered = answeredFields(spec);
  const sent = new Set(changes.map((change) => change.property));
  const standing = changesBetween(spec, { ...after, ...records }, inputs).map(({ path }) => path);
  const rest = changesBetween(spec, { ...after, ...records, resolutions: {} }, inputs).filter((change) => {
    const field = answered.get(change.property);
    if (field === undefined || !sent.has(change.property) || change.effect !== "update") return false;
    if (!standing.includes(change.path)) return false;
    return (
      !leavesChoice(field, change) || (!hasMoved(field, change, before, after) && !isDefault(field, after, inputs))
    );
  });
  const isOld = (change: FieldChange): boolean => !hasMoved(answered.get(change.property)!, change, before, after);
  const made = rest.filter((change) => !isOld(change));
  return { ignored: rest.filter(isOld), ...classifyRejected(spec, made) };
}

/** What the service made of a create. What it chose where the program cleared a field was not sent. */
export function outcomeOfCreate(spec: ResourceSpec, inputs: Values, known: Values): Outcome {
  const answered = answeredFields(spec);
  const rest = changesBetween(spec, known, inputs).filter((change) => {
    const field = answered.get(change.property);
    return field !== undefined && change.effect !== "record" && !leavesChoice(field, change);
  });
  return { ignored: [], ...classifyRejected(spec, rest) };
}

function classifyRejected(
  { fields }: ResourceSpec,
  changes: readonly FieldChange[],
): Pick<Outcome, "refused" | "kept"> {
  const watched = new Set(fields.message.filter(({ markers }) => markers.watched).map(({ name }) => name));
  return {
    refused: changes.filter(({ property }) => watched.has(property)),
    kept: changes.filter(({ property }) => !watched.has(property)),
  };
}

const answeredFields = ({ fields }: ResourceSpec): ReadonlyMap<string, Field> =>
  fieldsByName(fields.message.filter(({ markers }) => !markers.inputOnly));

/** Whether an update has made something else of what stands at the change, or around it. */
function hasMoved(field: Field, { path }: FieldChange, before: Values, after: Values): boolean {
  const moved = differences(asCompleteMessage(field), before[field.name], after[field.name]);
  return moved.map((difference) => pathText(difference.path)).some((at) => isWithin(at, path) || isWithin(path, at));
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

/** Whether a change at `path` is at or below one of the paths that a program ignores; `*` stands for any one member. */
export function isIgnored(path: string, ignoreChanges: readonly string[]): boolean {
  const place = parsePath(path);
  return ignoreChanges
    .map(parsePath)
    .some(
      (ignored) =>
        ignored.length <= place.length &&
        ignored.every((segment, index) => segment === "*" || segment === place[index]),
    );
}

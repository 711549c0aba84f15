import { recordsIn } from "../declaration/own-fields";
import type { ResourceSpec } from "../declaration/resource";
import { phaseOf } from "../declaration/states";
import { asCompleteMessage, type Difference, differences, isUnset } from "../fields/equality";
import type { Field } from "../fields/fields";
import { memoizeByKey } from "../values/once";
import { isObject, type Values } from "../values/values";

/** Watched fields as somebody last accepted them; null is unset. */
type AcceptedValues = Record<string, unknown>;

/** Fields that are watched even if the program does not set them, and those that identify the object (A049). */
const watchedFields = memoizeByKey(({ fields }: ResourceSpec): readonly Field[] =>
  [...fields.message, ...fields.outputs].filter(({ markers }) => markers.watched),
);

/** Whether only the service sets the field: a different value means a different object, even under the same name. */
export const isIdentityField = ({ fields }: ResourceSpec, name: unknown): boolean =>
  fields.outputs.some((field) => field.name === name);

/** Whether an object of the kind is distinguishable from others that had its name before or get it later. */
export const hasIdentityField = (spec: ResourceSpec): boolean =>
  watchedFields(spec).some(({ name }) => isIdentityField(spec, name));

/**
 * What was last accepted: by a create, an update, an adoption or an import, never by a read. States of a release that
 * kept no such record have accepted what they recorded.
 */
export function acceptedOf(spec: ResourceSpec, outputs: Values): AcceptedValues {
  const { accepted = {} } = recordsIn(outputs);
  return Object.fromEntries(
    watchedFields(spec).map((field) => [
      field.name,
      declaredPart(field, Object.hasOwn(accepted, field.name) ? accepted[field.name] : outputs[field.name]) ?? null,
    ]),
  );
}

/** Whether a message that newer releases of the API add to is the field, or is within it. */
const hasGrowing = memoizeByKey(
  ({ markers, fields = [], item }: Field): boolean =>
    markers.grows === true || fields.some(hasGrowing) || (item !== undefined && hasGrowing(item)),
);

/** Nobody accepts what no release of this package declares: a newer one of the API may add it, and take it back. */
function declaredPart(field: Field, value: unknown): unknown {
  if (!hasGrowing(field)) return value;
  if (Array.isArray(value)) return field.item ? value.map((entry) => declaredPart(field.item!, entry)) : value;
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const declared = field.fields?.find((each) => each.name === name);
    if (declared) return [[name, declaredPart(declared, member)] as const];
    return field.markers.grows ? [] : [[name, member] as const];
  });
  return Object.fromEntries(members);
}

/** Where a live object differs from what was last accepted, fields that are still settling aside. */
export function deviations(spec: ResourceSpec, outputs: Values, live: Values = outputs): Difference[] {
  const accepted = acceptedOf(spec, outputs);
  const isMoving = phaseOf(spec.lifecycle, live) === "moving";
  const managed = new Set(recordsIn(outputs).managedFields);
  return watchedFields(spec).flatMap((field) => {
    const [was, is] = [accepted[field.name], live[field.name]];
    if (isIdentityField(spec, field.name) && !(isTime(was) && isTime(is))) return [];
    // What an input of the program resolved to is recorded beside the input (A047).
    if (
      (isMoving && isStillChanging(field, is)) ||
      (field.markers.sameAs === "resolvedVersion" && managed.has(field.name))
    )
      return [];
    return differences(asCompleteMessage(field), was, is);
  });
}

/** Whether the live object is another one than was last accepted, created since under the same name. */
export const isRecreated = (spec: ResourceSpec, recorded: Values, live: Values): boolean =>
  deviations(spec, recorded, live).some(({ path }) => isIdentityField(spec, path[0]));

/** Any other value identifies no object: services have answered objects, constants and counters as times. */
const isTime = (value: unknown): boolean =>
  typeof value === "number" || (typeof value === "string" && Number.isFinite(Number(value) || Date.parse(value)));

/** Moved by the service, or still to be resolved by it. */
export const isStillChanging = ({ markers }: Field, live: unknown): boolean =>
  markers.serverMoved === true ||
  (markers.sameAs === "resolvedVersion" && (live === undefined || live === null || live === ""));

/** What an acceptance token is made from: the object's name, and the values that its deviations have come to. */
export function deviationText(spec: ResourceSpec, live: Values, deviating: readonly Difference[]): string {
  const names = new Set(deviating.map(({ path }) => path[0]));
  const values = watchedFields(spec)
    .filter(({ name }) => names.has(name))
    .map((field) => [field.name, isUnset(field, live[field.name]) ? null : inOrder(field, live[field.name])]);
  return JSON.stringify([live["name"], values]);
}

/** The same text for the same value: neither the order of members nor that of a set means anything. */
function inOrder(field: Field | undefined, value: unknown): unknown {
  if (Array.isArray(value)) {
    const entries = value.map((entry) => inOrder(field?.item, entry));
    return field?.markers.setOf ? entries.map((entry) => JSON.stringify(entry)).sort() : entries;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [
      name,
      inOrder(
        field?.fields?.find((candidate) => candidate.name === name),
        member,
      ),
    ]);
}

/** An object before and after an update. */
interface UpdateComparison {
  recorded: Values;
  /** The desired value of each field that the program sets or clears. */
  desired: Values;
  before: Values;
  after: Values;
  /** The program has accepted what stood before. */
  isAccepted: boolean;
}

/**
 * What is accepted after an update: what the program says, what the update has changed itself, and everything where the
 * program accepts it. What somebody else had changed before stays unaccepted.
 */
export function acceptedAfter(
  spec: ResourceSpec,
  { recorded, desired, before, after, isAccepted }: UpdateComparison,
): AcceptedValues {
  const accepted = acceptedOf(spec, recorded);
  const hasMoved = hasMovedMark(spec, before, after) || isKnownToMove(spec, recorded);
  const stood = new Set(deviations(spec, recorded, before).map(({ path }) => path[0]));
  return Object.fromEntries(
    watchedFields(spec).map((field) => {
      const { name } = field;
      if (hasMoved && isIdentityField(spec, name)) return [name, null];
      const isLeft = stood.has(name) && !isAccepted && !matchesDesired(field, desired, after);
      return [name, isLeft ? accepted[name] : (after[name] ?? null)];
    }),
  );
}

/** Whether what only a creation sets has changed between two looks at one object: then it identifies nothing. */
export const hasMovedMark = (spec: ResourceSpec, before: Values, after: Values): boolean =>
  watchedFields(spec).some((field) => {
    const [was, is] = [before[field.name], after[field.name]];
    return (
      isIdentityField(spec, field.name) &&
      isTime(was) &&
      isTime(is) &&
      differences(asCompleteMessage(field), was, is).length > 0
    );
  });

/** The object without what only a creation sets. */
export function withoutIdentity(spec: ResourceSpec, live: Values): Values {
  const marks = watchedFields(spec).filter(({ name }) => isIdentityField(spec, name));
  return { ...live, ...Object.fromEntries(marks.map(({ name }) => [name, undefined])) };
}

/** Whether an earlier update has moved it: the accepted value is then null. */
const isKnownToMove = (spec: ResourceSpec, recorded: Values): boolean =>
  watchedFields(spec).some(
    ({ name }) =>
      isIdentityField(spec, name) && recordsIn(recorded).accepted?.[name] === null && isTime(recorded[name]),
  );

/** Whether a live value is all that the program wants, so that the program has accepted it. */
export const matchesDesired = (field: Field, desired: Values, live: Values): boolean =>
  Object.hasOwn(desired, field.name) &&
  differences(asCompleteMessage(field), desired[field.name], live[field.name]).length === 0;

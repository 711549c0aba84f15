import { costAboveLimit } from "../declaration/billing";
import { optionsIn, type Records, recordsIn } from "../declaration/own-fields";
import type { ResourceSpec } from "../declaration/resource";
import { hasFailed, hasReachedGoal } from "../declaration/states";
import { asCompleteMessage, differences, isUnset, type Resolution } from "../fields/equality";
import { type Field, fieldsByName } from "../fields/fields";
import { accountOf, lastSegment } from "../values/names";
import { containsUnknown, isUnknown, isWithin, parsePath, pathText, type Values } from "../values/values";
import { acceptedOf, deviations, matchesDesired } from "./accepted";
import { desiredFields, isOwned, resetValue } from "./desired";

/** One difference between a program and a recorded or live object, and what it takes to remove it. */
export interface FieldChange {
  /** In Pulumi's property-path syntax. */
  path: string;
  /** Top-level property. */
  property: string;
  desired: unknown;
  live: unknown;
  /** `record` sends nothing: only this provider's memory of the program changes. */
  effect: "replace" | "update" | "record";
  /** The program's inputs do not show it: a failed object, a value read from elsewhere. */
  beneathInputs?: true;
  /** What became of the object differs, not a field: a record of it may be out of date. */
  ofOutcome?: true;
}

/** The answer to the engine: `changes: undefined` lets it compare inputs itself, so that its own options apply. */
export interface DiffResult {
  changes: boolean | undefined;
  replaces: string[];
  deleteBeforeReplace: boolean;
}

/** Whether a field that is never answered still has the desired value, judging by its recorded digest (A054). */
export type UnchangedTest = (field: Field, inputs: Values, digest: string | undefined) => boolean;

/**
 * Everything that differs between the program's checked `inputs` and the `outputs` recorded or read. Does no I/O: what
 * it takes to judge values that are never answered comes in as `unchanged`; without it they count as unchanged.
 */
export function changesBetween(
  spec: ResourceSpec,
  outputs: Values,
  inputs: Values,
  unchanged: UnchangedTest = () => true,
): FieldChange[] {
  const records = recordsIn(outputs);
  const desired = desiredFields(spec, inputs, records.managedFields, outputs);
  return [
    ...identityChanges(spec, outputs, inputs),
    ...spec.fields.message.flatMap((field) =>
      Object.hasOwn(desired, field.name)
        ? fieldChanges(field, desired[field.name], { outputs, inputs, resolution: records.resolutions?.[field.name] })
        : [],
    ),
    ...[...spec.fields.behaviours, ...spec.fields.directives].flatMap((field) => optionChanges(field, outputs, inputs)),
    ...spec.fields.message.flatMap((field) =>
      field.markers.inputOnly && !unchanged(field, inputs, records.digests?.[field.name])
        ? [rewrite(spec, field, inputs)]
        : [],
    ),
    ...outcomeChanges(spec, outputs, inputs),
    ...acceptanceChanges(spec, outputs, desired),
  ];
}

/** The program now sets the value that somebody else had set: nothing is sent, and the value is accepted. */
function acceptanceChanges(spec: ResourceSpec, outputs: Values, desired: Values): FieldChange[] {
  const names = new Set(deviations(spec, outputs).map(({ path }) => path[0]));
  return spec.fields.message
    .filter((field) => names.has(field.name) && matchesDesired(field, desired, outputs))
    .map(({ name }) => ({
      path: name,
      property: name,
      desired: desired[name],
      live: acceptedOf(spec, outputs)[name],
      effect: "record",
      beneathInputs: true,
    }));
}

/** Neither side has the value: a change is reported by the input that names its source, without the value. */
function rewrite(spec: ResourceSpec, field: Field, inputs: Values): FieldChange {
  const sources = [field, ...spec.fields.behaviours.filter(({ markers }) => markers.rewrites === field.name)];
  return {
    path: (sources.find(({ name }) => inputs[name] !== undefined) ?? field).name,
    property: field.name,
    desired: undefined,
    live: undefined,
    effect: "update",
    beneathInputs: true,
  };
}

/** Properties whose change replaces the object for sure: what is not known yet may come out as it was. */
export const replacingProperties = (changes: readonly FieldChange[]): string[] => [
  ...new Set(
    changes
      .filter(({ effect, desired }) => effect === "replace" && !containsUnknown(desired))
      .map(({ property }) => property),
  ),
];

/** The answer to the engine about `changes`. */
export function toDiffResult(spec: ResourceSpec, changes: readonly FieldChange[], inputs: Values): DiffResult {
  const replacing = changes.filter((change) => change.effect === "replace");
  if (replacing.length > 0) {
    const replaces = [...new Set(replacing.map((change) => change.property))];
    return { changes: true, replaces, deleteBeforeReplace: mustDeleteFirst(spec, replaces, inputs) };
  }
  return { changes: changesSummary(changes), replaces: [], deleteBeforeReplace: false };
}

/**
 * Whether the old object goes first where the engine has its own reason to replace it, such as `replaceOnChanges`. An
 * id that can never be used again, or an adopted object, whose deletion leaves it, would be lost by that.
 */
export function goesFirstIfReplaced(
  spec: ResourceSpec,
  outputs: Values,
  inputs: Values,
  changes: readonly FieldChange[],
): boolean {
  const isLost = spec.identity.neverReused === true || recordsIn(outputs).adopted === true;
  if (changes.length === 0 || isLost) return false;
  return mustDeleteFirst(
    spec,
    changes.map(({ property }) => property),
    inputs,
  );
}

/** Undefined if the engine's own comparison of inputs is enough. */
function changesSummary(changes: readonly FieldChange[]): boolean | undefined {
  if (changes.length === 0) return false;
  return changes.some(({ beneathInputs }) => beneathInputs) ? true : undefined;
}

/** The successor would have the same id or natural key in the same account, so the old object has to go first. */
function mustDeleteFirst(spec: ResourceSpec, replaces: readonly string[], inputs: Values): boolean {
  const { resourceId } = spec.fields;
  const moves = (name: string) => replaces.includes(name);
  if (moves("accountId") || spec.singleton) return false;
  const key = spec.identity.naturalKey ?? [];
  const keepsId = resourceId !== undefined && inputs[resourceId.name] !== undefined && !moves(resourceId.name);
  return keepsId || (key.length > 0 && !key.some(moves));
}

function identityChanges(spec: ResourceSpec, outputs: Values, inputs: Values): FieldChange[] {
  const name = String(outputs["name"] ?? "");
  const account = optionsIn(outputs).accountId ?? accountOf(name);
  const moved: FieldChange[] =
    optionsIn(inputs).accountId === undefined || optionsIn(inputs).accountId === account
      ? []
      : [replacement("accountId", optionsIn(inputs).accountId, account)];
  const { resourceId } = spec.fields;
  if (!resourceId || inputs[resourceId.name] === undefined) return moved;
  const [desiredId, currentId] = [inputs[resourceId.name], lastSegment(name)];
  const asked = recordsIn(outputs).resolutions?.[resourceId.name];
  return desiredId === currentId || (asked !== undefined && asked.input === desiredId && asked.value === currentId)
    ? moved
    : [...moved, replacement(resourceId.name, desiredId, currentId)];
}

const replacement = (property: string, desired: unknown, live: unknown): FieldChange => ({
  path: property,
  property,
  desired,
  live,
  effect: "replace",
});

/** What it takes to remove a difference of the field. */
export function effectOf({ name, markers }: Field, inputs: Values): FieldChange["effect"] {
  const { immutable } = optionsIn(inputs);
  const isDeclared = Array.isArray(immutable) && immutable.includes(name);
  if (markers.immutable || isDeclared) return "replace";
  return markers.recordedOnly ? "record" : "update";
}

function fieldChanges(
  field: Field,
  desired: unknown,
  { outputs, inputs, resolution }: { outputs: Values; inputs: Values; resolution: Resolution | undefined },
): FieldChange[] {
  if (field.markers.deprecated) return [];
  if (field.markers.inputOnly) return [];
  const effect = effectOf(field, inputs);
  const live = effect === "record" && resolution ? resolution.input : outputs[field.name];
  return differences(field, desired, live, resolution).map((difference) => ({
    path: pathText(difference.path),
    property: field.name,
    desired: difference.desired,
    live: difference.live,
    effect,
  }));
}

/**
 * Options of this provider and directives of create: recorded, so that a later delete sees
 * them (its inputs are the recorded outputs).
 */
function optionChanges(field: Field, outputs: Values, inputs: Values): FieldChange[] {
  const [configured, recorded] = [
    inputs[field.name] ?? field.markers.behaviour?.default,
    outputs[field.name] ?? field.markers.behaviour?.default,
  ];
  const changed = differences(asCompleteMessage(field), configured, recorded);
  const effect = (value: unknown): FieldChange["effect"] => {
    if (field.markers.rewrites) return "update";
    return field.markers.restarts && value !== undefined ? "replace" : "record";
  };
  return changed.map(({ path, desired, live }) => ({
    path: pathText(path),
    property: field.markers.rewrites ?? field.name,
    desired,
    live,
    effect: effect(desired),
  }));
}

/**
 * An object that failed differs from the one declared, regardless of its fields; so does one that a run of this stack
 * has waited for in vain, until it is what the program waits for.
 */
function outcomeChanges(spec: ResourceSpec, outputs: Values, inputs: Values): FieldChange[] {
  const changes: FieldChange[] = [];
  const state = (effect: FieldChange["effect"]): FieldChange => ({
    path: "state",
    property: "state",
    desired: spec.lifecycle?.ready[0],
    live: outputs["state"],
    effect,
    beneathInputs: true,
    ofOutcome: true,
  });
  if (spec.lifecycle && hasFailed(spec.lifecycle, outputs)) changes.push(state(failureEffect(spec, inputs, outputs)));
  else if (recordsIn(outputs).awaited && !hasReachedGoal(spec, outputs, inputs)) changes.push(state("update"));
  if (outputs["retired"] === true && optionsIn(inputs).recreateIfPurged === true)
    changes.push({ ...state("replace"), path: "retired", property: "retired", live: true, desired: false });
  return changes;
}

/**
 * A failed job is held or run again as its program says, and held where another run would cost too
 * much; anything else that failed is recreated.
 */
function failureEffect(spec: ResourceSpec, inputs: Values, outputs: Values): "replace" | "update" {
  if (optionsIn(inputs).onFailure === undefined) return "replace";
  const attempts = Number(outputs["attempts"] ?? 1);
  const most = isUnknown(optionsIn(inputs).maxAttempts)
    ? Number.POSITIVE_INFINITY
    : Number(optionsIn(inputs).maxAttempts ?? Number.POSITIVE_INFINITY);
  const isOverBudget = costAboveLimit(spec.costLimit, inputs, outputs) !== undefined;
  return optionsIn(inputs).onFailure === "rerun" && attempts < most && !isOverBudget ? "replace" : "update";
}

/** An update that was accepted: the object `before` and `after` it, and the changes that it carried. */
export interface AcceptedUpdate {
  before: Values;
  after: Values;
  changes: readonly FieldChange[];
}

/** What still differs after an accepted write (A033). */
export interface Outcome {
  /** Unchanged: the service accepted the change but did not make it. */
  ignored: readonly FieldChange[];
  /** Guards people, and is not what was sent (A049). */
  refused: readonly FieldChange[];
  /** The service stored a different value, and we keep it. */
  kept: readonly FieldChange[];
}

/**
 * The outcome of an update. If the program leaves the choice to the service (it cleared a field that does not stay
 * empty, A035, or set an alias, A047), any value that the service chose counts; ignored is only what is unchanged and
 * not a default.
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

/** Whether an update has changed the value at the path of the change, or around it. */
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

/** The service's own value may be the one from before. */
function isDefault(field: Field, after: Values, inputs: Values): boolean {
  if (field.markers.serverDefault || isOwned(field, after)) return true;
  return (
    field.markers.resetTo !== undefined && differences(field, resetValue(field, inputs), after[field.name]).length === 0
  );
}

/** Whether a change at `path` is at or below one of the paths that a program ignores; `*` matches any one member. */
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

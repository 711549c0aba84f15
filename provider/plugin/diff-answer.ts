import { isDeepStrictEqual } from "node:util";
import type { ProtocolDiff } from "../../protocol/provider-calls";
import { changesBetween, type FieldChange } from "../core/comparison/diff";
import type { ResourceSpec } from "../core/declaration/resource";
import { type Field, fieldAtPath } from "../core/fields/fields";
import { memoizeByKey } from "../core/values/once";
import { isObject, PathTree, parsePath, pathText, type Segment, topLevel, unknownValue } from "../core/values/values";
import type { Comparison, Values } from "../lifecycle/types";

/** What is known about an object before it is created: what the program gives. */
export function outputsBeforeCreate(spec: ResourceSpec, inputs: Values): Values {
  return {
    ...unknownsOf([...spec.fields.outputs, ...spec.fields.message]),
    ...unknownId(spec),
    ...omitUndefined(inputs),
  };
}

const unknownId = ({ fields: { resourceId } }: ResourceSpec): Values =>
  resourceId ? { [resourceId.name]: unknownValue } : {};

/**
 * What is known of an object before it is changed: what tells which object it is, what the program gives, and what
 * stays as it is. The service may move everything that only it sets with any change.
 */
export function outputsBeforeUpdate(spec: ResourceSpec, outputs: Values, inputs: Values): Values {
  const changes = changesBetween(spec, outputs, inputs);
  const touched = new Set(changes.map(({ property }) => property));
  const isSent = changes.some(({ effect }) => effect !== "record");
  const stable = new Set(stableNames(spec));
  const moving = isSent ? spec.fields.outputs.filter(({ name }) => !stable.has(name)) : [];
  const derived = Object.entries(spec.derived)
    .filter(([, { from }]) => from.some((path) => touched.has(path)))
    .map(([name]) => name);
  const programValues = Object.fromEntries(
    [...touched].map((name) => [name, inputs[name] ?? unknownValue] as const).filter(([name]) => isField(spec, name)),
  );
  return {
    ...omitUndefined(outputs),
    ...unknownsOf(moving),
    ...Object.fromEntries(derived.map((name) => [name, unknownValue])),
    ...programValues,
  };
}

const isField = ({ fields }: ResourceSpec, name: string): boolean =>
  [...fields.message, ...fields.behaviours, ...fields.directives].some((field) => field.name === name);

/** Outputs that no update changes. */
const stableNames = memoizeByKey((spec: ResourceSpec): readonly string[] => {
  const { message, outputs, resourceId } = spec.fields;
  const isFixed = ({ name, markers }: Field): boolean =>
    name === "name" || name === "createTime" || markers.immutable === true;
  return [
    ...[...outputs, ...message].filter(isFixed).map(({ name }) => name),
    ...(resourceId ? [resourceId.name] : []),
    "accountId",
    "endpoint",
    ...outputs.filter(({ name, markers }) => markers.watched && name !== "createTime").map(({ name }) => name),
  ];
});

const unknownsOf = (fields: readonly Field[]): Values =>
  Object.fromEntries(fields.filter(({ markers }) => !markers.volatile).map(({ name }) => [name, unknownValue]));

const omitUndefined = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));

/** A comparison as an engine takes it. Every path of `detailed` begins with one of `diffs`; each of them has a path. */
export interface DetailedDiff extends ProtocolDiff {
  /** Outputs that stay as they are. */
  stables: readonly string[];
  detailed: ReadonlyMap<string, DiffEntry>;
}

/**
 * The engine's own options, such as `ignoreChanges`, have gone into the inputs before they are compared: where these
 * are as they were, and nothing beneath them differs, nothing has changed.
 */
export function toDetailedDiff(
  spec: ResourceSpec,
  { changes, replaces, deleteBeforeReplace, found }: Comparison,
  compared: ComparedValues,
): DetailedDiff {
  const { oldInputs, inputs } = compared;
  const isSame = changes === undefined && oldInputs !== undefined && isDeepStrictEqual(oldInputs, inputs);
  if (changes === false || isSame)
    return {
      ...{ changes: "none", diffs: [], replaces: [], detailed: new Map() },
      ...{ stables: stableNames(spec), deleteBeforeReplace: false },
    };
  const detailed = diffEntries(spec, found, replaces, compared);
  const diffs = [...new Set(found.map(({ path }) => topLevel(path)))];
  const stables = replaces.length > 0 ? [] : stableNames(spec).filter((name) => !diffs.includes(name));
  return { changes: "some", diffs, replaces, stables, deleteBeforeReplace, detailed };
}

/** One difference as a preview shows it. */
export interface DiffEntry {
  kind: "add" | "delete" | "update";
  replaces: boolean;
  /** It is one between inputs; otherwise the recorded object differs from what is declared. */
  inputDiff: boolean;
}

/** What an engine has: it compares `inputs` with the inputs that it recorded, or with the object's outputs. */
interface ComparedValues {
  oldInputs: Values | undefined;
  outputs: Values;
  inputs: Values;
}

/** The differences, each by a path that the engine finds in what it has: it knows entries of lists by index alone. */
export function diffEntries(
  spec: ResourceSpec,
  changes: readonly FieldChange[],
  replaces: readonly string[],
  { oldInputs, outputs, inputs }: ComparedValues,
): Map<string, DiffEntry> {
  const entries = new Map<string, DiffEntry>();
  for (const change of changes) {
    const { effect, beneathInputs } = change;
    const inputDiff = beneathInputs !== true;
    const before = inputDiff ? (oldInputs ?? outputs) : outputs;
    const way = parsePath(change.path);
    // A change of a setting that writes another property is reported at the setting.
    const entryKey = String(way[0]);
    const place = placeOf(spec, { way, taken: 1 }, [before[entryKey], inputs[entryKey]]);
    const path = pathText([entryKey, ...place.segments]);
    const kind = place.kind ?? (place.segments.length + 1 < way.length ? "update" : kindOf(change));
    const there = entries.get(path);
    entries.set(path, {
      kind: there && there.kind !== kind ? "update" : kind,
      replaces: there?.replaces === true || (effect === "replace" && replaces.includes(change.property)),
      inputDiff: inputDiff && there?.inputDiff !== false,
    });
  }
  const paths = new PathTree(entries.keys());
  return new Map([...entries].filter(([path]) => !paths.isAround(path)));
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

function kindOf({ desired, live }: FieldChange): DiffEntry["kind"] {
  if (isAbsent(live) === isAbsent(desired)) return "update";
  return isAbsent(live) ? "add" : "delete";
}

interface Place {
  segments: readonly Segment[];
  /** Of a list entry that only one side has: the entry at its index on the other side is unrelated. */
  kind?: "add" | "delete";
}

/** The way to a difference, by the keys of entries, and how much of it has been walked. */
interface PathWalk {
  way: readonly Segment[];
  taken: number;
}

/** As far as one of the sides has what the way leads to, with entries of a list by index instead of by key. */
function placeOf(spec: ResourceSpec, walk: PathWalk, sides: readonly unknown[]): Place {
  const step = walk.way[walk.taken];
  if (step === undefined) return { segments: [] };
  if (typeof step === "string" && sides.some(Array.isArray)) return entryOf(spec, walk, step, sides);
  const members = sides.map((side) => (isObject(side) && Object.hasOwn(side, step) ? side[step] : undefined));
  return members.every((member) => member === undefined) ? { segments: [] } : beyond(spec, walk, step, members);
}

/** An entry whose index differs between the sides has no path of its own: then the whole list differs. */
function entryOf(spec: ResourceSpec, walk: PathWalk, key: string, sides: readonly unknown[]): Place {
  const { setOf } = fieldAtPath(spec, walk.way.slice(0, walk.taken))?.markers ?? {};
  const lists = sides.map((side) => (Array.isArray(side) ? (side as Values[]) : []));
  const [before = -1, after = -1] = lists.map((list) =>
    list.findIndex((entry) => String(entry?.[String(setOf)]) === key),
  );
  if (before < 0 && after < 0) return { segments: [] };
  if (before < 0) return { segments: [after], kind: "add" };
  if (after < 0) return { segments: [before], kind: "delete" };
  if (before !== after) return { segments: [] };
  const entries = lists.map((list) => list[before]);
  return beyond(spec, walk, before, entries);
}

/** The place of the rest of the way, behind `segment`. */
function beyond(spec: ResourceSpec, { way, taken }: PathWalk, segment: Segment, sides: readonly unknown[]): Place {
  const rest = placeOf(spec, { way, taken: taken + 1 }, sides);
  return { ...rest, segments: [segment, ...rest.segments] };
}

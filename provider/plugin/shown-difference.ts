import type { FieldChange } from "../core/comparison/diff";
import type { ResourceSpec } from "../core/declaration/resource";
import type { Field } from "../core/fields/fields";
import { parsePath, pathText, type Segment } from "../core/values/paths";
import { isObject, type Values } from "../core/values/values";

/** One difference as a preview shows it. */
export interface ShownDifference {
  kind: "add" | "delete" | "update";
  replaces: boolean;
  /** It is one between inputs; otherwise the recorded object differs from what is declared. */
  inputDiff: boolean;
}

/** What an engine has: it compares `inputs` with the inputs that it recorded, or with the object's outputs. */
export interface ComparedValues {
  oldInputs: Values | undefined;
  outputs: Values;
  inputs: Values;
}

/** The differences, each by a path that the engine finds in what it has: it knows entries of lists by index alone. */
export function shownDifferences(
  spec: ResourceSpec,
  found: readonly FieldChange[],
  replaces: readonly string[],
  { oldInputs, outputs, inputs }: ComparedValues,
): Map<string, ShownDifference> {
  const shown = new Map<string, ShownDifference>();
  for (const change of found) {
    const { property, effect, beneathInputs } = change;
    const inputDiff = beneathInputs !== true;
    const before = inputDiff ? (oldInputs ?? outputs) : outputs;
    const steps = parsePath(change.path).slice(1);
    const place = placeOf(fieldOf(spec, property), steps, [before[property], inputs[property]]);
    const path = pathText([property, ...place.segments]);
    const kind = place.kind ?? (place.segments.length < steps.length ? "update" : kindOf(change));
    const there = shown.get(path);
    shown.set(path, {
      kind: there && there.kind !== kind ? "update" : kind,
      replaces: there?.replaces === true || (effect === "replace" && replaces.includes(property)),
      inputDiff: inputDiff && there?.inputDiff !== false,
    });
  }
  return new Map([...shown].filter(([path]) => !isWithinAnother(path, shown)));
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

function kindOf({ desired, live }: FieldChange): ShownDifference["kind"] {
  if (isAbsent(live) === isAbsent(desired)) return "update";
  return isAbsent(live) ? "add" : "delete";
}

const fieldOf = ({ fields }: ResourceSpec, name: string): Field | undefined =>
  fields.message.find((field) => field.name === name);

interface Place {
  segments: readonly Segment[];
  /** Of an entry of a list that only one side has; whatever stands at its index on the other side is another one. */
  kind?: "add" | "delete";
}

/** As far as one of the sides has what the steps lead to, with entries of a list by index instead of by key. */
function placeOf(field: Field | undefined, [step, ...rest]: readonly Segment[], sides: readonly unknown[]): Place {
  if (step === undefined) return { segments: [] };
  if (typeof step === "string" && sides.some(Array.isArray)) return entryOf(field, step, rest, sides);
  const members = sides.map((side) => (isObject(side) && Object.hasOwn(side, step) ? side[step] : undefined));
  if (members.every((member) => member === undefined)) return { segments: [] };
  const member = field?.fields?.find(({ name }) => name === step) ?? field?.item;
  const { segments, ...kind } = placeOf(member, rest, members);
  return { segments: [step, ...segments], ...kind };
}

/** An entry of both sides that stands at two places has no index that tells it: then the whole list differs. */
function entryOf(field: Field | undefined, key: string, rest: readonly Segment[], sides: readonly unknown[]): Place {
  const lists = sides.map((side) => (Array.isArray(side) ? (side as Values[]) : []));
  const [before = -1, after = -1] = lists.map((list) =>
    list.findIndex((entry) => String(entry?.[String(field?.markers.setOf)]) === key),
  );
  if (before < 0 && after < 0) return { segments: [] };
  if (before < 0) return { segments: [after], kind: "add" };
  if (after < 0) return { segments: [before], kind: "delete" };
  if (before !== after) return { segments: [] };
  const { segments, ...kind } = placeOf(field?.item, rest, [lists[0]![before], lists[1]![after]]);
  return { segments: [before, ...segments], ...kind };
}

/** Whether a path that leads to it is shown already, with everything beneath. */
const isWithinAnother = (path: string, shown: ReadonlyMap<string, unknown>): boolean => {
  const segments = parsePath(path);
  return segments.some((_, length) => length > 0 && shown.has(pathText(segments.slice(0, length))));
};

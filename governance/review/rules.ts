import { holdsSecret, isWidest, opensUp } from "../../provider/core/declaration/openings";
import { optionsIn, recordsIn } from "../../provider/core/declaration/own-fields";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { isObject, parsePath, type Values } from "../../provider/core/values/values";
import { hooksOf } from "../../provider/kinds/index";
import type { EngineStep, State } from "../cost/preview";
import type { CostedResource } from "../cost/report";
import { type ChangedField, computed, inputsOf, secret } from "./differences";
import { isMarkedRise, riseOf } from "./rises";
import type { RowOp, RowRule } from "./row";

interface Change {
  spec: ResourceSpec;
  op: RowOp;
  step: EngineStep;
  fields: readonly ChangedField[];
  cost: CostedResource | undefined;
  /** Of what is created: what has declared the same object, and goes. */
  predecessor: State | undefined;
}

export function rulesOf(change: Change): RowRule[] {
  const { spec, op, step, cost, predecessor } = change;
  if (op === "leave") return [];
  if (op === "delete") return removalRules(spec, step.old);
  const isCreated = op === "create" || op === "import";
  const [before, after] = [inputsOf(isCreated ? predecessor : step.old), inputsOf(step.new)];
  const isNew = isCreated && !predecessor;
  const changed = isCreated ? new Set([...Object.keys(before), ...Object.keys(after)]) : changedNames(change);
  const loosened = (hooksOf(spec).loosened?.(isNew ? {} : before, after) ?? []).length > 0;
  const isUnknown = grantsIn(spec).some(
    (field) => changed.has(field.name) && [before, after].some((values) => !isKnown(field, values[field.name])),
  );
  const isSecret = holdsSecret(spec) && (isCreated || getsSecret(spec, changed));
  const rules: readonly (readonly [rule: RowRule, applies: boolean])[] = [
    ...openedRules(spec, { isNew, before, after, changed }).map((rule) => [rule, true] as const),
    ["loosening", loosened || (predecessor !== undefined && isUnknown && hooksOf(spec).loosened !== undefined)],
    ["unknown", isUnknown],
    ["protection", !isNew && isUnprotected(before, after)],
    ["price", !isCreated && isMarkedRise(riseOf(op, cost))],
    ["secret", isSecret],
  ];
  return [...new Set(rules.flatMap(([rule, applies]) => (applies ? [rule] : [])))];
}

const changedNames = ({ fields }: Change): Set<string> => new Set(fields.map(({ path }) => String(parsePath(path)[0])));

interface Opening {
  isNew: boolean;
  before: Values;
  after: Values;
  changed: ReadonlySet<string>;
}

function openedRules(spec: ResourceSpec, { isNew, before, after, changed }: Opening): RowRule[] {
  return spec.fields.message.flatMap((field): RowRule[] => {
    const { opens } = field.markers;
    if (!opens) return [];
    const [was, is] = [before[field.name], after[field.name]];
    const mayOpen = isNew ? isWidest(opens, field, is) : opensUp(opens, field, was, is);
    return changed.has(field.name) && (mayOpen || !isKnown(field, is)) ? [opens.rule as RowRule] : [];
  });
}

/** Fields that decide who may do what: of settings that can be loosened, all of them. */
const grantsIn = (spec: ResourceSpec): Field[] =>
  spec.fields.message.filter(({ markers }) => markers.opens || hooksOf(spec).loosened);

/** Whether what a value grants can be read: it is neither known later nor hidden, and has the form of its field. */
function isKnown(field: Field | undefined, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (value === computed || value === secret) return false;
  const members = Object.entries(isObject(value) ? value : {});
  switch (field?.type ?? "any") {
    case "array":
      return Array.isArray(value) && value.every((entry) => entry !== null && isKnown(field!.item, entry));
    case "map":
      return isObject(value) && members.every(([, member]) => isKnown(field!.item, member));
    case "object":
      return isObject(value) && members.every(([name, member]) => isKnown(memberOf(field!, name), member));
    case "any":
      return (Array.isArray(value) ? value : members.map(([, member]) => member)).every((each) =>
        isKnown(undefined, each),
      );
    case "integer":
    case "number":
      return typeof value === "number";
    default:
      return typeof value === field!.type;
  }
}

const memberOf = ({ fields = [] }: Field, name: string): Field | undefined => fields.find((each) => each.name === name);

/** What is not known to stay protected is not. */
const isUnprotected = (before: Values, after: Values): boolean =>
  ![undefined, null, false].includes(optionsIn(before).deletionProtection as undefined) &&
  optionsIn(after).deletionProtection !== true;

const getsSecret = (spec: ResourceSpec, changed: ReadonlySet<string>): boolean =>
  changed.has("valueFrom") ||
  spec.fields.message.some(({ name, markers }) => changed.has(name) && (markers.inputOnly || markers.secret) === true);

/** What clears settings of an account, or sets them back, opens up what they forbade. */
function removalRules(spec: ResourceSpec, old: State | undefined): RowRule[] {
  const { loosened } = hooksOf(spec);
  if (!loosened) return [];
  const before = inputsOf(old);
  const { previous } = recordsIn(old?.outputs ?? {});
  const after = optionsIn(before).onDelete === "restorePrevious" && isObject(previous) ? previous : {};
  if (loosened(before, after).length > 0) return ["loosening"];
  return grantsIn(spec).every((field) => isKnown(field, before[field.name])) ? [] : ["unknown"];
}

/** Whether what is not known of the change may open up what settings forbid. */
export const mayLoosen = (spec: ResourceSpec | undefined, op: RowOp, rules: readonly RowRule[]): boolean =>
  op !== "create" &&
  op !== "import" &&
  rules.includes("unknown") &&
  spec !== undefined &&
  hooksOf(spec).loosened !== undefined;

import { holdsSecret, isWidest, opensUp } from "../../provider/core/declaration/openings";
import { optionsIn, recordsIn } from "../../provider/core/declaration/own-fields";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { isObject, parsePath, type Values } from "../../provider/core/values/values";
import { hooksOf } from "../../provider/kinds/index";
import type { EngineStep, State } from "../cost/preview";
import type { CostedResource } from "../cost/report";
import { type ChangedField, computed, inputsOf } from "./differences";
import { isMarkedRise, riseOf } from "./rises";
import type { RowOp, RowRule } from "./row";

interface Change {
  spec: ResourceSpec;
  op: RowOp;
  step: EngineStep;
  fields: readonly ChangedField[];
  cost: CostedResource | undefined;
}

export function rulesOf(change: Change): RowRule[] {
  const { spec, op, step, cost } = change;
  if (op === "leave") return [];
  if (op === "delete") return isLoosenedByRemoval(spec, step.old) ? ["loosening"] : [];
  const [before, after] = [inputsOf(step.old), inputsOf(step.new)];
  const isNew = op === "create" || op === "import";
  const changed = isNew ? new Set(Object.keys(after)) : changedNames(change);
  const loosened = (hooksOf(spec).loosened?.(isNew ? {} : before, after) ?? []).length > 0;
  const isUnknown = grantsIn(spec).some((name) => changed.has(name) && holdsComputed(after[name]));
  const isSecret = holdsSecret(spec) && (isNew || getsSecret(spec, changed));
  const rules: readonly (readonly [rule: RowRule, applies: boolean])[] = [
    ...openedRules(change, before, after, changed).map((rule) => [rule, true] as const),
    ["loosening", loosened],
    ["unknown", isUnknown],
    ["protection", !isNew && isUnprotected(before, after)],
    ["price", !isNew && isMarkedRise(riseOf(op, cost))],
    ["secret", isSecret],
  ];
  return [...new Set(rules.flatMap(([rule, applies]) => (applies ? [rule] : [])))];
}

const changedNames = ({ fields }: Change): Set<string> => new Set(fields.map(({ path }) => String(parsePath(path)[0])));

function openedRules({ spec, op }: Change, before: Values, after: Values, changed: ReadonlySet<string>): RowRule[] {
  const isNew = op === "create" || op === "import";
  return spec.fields.message.flatMap((field): RowRule[] => {
    const { opens } = field.markers;
    if (!opens) return [];
    const [was, is] = [before[field.name], after[field.name]];
    const isOpened = isNew ? isWidest(opens, field, is) : changed.has(field.name) && opensUp(opens, field, was, is);
    return isOpened ? [opens.rule as RowRule] : [];
  });
}

/** Fields that decide who may do what: of settings that can be loosened, all of them. */
const grantsIn = (spec: ResourceSpec): string[] =>
  spec.fields.message.flatMap(({ name, markers }) => (markers.opens || hooksOf(spec).loosened ? [name] : []));

function holdsComputed(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsComputed);
  return isObject(value) ? Object.values(value).some(holdsComputed) : value === computed;
}

const isUnprotected = (before: Values, after: Values): boolean =>
  optionsIn(before).deletionProtection === true && optionsIn(after).deletionProtection !== true;

const getsSecret = (spec: ResourceSpec, changed: ReadonlySet<string>): boolean =>
  changed.has("valueFrom") ||
  spec.fields.message.some(({ name, markers }) => changed.has(name) && (markers.inputOnly || markers.secret) === true);

/** What clears settings of an account, or sets them back, opens up what they forbade. */
function isLoosenedByRemoval(spec: ResourceSpec, old: State | undefined): boolean {
  const before = inputsOf(old);
  const { previous } = recordsIn(old?.outputs ?? {});
  const after = optionsIn(before).onDelete === "restorePrevious" && previous ? previous : {};
  return (hooksOf(spec).loosened?.(before, after) ?? []).length > 0;
}

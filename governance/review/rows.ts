import { holdsSecret, isWidest, opensUp } from "../../provider/core/declaration/openings";
import { optionsIn, recordsIn } from "../../provider/core/declaration/own-fields";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { memberOf, resourceNameIn, resourceTypeIn } from "../../provider/core/pulumi-names";
import { parsePath, type Values } from "../../provider/core/values/values";
import { hooksOf } from "../../provider/kinds/index";
import { specOf } from "../../provider/resources/index";
import { type EngineStep, isLeftLive, type State } from "../cost/preview";
import type { CostedResource } from "../cost/report";
import { type ChangedField, fieldsOf, inputsOf } from "./differences";

/** What a row does. `leave`: it leaves the stack, and its object stays live. */
export const rowOps = ["delete", "replace", "update", "create", "import", "leave"] as const;
export type RowOp = (typeof rowOps)[number];

/** What a reviewer may want to refuse: the words of `accept --allow`. */
export type RowRule = "role" | "loosening" | "public" | "secret";

/** A resource that a preview changes. */
export interface ChangeRow {
  urn: string;
  kind: string;
  name: string;
  op: RowOp;
  place?: string | undefined;
  rules: RowRule[];
  fields: ChangedField[];
  cost?: CostedResource | undefined;
  spec?: ResourceSpec | undefined;
  /** Its object, where there is one. */
  id?: string | undefined;
  /** Of an object that is new: what the program says. */
  inputs: Values;
}

/** Whether a reviewer has to look at it: it deletes, replaces or opens something up. */
export const isRisky = ({ op, rules }: Pick<ChangeRow, "op" | "rules">): boolean =>
  op === "delete" || op === "replace" || (op !== "leave" && rules.some((rule) => rule !== "secret"));

/** A row per resource that changes, the riskiest first, whatever the order of the steps. */
export function rowsOf(steps: readonly EngineStep[], costs: readonly CostedResource[]): ChangeRow[] {
  const replaced = new Set(steps.filter(({ op }) => op === "replace").map(({ urn }) => urn));
  const byUrn = new Map(costs.map((cost) => [cost.urn, cost]));
  return steps
    .flatMap((step) => {
      const op = opOf(step, replaced);
      return op === undefined ? [] : [rowOf(step, op, byUrn.get(step.urn))];
    })
    .sort(byRisk);
}

function opOf(step: EngineStep, replaced: ReadonlySet<string>): RowOp | undefined {
  const { op, urn } = step;
  if (resourceTypeIn(urn) === "pulumi:pulumi:Stack") return undefined;
  const isDelete = op === "delete" || (op === "delete-replaced" && !replaced.has(urn));
  if (isDelete) return step.old !== undefined && isLeftLive(step.old) ? "leave" : "delete";
  return op === "replace" || op === "update" || op === "create" || op === "import" ? op : undefined;
}

const specOfUrn = (urn: string): ResourceSpec | undefined => specOf(memberOf(resourceTypeIn(urn)) ?? "");

function rowOf(step: EngineStep, op: RowOp, cost: CostedResource | undefined): ChangeRow {
  const { urn, old, new: fresh } = step;
  const spec = specOfUrn(urn);
  const isChange = op === "update" || op === "replace";
  const fields = isChange ? fieldsOf(step) : [];
  const type = resourceTypeIn(urn);
  return {
    urn,
    kind: spec?.kind ?? (memberOf(type) || type),
    name: resourceNameIn(urn),
    op,
    place: (fresh ?? old)?.place ?? old?.place,
    rules: spec ? rulesOf(spec, op, step, fields) : [],
    fields,
    cost,
    spec,
    id: old?.id ?? fresh?.id,
    inputs: inputsOf(fresh ?? old),
  };
}

function rulesOf(spec: ResourceSpec, op: RowOp, { old, new: fresh }: EngineStep, fields: ChangedField[]): RowRule[] {
  const [before, after] = [inputsOf(old), inputsOf(fresh)];
  const isNew = op === "create" || op === "import";
  if (op === "leave") return [];
  if (op === "delete") return isLoosenedByRemoval(spec, before, old) ? ["loosening"] : [];
  const changed = new Set(fields.map(({ path }) => String(parsePath(path)[0])));
  const opened = spec.fields.message.flatMap((field): RowRule[] => {
    const { opens } = field.markers;
    if (!opens) return [];
    const [was, is] = [before[field.name], after[field.name]];
    const isOpened = isNew ? isWidest(opens, field, is) : changed.has(field.name) && opensUp(opens, field, was, is);
    return isOpened ? [opens.rule as RowRule] : [];
  });
  const loosened = (hooksOf(spec).loosened?.(isNew ? {} : before, after) ?? []).length > 0;
  const isSecret = holdsSecret(spec) && (isNew || getsSecret(spec, changed));
  return [
    ...new Set([...opened, ...(loosened ? ["loosening" as const] : []), ...(isSecret ? ["secret" as const] : [])]),
  ];
}

const getsSecret = (spec: ResourceSpec, changed: ReadonlySet<string>): boolean =>
  changed.has("valueFrom") ||
  spec.fields.message.some(({ name, markers }) => changed.has(name) && (markers.inputOnly || markers.secret) === true);

/** What clears settings of an account, or sets them back, opens up what they forbade. */
const isLoosenedByRemoval = (spec: ResourceSpec, before: Values, old: State | undefined): boolean =>
  (hooksOf(spec).loosened?.(before, previousOf(before, old)) ?? []).length > 0;

function previousOf(before: Values, old: State | undefined): Values {
  const { previous } = recordsIn(old?.outputs ?? {});
  return optionsIn(before).onDelete === "restorePrevious" && previous ? previous : {};
}

const rank = (row: ChangeRow): number => {
  if (isRisky(row)) return ["delete", "replace"].includes(row.op) ? rowOps.indexOf(row.op) : 2;
  return rowOps.indexOf(row.op) + 1;
};

function byRisk(one: ChangeRow, other: ChangeRow): number {
  if (rank(one) !== rank(other)) return rank(one) - rank(other);
  const key = ({ kind, name, urn }: ChangeRow): string[] => [kind, name, urn];
  const [a, b] = [key(one), key(other)];
  const at = a.findIndex((text, index) => text !== b[index]);
  return at < 0 ? 0 : a[at]! < b[at]! ? -1 : 1;
}

import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { memberOf, resourceNameIn, resourceTypeIn } from "../../provider/core/pulumi-names";
import { ascending } from "../../provider/core/values/grouping";
import { specOf } from "../../provider/resources/index";
import { type EngineStep, isLeftLive, UnreadableDocumentError } from "../cost/preview";
import type { CostedResource } from "../cost/report";
import { joinAlike } from "./alike";
import { fieldsOf, inputsOf } from "./differences";
import { joinRenamed, predecessors } from "./renames";
import { riseOf } from "./rises";
import { type ChangeRow, isRisky, type RowOp, type RowRule, rowOps } from "./row";
import { rulesOf } from "./rules";

/**
 * What changes: a row per resource, one for many that change alike, and one for a resource that looks renamed. The
 * riskiest first, then what costs most more, in any order of the steps.
 */
export function rowsOf(steps: readonly EngineStep[], costs: readonly CostedResource[]): ChangeRow[] {
  const replaced = new Set(steps.filter(({ op }) => op === "replace").map(({ urn }) => urn));
  const byUrn = new Map(costs.map((cost) => [cost.urn, cost]));
  const predecessorOf = predecessors(steps);
  const rows = steps.flatMap((step) => {
    const op = opOf(step, replaced);
    return op === undefined ? [] : [rowOf(step, op, { cost: byUrn.get(step.urn), predecessorOf })];
  });
  return joinAlike(joinRenamed(rows).sort(byRisk));
}

/** What changes nothing that a reviewer decides about. */
const silent: ReadonlySet<string> = new Set([
  ...["same", "refresh", "read", "read-replacement", "read-discard", "discard", "discard-replaced"],
  ...["diff", "create-replacement", "delete-replaced", "import-replacement", "remove-pending-replace"],
]);

function opOf(step: EngineStep, replaced: ReadonlySet<string>): RowOp | undefined {
  const { op, urn } = step;
  if (resourceTypeIn(urn) === "pulumi:pulumi:Stack") return undefined;
  const isDelete = op === "delete" || (op === "delete-replaced" && !replaced.has(urn));
  if (isDelete) return step.old !== undefined && isLeftLive(step.old) ? "leave" : "delete";
  if (op === "replace" || op === "update" || op === "create" || op === "import") return op;
  if (silent.has(op)) return undefined;
  throw new UnreadableDocumentError(
    `The preview has a step ${JSON.stringify(op)} that this version does not know, so nothing can be said of ${resourceNameIn(urn)}. Update pulumi-modelplatform.`,
  );
}

const specOfUrn = (urn: string): ResourceSpec | undefined => specOf(memberOf(resourceTypeIn(urn)) ?? "");

interface RowContext {
  cost: CostedResource | undefined;
  predecessorOf: ReturnType<typeof predecessors>;
}

function rowOf(step: EngineStep, op: RowOp, { cost, predecessorOf }: RowContext): ChangeRow {
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
    rules: spec ? rulesOf({ spec, op, step, fields, cost, predecessor: predecessorOf(step) }) : [],
    fields,
    cost,
    spec,
    id: old?.id ?? fresh?.id,
    inputs: inputsOf(fresh ?? old),
  };
}

/** Whether it changes what is paid for by the hour, so that it is not hidden among what does not. */
export const costsMore = (row: ChangeRow): boolean => weightOf(row).some((part) => part > 0n);

/** Deletes, replacements, what opens something up, what costs much more, the rest, what stays live. */
function rank(row: ChangeRow): number {
  const { op, rules } = row;
  if (isRisky(row)) return op === "delete" ? 0 : op === "replace" ? 1 : rules.some(isAccess) ? 2 : 3;
  return op === "leave" ? 5 : 4;
}

const isAccess = (rule: RowRule): boolean => rule !== "price" && rule !== "secret";

/** By how much an hour may cost more; then 1 where nobody can say. A row that deletes weighs what it takes away. */
function weightOf({ op, cost, spec }: ChangeRow): [more: bigint, unknown: bigint] {
  const rise = riseOf(op, cost);
  if (!rise) return [0n, cost?.once || (op === "create" && spec?.billing) ? 1n : 0n];
  const { before, after } = rise;
  if (op === "delete") return [before ?? 0n, before === undefined ? 1n : 0n];
  if (before === undefined || after === undefined) return [0n, 1n];
  return [after > before ? after - before : 0n, 0n];
}

function byRisk(one: ChangeRow, other: ChangeRow): number {
  const [a, b] = [weightOf(one), weightOf(other)];
  const name = ({ kind, name: own, urn }: ChangeRow): string[] => [kind, own, urn];
  return (
    rank(one) - rank(other) ||
    ascending(b[0], a[0]) ||
    ascending(b[1], a[1]) ||
    rowOps.indexOf(one.op) - rowOps.indexOf(other.op) ||
    inTurn(name(one), name(other))
  );
}

function inTurn(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((text, index) => text !== b[index]);
  return at < 0 ? 0 : a[at]! < b[at]! ? -1 : 1;
}

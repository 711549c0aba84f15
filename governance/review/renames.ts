import { resourceTypeIn } from "../../provider/core/pulumi-names";
import { ascending, groupBy } from "../../provider/core/values/grouping";
import type { CostedResource } from "../cost/report";
import type { ChangeRow } from "./row";

/**
 * A deletion and a creation of the same type and the same inputs are what a resource looks like whose name in the
 * program has changed: one row, which says what keeps the object. Where several are alike, nothing tells which has
 * become which.
 */
export function joinRenamed(rows: readonly ChangeRow[]): ChangeRow[] {
  const halves = rows.filter(
    ({ op, inputs }) => (op === "delete" || op === "create") && Object.keys(inputs).length > 0,
  );
  const pairs = [...groupBy(halves, sameness).values()].flatMap((alike) => {
    const [removed, added] = [alike.filter(({ op }) => op === "delete"), alike.filter(({ op }) => op === "create")];
    return removed.length === 1 && added.length === 1 ? [[removed[0]!, added[0]!] as const] : [];
  });
  const joined = new Set(pairs.flat());
  return [...rows.filter((row) => !joined.has(row)), ...pairs.map(([removed, added]) => renamed(removed, added))];
}

const sameness = ({ urn, inputs }: ChangeRow): string =>
  JSON.stringify([resourceTypeIn(urn), Object.entries(inputs).sort(([one], [other]) => ascending(one, other))]);

const renamed = (removed: ChangeRow, added: ChangeRow): ChangeRow => ({
  ...added,
  ...{ op: "replace", id: removed.id, renamedFrom: removed.urn },
  rules: [...new Set([...removed.rules, ...added.rules])],
  cost: costOf(removed.cost, added.cost),
});

const costOf = (removed: CostedResource | undefined, added: CostedResource | undefined): CostedResource | undefined =>
  removed && added && !added.once
    ? { ...added, hourly: { ...added.hourly, before: removed.hourly.before, beforeMin: removed.hourly.beforeMin } }
    : added;

import { memberOf, resourceTypeIn } from "../../provider/core/pulumi-names";
import { ascending, groupBy } from "../../provider/core/values/grouping";
import { claimsOf } from "../../provider/lifecycle/memory/identity";
import { specOf } from "../../provider/resources/index";
import type { EngineStep, State } from "../cost/preview";
import type { CostedResource } from "../cost/report";
import type { ChangeRow } from "./row";

/**
 * A deletion and a creation of the same type and the same inputs are what a resource looks like whose name in the
 * program has changed: one row, which says what keeps the object. If several are alike, it is unknown which has
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

/**
 * What a created resource takes the place of: what goes, or leaves the stack, and has declared the same object. By the
 * name in the program alone, a renamed resource would be new, and so open up nothing.
 */
export function predecessors(steps: readonly EngineStep[]): (step: EngineStep) => State | undefined {
  const removed = steps.filter(({ op }) => op === "delete").flatMap(({ old }) => old ?? []);
  if (removed.length === 0 || removed.length === steps.length) return () => undefined;
  const byClaim = new Map(removed.flatMap((state) => claimsIn(state).map((claim) => [claim, state] as const)));
  return ({ new: fresh }) => {
    const former = fresh && claimsIn(fresh).flatMap((claim) => byClaim.get(claim) ?? [])[0];
    const accounts = [former, fresh].map((state) => state?.inputs?.["accountId"]);
    return accounts.every((account) => typeof account === "string") && accounts[0] !== accounts[1] ? undefined : former;
  };
}

/** An account that is not named is the default one, which a preview does not tell. */
const anyAccount = "any";

function claimsIn({ type, inputs = {} }: State): string[] {
  const spec = specOf(memberOf(type) ?? "");
  return spec ? claimsOf(spec, anyAccount, { ...inputs, accountId: anyAccount }) : [];
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

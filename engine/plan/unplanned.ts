import { AlreadyReportedError } from "../errors";
import { parseUrn, type ResourceState } from "../state/resource-state";
import { type Context, report } from "./context";
import { dependenciesOf } from "./dependencies";
import type { StateRef } from "./steps";

/** A resource that has no plan, for a reason that is reported. What does not depend on it can be planned. */
export class Unplanned extends AlreadyReportedError {
  override readonly name = "Unplanned";

  constructor(
    readonly state: ResourceState,
    readonly old: StateRef | undefined,
    /** `failed`: by a mistake of its own; `skipped`: by one of what it depends on. */
    readonly result: "failed" | "skipped",
  ) {
    super(`${state.urn} is not planned`);
  }
}

/** Rejects a resource that depends on one without a plan: its check would judge unknown values. */
export function requirePlanned(context: Context, state: ResourceState, old: StateRef | undefined): void {
  const { unplanned } = context.decisions;
  const needed = dependenciesOf(state).filter(({ urn }) => unplanned.has(urn));
  if (needed.length === 0) return;
  const names = [...new Set(needed.map(({ urn }) => parseUrn(urn).name))];
  report(context, "warning", `not checked: depends on ${names.join(", ")}`, state.urn, { unchecked: true });
  throw new Unplanned(state, old, "skipped");
}

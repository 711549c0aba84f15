import type { Op, PropertyDiff, StepSummary } from "../events";
import type { PendingOperation, ResourceState } from "../state/types";
import { isProviderType, parseUrn } from "../state/urns";

/**
 * One resource while an operation runs. The holder is its identity; the state
 * inside is a value, replaced and never changed.
 */
export interface Held {
  state: ResourceState;
}

/** One action on one resource. `remove-pending-replace` only cleans up the state: the object is already gone. */
export interface Step {
  op: Op | "remove-pending-replace";
  urn: string;
  /** Its current state. */
  old?: Held | undefined;
  /** Its new state: the goal's, completed by executing the step. */
  made?: Held | undefined;
  /** For the user: which inputs differ. */
  diffs: PropertyDiff[];
  /** Of `create-replacement`: the old object is deleted after everything else is done. */
  deleteLater?: boolean;
  /** Of `delete-replaced`: the new object is created afterwards. */
  createLater?: boolean;
  /** Of `same`: the resource does not exist and is not created, because the operation does not cover it. */
  skipped?: boolean;
  /** Of `same`: the resource is unchanged, because the operation does not cover it. */
  untargeted?: boolean;
  /** Of `same`: nothing is reported, because another step has reported the resource. */
  quiet?: boolean;
  /** Of `read`: an object managed until now is released in favor of the one that is read. */
  replacing?: boolean;
  /** Of `import`: the inputs to record; empty for all. */
  properties?: readonly string[];
}

export const sameStep = (old: Held, made: ResourceState, more: Pick<Step, "untargeted" | "quiet"> = {}): Step => ({
  op: "same",
  urn: made.urn,
  old,
  made: { state: made },
  diffs: [],
  ...more,
});

export const skippedStep = (made: ResourceState): Step => ({
  op: "same",
  urn: made.urn,
  made: { state: made },
  diffs: [],
  skipped: true,
});

export const createStep = (made: ResourceState): Step => ({
  op: "create",
  urn: made.urn,
  made: { state: made },
  diffs: [],
});

export const updateStep = (old: Held, made: ResourceState, diffs: PropertyDiff[]): Step => ({
  op: "update",
  urn: made.urn,
  old,
  made: { state: made },
  diffs,
});

/** The two steps of every replacement: creating the new object, and the mark that joins both into one change. */
export function replacementSteps(
  old: Held,
  made: ResourceState,
  diffs: PropertyDiff[],
  order: "create first" | "delete first",
): Step[] {
  const fresh: Held = { state: made };
  const create: Step = {
    op: "create-replacement",
    urn: made.urn,
    old,
    made: fresh,
    diffs,
    deleteLater: order === "create first",
  };
  const mark: Step = { op: "replace", urn: made.urn, old, made: fresh, diffs };
  return order === "create first" ? [create, mark] : [mark, create];
}

export const importStep = (made: ResourceState, properties: readonly string[]): Step => ({
  op: "import",
  urn: made.urn,
  made: { state: made },
  diffs: [],
  properties,
});

export const deleteStep = (old: Held): Step => ({
  op: old.state.external === true ? "discard" : "delete",
  urn: old.state.urn,
  old,
  diffs: [],
});

export const deleteReplacedStep = (old: Held, more: Pick<Step, "createLater"> = {}): Step => ({
  op: old.state.external === true ? "discard" : "delete-replaced",
  urn: old.state.urn,
  old,
  diffs: [],
  ...more,
});

export const tidyStep = (old: Held): Step => ({ op: "remove-pending-replace", urn: old.state.urn, old, diffs: [] });

export const refreshStep = (old: Held): Step => ({
  op: "refresh",
  urn: old.state.urn,
  old,
  made: { state: old.state },
  diffs: [],
});

export const readStep = (old: Held | undefined, made: ResourceState, more: Pick<Step, "replacing"> = {}): Step => ({
  op: "read",
  urn: made.urn,
  old,
  made: { state: made },
  diffs: [],
  ...more,
});

/** As events report it; `op` is what the step turned out to be, if that is only known afterwards. */
export function summarize(step: Step, op: Op): StepSummary {
  const { type, name } = parseUrn(step.urn);
  return {
    op,
    urn: step.urn,
    type,
    name,
    old: step.old?.state,
    new: step.made?.state,
    diffs: step.diffs,
  };
}

/** Default providers come and go unseen. */
export function isInternal({ op, urn, quiet }: Step): boolean {
  const { type, name } = parseUrn(urn);
  return quiet === true || op === "remove-pending-replace" || (isProviderType(type) && name === "default");
}

/** A provider has an object for it. */
export const isOfProvider = ({ made, old }: Step): boolean => {
  const state = (made ?? old)?.state;
  return state?.custom === true && !isProviderType(state.type);
};

export const pendingTypes: Partial<Record<Step["op"], PendingOperation["type"]>> = {
  create: "creating",
  "create-replacement": "creating",
  update: "updating",
  delete: "deleting",
  "delete-replaced": "deleting",
  discard: "deleting",
  read: "reading",
  import: "importing",
};

/** The holder that the step takes out of the state: not one that waits for its deletion, or for its successor. */
export function replacedBy(step: Step): Held | undefined {
  switch (step.op) {
    case "create-replacement":
      return step.old?.state.pendingReplacement === true ? step.old : undefined;
    case "delete":
    case "delete-replaced":
    case "discard":
      return step.createLater === true ? undefined : step.old;
    case "read":
      return step.replacing === true ? undefined : step.old;
    case "same":
    case "update":
    case "remove-pending-replace":
      return step.old;
    default:
      return undefined;
  }
}

import type { Op, PropertyDiff, StepSummary } from "../events";
import {
  isDefaultProvider,
  isProviderType,
  type PendingOperation,
  parseUrn,
  type ResourceState,
} from "../state/resource-state";

/**
 * One resource while an operation runs. The holder is its identity; the state
 * inside is a value, replaced and never changed.
 */
export interface StateRef {
  state: ResourceState;
}

/** One action on one resource. `remove-pending-replace` only cleans up the state: the object is already deleted. */
export interface Step {
  op: Op | "remove-pending-replace";
  urn: string;
  /** Its current state. */
  old?: StateRef | undefined;
  /** Its new state: the goal's, completed by executing the step. */
  next?: StateRef | undefined;
  /** For the user: which inputs differ. */
  diffs: PropertyDiff[];
  /** Of `create-replacement`: the old object is deleted after everything else is done. */
  deleteLater?: boolean;
  /** Of `delete-replaced`: the new object is created afterwards. */
  createLater?: boolean;
  /** Of a delete: the object is still live. */
  left?: boolean;
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
  /** Of `refresh`: an earlier run may have changed the object without recording that. */
  mayBeOwn?: boolean;
}

export const sameStep = (old: StateRef, next: ResourceState, more: Pick<Step, "untargeted" | "quiet"> = {}): Step => ({
  op: "same",
  urn: next.urn,
  old,
  next: { state: next },
  diffs: [],
  ...more,
});

export const skippedStep = (next: ResourceState): Step => ({
  op: "same",
  urn: next.urn,
  next: { state: next },
  diffs: [],
  skipped: true,
});

export const createStep = (next: ResourceState): Step => ({
  op: "create",
  urn: next.urn,
  next: { state: next },
  diffs: [],
});

export const updateStep = (old: StateRef, next: ResourceState, diffs: PropertyDiff[]): Step => ({
  op: "update",
  urn: next.urn,
  old,
  next: { state: next },
  diffs,
});

/** The two steps of every replacement: creating the new object, and the mark that joins both into one change. */
export function replacementSteps(
  old: StateRef,
  next: ResourceState,
  diffs: PropertyDiff[],
  order: "create first" | "delete first",
): Step[] {
  const fresh: StateRef = { state: next };
  const create: Step = {
    op: "create-replacement",
    urn: next.urn,
    old,
    next: fresh,
    diffs,
    deleteLater: order === "create first",
  };
  const mark: Step = { op: "replace", urn: next.urn, old, next: fresh, diffs };
  return order === "create first" ? [create, mark] : [mark, create];
}

export const importStep = (next: ResourceState, properties: readonly string[]): Step => ({
  op: "import",
  urn: next.urn,
  next: { state: next },
  diffs: [],
  properties,
});

export const deleteStep = (old: StateRef): Step => ({
  op: old.state.external === true ? "discard" : "delete",
  urn: old.state.urn,
  old,
  diffs: [],
});

export const deleteReplacedStep = (old: StateRef, more: Pick<Step, "createLater"> = {}): Step => ({
  op: old.state.external === true ? "discard" : "delete-replaced",
  urn: old.state.urn,
  old,
  diffs: [],
  ...more,
});

export const cleanupStep = (old: StateRef): Step => ({
  op: "remove-pending-replace",
  urn: old.state.urn,
  old,
  diffs: [],
});

export const refreshStep = (old: StateRef, mayBeOwn: boolean): Step => ({
  op: "refresh",
  urn: old.state.urn,
  old,
  next: { state: old.state },
  diffs: [],
  mayBeOwn,
});

export const readStep = (old: StateRef | undefined, next: ResourceState, more: Pick<Step, "replacing"> = {}): Step => ({
  op: "read",
  urn: next.urn,
  old,
  next: { state: next },
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
    new: step.next?.state,
    diffs: step.diffs,
    ...(step.left && { left: true }),
    ...(step.mayBeOwn && { mayBeOwn: true }),
  };
}

/** Whether the step is hidden: quiet steps, and those of default providers. */
export function isInternal({ op, urn, quiet }: Step): boolean {
  return quiet === true || op === "remove-pending-replace" || isDefaultProvider(parseUrn(urn));
}

/** Whether a provider manages an object for the step's resource. */
export const isOfProvider = ({ next, old }: Step): boolean => {
  const state = (next ?? old)?.state;
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

/** The reference that the step removes from the state, unless it awaits its deletion or its replacement. */
export function replacedBy(step: Step): StateRef | undefined {
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

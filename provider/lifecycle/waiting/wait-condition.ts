import type { ResourceSpec } from "../../core/declaration/resource";
import { hasNoState, hasReached, isDeleted, phaseOf } from "../../core/declaration/states";
import type { LiveObject } from "../ports/objects";

/** What a wait is for. */
export interface WaitCondition {
  /** `undefined` stands for an object that is gone. */
  isSatisfied(object: LiveObject | undefined): boolean;
  /** A failed object, or one that is on its way out, ends the wait. Without it the wait goes on through both. */
  endsOnFailure: boolean;
  /** Why an object that is still at work costs too much to continue. */
  overBudget?(object: LiveObject): string | undefined;
  /** The service has accepted a deletion: once a list that showed the object lacks it, it is gone. */
  deleted?: true;
}

/** So many answers without a state are those of a service that has none. */
const statelessPolls = 3;

/**
 * The object is in the state that the program names, or in the usual one. One that never shows a state is there (A090);
 * only the state of a job shows its end.
 */
export function untilReady({ lifecycle, deletion }: ResourceSpec, goal: string | undefined): WaitCondition {
  const stateless = new Set<LiveObject>();
  return {
    isSatisfied: (object) => {
      if (object === undefined || hasReached(lifecycle, object, goal)) return object !== undefined;
      if (deletion === "forever" || !hasNoState(object)) stateless.clear();
      else stateless.add(object);
      return stateless.size >= statelessPolls;
    },
    endsOnFailure: true,
  };
}

/** The object no longer moves by itself, or is gone. */
export const untilSettled = ({ lifecycle }: ResourceSpec): WaitCondition => ({
  isSatisfied: (object) => object === undefined || phaseOf(lifecycle, object) !== "moving",
  endsOnFailure: false,
});

/** The object is gone, or no more than a tombstone of it is left. */
export const untilDeleted = ({ lifecycle }: ResourceSpec): WaitCondition => ({
  isSatisfied: (object) => object === undefined || isDeleted(lifecycle, object),
  endsOnFailure: false,
  deleted: true,
});

/** The service shows the object, in whatever state. */
export const visible: WaitCondition = { isSatisfied: (object) => object !== undefined, endsOnFailure: false };

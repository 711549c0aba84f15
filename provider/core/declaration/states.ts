import type { Values } from "../values/values";
import { optionsIn } from "./own-fields";
import type { Lifecycle, ResourceSpec } from "./resource";
import type { RuleCondition } from "./rules";

/**
 * Where an object is, for someone who waits for it: "the deployment is `ready |
 * moving | resting | failed | gone | unknown`".
 */
type Phase = "ready" | "moving" | "resting" | "failed" | "gone" | "unknown";

const stateOf = ({ state }: Values): string => (typeof state === "string" ? state : "");

/** Whether an object says nothing of its state: absent is what an unset value is (A094). */
export const hasNoState = (object: Values): boolean => /^(\w*_UNSPECIFIED)?$/.test(stateOf(object));

/** The state that an unknown one is most likely another spelling of: in other letters, or with or without a prefix. */
export function likelyState(lifecycle: Lifecycle | undefined, object: Values): string | undefined {
  if (!lifecycle || hasNoState(object) || phaseOf(lifecycle, object) !== "unknown") return undefined;
  const { ready, gone, failed, moving, resting } = lifecycle;
  const spelled = stateOf(object).toUpperCase();
  return [ready, moving, failed, resting, gone]
    .flat()
    .find((state) => spelled === state || spelled.endsWith(`_${state}`) || state.endsWith(`_${spelled}`));
}

/** Places an answered object in its life cycle. An object without a life cycle is ready, unless it is a tombstone. */
export function phaseOf(lifecycle: Lifecycle | undefined, object: Values): Phase {
  const state = stateOf(object);
  if (lifecycle?.ready.includes(state)) return "ready";
  if (lifecycle?.gone.includes(state)) return "gone";
  if (tombstoneOf(lifecycle, object) !== undefined) return "gone";
  if (!lifecycle) return "ready";
  if (hasFailed(lifecycle, object)) return "failed";
  if (lifecycle.moving.includes(state)) return "moving";
  if (lifecycle.resting.includes(state)) return "resting";
  return endsByTime(lifecycle, object) ?? "unknown";
}

/** States of what is being deleted, or is deleted, at services that have more of them than the API's description. */
const tombstones: Readonly<Record<string, "leaving" | "deleted">> = {
  DELETING: "leaving",
  REMOVING: "leaving",
  PENDING_DELETION: "leaving",
  DELETED: "deleted",
  SOFT_DELETED: "deleted",
  REMOVED: "deleted",
  PURGED: "deleted",
  UNDEPLOYED: "deleted",
  ARCHIVED: "deleted",
};

/**
 * What is left of a deleted object, by signs that no live one has. A state that the description lists is believed
 * before any of them.
 */
function tombstoneOf(lifecycle: Lifecycle | undefined, object: Values): "leaving" | "deleted" | undefined {
  const { moving = [], failed = [], resting = [] } = lifecycle ?? {};
  const state = stateOf(object);
  if ([moving, failed, resting].some((states) => states.includes(state))) return undefined;
  const word = state
    .toUpperCase()
    .replace(/[\s-]/g, "_")
    .replace(/^(\w+_)?STATE_/, "");
  if (Object.hasOwn(tombstones, word)) return tombstones[word];
  const { deleted, isDeleted = deleted } = object;
  const isTime = deletionTimes.some((name) => isTimeOfDeletion(object[name]));
  return isDeleted === true || isTime ? "deleted" : undefined;
}

/** Where services say when an object was deleted. */
const deletionTimes = ["deletedAt", "deleteTime"] as const;

const isTimeOfDeletion = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && !isNever(Date.parse(value));

/** The properties in which an answered object announces its deletion: a time after `now` deletes nothing yet. */
export const deletionsToCome = (object: Values, now: number): string[] =>
  deletionTimes.filter((name) => isTimeOfDeletion(object[name]) && Date.parse(object[name]) > now);

/** The first and the last time of a language stand for "never". */
const isNever = (time: number): boolean => time <= 0 || time >= Date.UTC(9999, 0);

/** The code of the last operation that failed. */
function failureOf({ status }: Values): string | undefined {
  const code = (status as Values | null | undefined)?.["code"];
  return typeof code === "string" && code !== "" && code !== "OK" ? code : undefined;
}

/** An object that reports no state, and has a time at which it ended. */
function endsByTime({ endTime }: Lifecycle, object: Values): "ready" | "failed" | undefined {
  if (endTime === undefined || !hasNoState(object) || (object[endTime] ?? "") === "") return undefined;
  return failureOf(object) === undefined ? "ready" : "failed";
}

export function hasFailed(lifecycle: Lifecycle, object: Values): boolean {
  const state = stateOf(object);
  if (lifecycle.failed.includes(state) || endsByTime(lifecycle, object) === "failed") return true;
  return lifecycle.failsByStatus === true && !lifecycle.ready.includes(state) && failureOf(object) !== undefined;
}

/** The goal of these inputs: an explicit `waitFor`, or the declaration's first condition that holds. */
export function goalOf(lifecycle: Lifecycle, inputs: Values): string | undefined {
  if (typeof optionsIn(inputs).waitFor === "string") return optionsIn(inputs).waitFor;
  return lifecycle.goal?.find(({ when }) => when === undefined || conditionMatches(when, inputs[when.field]))?.is;
}

/** The program waits for no state. */
export function acceptsAnyState({ lifecycle }: Pick<ResourceSpec, "lifecycle">, inputs: Values): boolean {
  const goal = lifecycle && goalOf(lifecycle, inputs);
  return goal !== undefined && lifecycle?.goals?.[goal]?.includes("*") === true;
}

const conditionMatches = ({ in: values }: RuleCondition, value: unknown): boolean =>
  values === undefined ? value !== undefined && value !== null : values.some((candidate) => candidate === value);

/** Whether a wait for `goal` ends well with this object. Without a goal, being ready is enough. */
export function hasReached(lifecycle: Lifecycle | undefined, object: Values, goal: string | undefined): boolean {
  if (!lifecycle || goal === undefined) return phaseOf(lifecycle, object) === "ready";
  const states = lifecycle.goals?.[goal] ?? lifecycle.ready;
  return states.includes("*") || states.includes(stateOf(object)) || endsByTime(lifecycle, object) === "ready";
}

/** Whether an object is what the program waits for. */
export const hasReachedGoal = (
  { lifecycle }: Pick<ResourceSpec, "lifecycle">,
  object: Values,
  inputs: Values,
): boolean => hasReached(lifecycle, object, lifecycle && goalOf(lifecycle, inputs));

/** A permanent record of something that has ended. */
export const isTerminal = (
  { deletion, lifecycle }: Pick<ResourceSpec, "deletion" | "lifecycle">,
  object: Values,
): boolean => deletion === "forever" && ["ready", "failed"].includes(phaseOf(lifecycle, object));

/** Whether a state of the API's description says that it is deleted. Any other sign needs a second one. */
export const isInDeletedState = (lifecycle: Lifecycle | undefined, object: Values): boolean =>
  lifecycle?.deleted.includes(stateOf(object)) === true;

/** Whether deletion is complete: nothing more will happen to the object. */
export const isDeleted = (lifecycle: Lifecycle | undefined, object: Values): boolean =>
  isInDeletedState(lifecycle, object) ||
  (phaseOf(lifecycle, object) === "gone" && tombstoneOf(lifecycle, object) === "deleted");

import { formatMoney } from "../../core/declaration/billing";
import type { ResourceSpec } from "../../core/declaration/resource";
import { hasNoState, hasReached, isDeleted, likelyState, phaseOf } from "../../core/declaration/states";
import { isDeadline, isMissing, isOfUnusableValue } from "../../core/errors";
import { durationSeconds } from "../../core/fields/equality";
import { isObject, valueAt } from "../../core/values/values";
import type { Lag } from "../memory/lag";
import type { Clock, LiveObject, ObjectCollection, ReadHints } from "../ports";
import type { Call } from "../types";
import { estimateOf } from "./wait-schedule";

export interface WaitCondition {
  /** `undefined` represents a deleted object. */
  isSatisfied(object: LiveObject | undefined): boolean;
  /** A failed object, or one that is being deleted, ends the wait. Otherwise the wait continues through both. */
  endsOnFailure: boolean;
  /** Why an object that is still at work costs too much to continue. */
  overBudget?: ((object: LiveObject) => string | undefined) | undefined;
  /** The service has accepted a deletion: an object that a list contained and no longer does is deleted. */
  deleted?: true;
}

/** Responses without a state after which a service counts as having none. */
const statelessPolls = 3;

/**
 * The object is in the state that the program names, or in the usual one. An object that never has a state is ready
 * (A090), unless it is a job, which only its state ends.
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

/** The object no longer moves by itself, or is deleted. */
export const untilSettled = ({ lifecycle }: ResourceSpec): WaitCondition => ({
  isSatisfied: (object) => object === undefined || phaseOf(lifecycle, object) !== "moving",
  endsOnFailure: false,
});

/** The object is deleted, or only a tombstone of it is left. */
export const untilDeleted = ({ lifecycle }: ResourceSpec): WaitCondition => ({
  isSatisfied: (object) => object === undefined || isDeleted(lifecycle, object),
  endsOnFailure: false,
  deleted: true,
});

/** The service shows the object, in any state. */
export const visible: WaitCondition = { isSatisfied: (object) => object !== undefined, endsOnFailure: false };

/** How a wait ended. `last` is the object as last seen; undefined if it never was. */
export interface WaitEnd {
  how: "reached" | "failed" | "overBudget" | "gone" | "stale" | "timeout" | "aborted";
  last?: LiveObject | undefined;
  /** For users: "still CREATING after 900 s". */
  detail: string;
}

export interface WaitOptions {
  name: string;
  condition: WaitCondition;
  /** Milliseconds since 1970. */
  deadline: number;
  /** Until then a missing object counts as not visible yet (A093). */
  visibleBy?: number | undefined;
  /** Something has just started to move the object, so that a resting state needs no warning. */
  isInTransition?: true;
  /** Seen just now, so that the first poll can wait. */
  seen?: LiveObject | undefined;
  /** The wait may be over already: the first poll comes at once. */
  promptly?: boolean;
  /** The object before an accepted change, which a replica may show for so many milliseconds. */
  stale?: { object: LiveObject; forMs: number } | undefined;
  /** What moves the object: waits for the same motion take about as long as each other. */
  motion: string;
  /** Declared duration, in milliseconds. */
  expectedMs?: number | undefined;
}

interface WaitDeps {
  spec: ResourceSpec;
  lag: Lag;
  call: Call;
  clock: Clock;
  /** Shared by everyone who waits for one of them. */
  objects: Pick<ObjectCollection, "poll">;
  /** Rejects an object that this wait cannot judge. */
  usable?: ((live: LiveObject | undefined) => LiveObject | undefined) | undefined;
}

/**
 * Polls until the condition is met or cannot be. Bounded, abortable, and reports state and time on the resource's row.
 */
export async function waitFor(deps: WaitDeps, wait: WaitOptions): Promise<WaitEnd> {
  const { spec, lag, call, clock, objects } = deps;
  const { condition, deadline, visibleBy = 0, stale, expectedMs, motion } = wait;
  const startedAt = clock.now();
  const withElapsed = (seen: string): string => `${seen} after ${Math.round((clock.now() - startedAt) / 1000)} s`;
  const rarest = durationSeconds(spec.lifecycle?.longestPause ?? "5s") * 1000;
  const estimate = estimateOf(objects, motion, expectedMs, rarest);
  let last = wait.seen;
  let pollsAtOnce = wait.promptly ?? (last === undefined && expectedMs === undefined);
  /** At the last poll and the one before it, in milliseconds. */
  let age = 0;
  let previousAge = 0;
  let unseenSince: number | undefined;
  let hasWarned = false;
  for (;;) {
    const end = last && judge(spec, condition, last);
    if (end) {
      if (end.last?.["state"] !== undefined && clock.now() > startedAt) call.reporter.status(end.detail);
      if (end.how === "reached" && age > 0) estimate.noteReached(previousAge, age);
      return end;
    }
    if (last) {
      call.reporter.status(statusText(spec, last));
      const warning: string | undefined = hasWarned ? undefined : warningOf(spec, wait, last);
      if (warning !== undefined) call.reporter.warn(warning);
      hasWarned ||= warning !== undefined;
    }
    // What the service accepted has been invisible for longer than a replica lags.
    if (last && stale && stateOf(last) === stateOf(stale.object) && clock.now() - startedAt >= stale.forMs)
      return { how: "stale", last, detail: withElapsed(stateOf(last)) };
    if (clock.now() >= deadline) {
      // After an accepted deletion without a read in time, nothing is seen.
      const isUnconfirmed = condition.deleted && last === undefined;
      const seen = isUnconfirmed ? "not confirmed" : `still ${seenText(spec, last)}`;
      return { how: "timeout", last, detail: withElapsed(seen) };
    }
    const { at, apart } = estimate.after(age);
    const ms = Math.max(0, Math.min(startedAt + at, deadline) - clock.now());
    const observed = await observe(deps, wait, pollsAtOnce ? { ms: 0, apart: 0 } : { ms, apart });
    pollsAtOnce = false;
    previousAge = age;
    age = clock.now() - startedAt;
    if (observed === "timeout") continue;
    if (observed === "aborted") {
      const detail = last ? `interrupted while ${stateOf(last)}` : "interrupted before it was visible";
      return { how: "aborted", last, detail };
    }
    if (observed === undefined && clock.now() >= visibleBy) {
      call.reporter.status("gone");
      if (!condition.isSatisfied(undefined)) return { how: "gone", last, detail: "it is gone" };
      if (age > 0) estimate.noteReached(previousAge, age);
      return { how: "reached", last, detail: "gone" };
    }
    if (observed !== undefined && unseenSince !== undefined) lag.note(clock.now() - unseenSince);
    unseenSince = observed === undefined ? (unseenSince ?? startedAt) : undefined;
    last = observed ?? last;
  }
}

/** Polls the object when it is due. Undefined: it is not visible. */
async function observe(
  { call, clock, objects, usable = (live) => live }: WaitDeps,
  { name, deadline, condition, visibleBy = 0 }: WaitOptions,
  due: ReadHints["wait"],
): Promise<LiveObject | undefined | "aborted" | "timeout"> {
  try {
    const hints = { deleted: condition.deleted, wait: due };
    return usable(await objects.poll(name, { signal: call.signal, deadline }, hints));
  } catch (error) {
    if (call.signal.aborted) return "aborted";
    if (isDeadline(error) && clock.now() >= deadline) return "timeout";
    if (isMissing(error) && clock.now() < visibleBy) return undefined;
    // It is there: what it has no longer matters.
    if (condition.deleted && isOfUnusableValue(error)) return { name };
    throw error;
  }
}

/** Why a wait for the object may be in vain; undefined if nothing suggests that. */
function warningOf(
  { lifecycle }: ResourceSpec,
  { name, isInTransition }: WaitOptions,
  object: LiveObject,
): string | undefined {
  const likely = likelyState(lifecycle, object);
  if (likely !== undefined)
    return `${name} is ${stateOf(object)}, which the API's description does not have. If the service means \`${likely}\`, say so in a \`dialect\`.`;
  return isInTransition || phaseOf(lifecycle, object) !== "resting"
    ? undefined
    : `${name} is ${String(object["state"])}: it will not progress on its own. Waiting continues until the timeout.`;
}

/** How a wait for an existing object ends, if it does. */
function judge(spec: ResourceSpec, condition: WaitCondition, object: LiveObject): WaitEnd | undefined {
  const overBudget = condition.overBudget?.(object);
  if (overBudget !== undefined) return { how: "overBudget", last: object, detail: overBudget };
  if (condition.isSatisfied(object)) return { how: "reached", last: object, detail: stateOf(object) };
  if (!condition.endsOnFailure) return undefined;
  const phase = phaseOf(spec.lifecycle, object);
  if (phase === "failed") return { how: "failed", last: object, detail: failureText(spec, object) };
  if (phase === "gone") return { how: "gone", last: object, detail: `it is ${stateOf(object)}` };
  return undefined;
}

/** What an unknown state resembles, if a dialect says so. */
function likeness({ lifecycle }: ResourceSpec, object: LiveObject | undefined): string {
  const likely = object && likelyState(lifecycle, object);
  return likely === undefined ? "" : ` (\`${likely}\`? A \`dialect\` says so)`;
}

/** State of what a wait has given up on, and what the service says that it waits for. */
function seenText(spec: ResourceSpec, object: LiveObject | undefined): string {
  const condition = object === undefined ? "" : conditionOf(object);
  return `${stateOf(object)}${condition === "" ? "" : ` (${condition})`}${likeness(spec, object)}`;
}

export const stateOf = (object: LiveObject | undefined): string =>
  object === undefined ? "not visible" : String(object["state"] || "visible");

/** What the service says of an object beside its state: why it failed, or what it waits for. */
function conditionOf(object: LiveObject): string {
  const status = isObject(object["status"]) ? object["status"] : {};
  return [status["code"], status["message"]]
    .filter((part) => typeof part === "string" && part !== "" && part !== "OK")
    .join(": ");
}

/** State, problem and cost of a failed object, as far as it shows them. */
export function failureText({ costLimit }: ResourceSpec, object: LiveObject): string {
  const problem = conditionOf(object);
  const cost = costLimit && object[costLimit.output];
  const spent = isObject(cost) ? `, at a cost of ${formatMoney(cost)}` : "";
  return `${stateOf(object)}${problem === "" ? "" : ` (${problem})`}${spent}`;
}

/**
 * One line for the resource's row, where the engine shows the time: state, and what the declaration counts as progress.
 */
function statusText(spec: ResourceSpec, object: LiveObject): string {
  const parts = (spec.lifecycle?.progress ?? []).flatMap((text) => {
    let isSeen = false;
    const words = text.replace(/\{([^{}]*)\}/g, (_, path: string) => {
      const value = valueAt(object, path);
      isSeen ||= value !== undefined && value !== null;
      return formatValue(value);
    });
    return isSeen ? [words] : [];
  });
  const condition = conditionOf(object);
  return [stateOf(object), ...parts, ...(condition === "" ? [] : [condition])].join(", ");
}

/** Of a message only amounts of money can be part of a line. */
const formatValue = (value: unknown): string =>
  typeof value === "object" && value !== null ? formatMoney(value) : String(value ?? 0);

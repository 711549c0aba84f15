import { formatMoney } from "../../core/declaration/billing";
import type { ResourceSpec } from "../../core/declaration/resource";
import { hasNoState, hasReached, isDeleted, likelyState, phaseOf } from "../../core/declaration/states";
import { isDeadline, isMissing } from "../../core/errors";
import { durationSeconds } from "../../core/fields/equality";
import { isObject, valueAt } from "../../core/values/values";
import type { Clock, Lag, LiveObject } from "../ports";
import type { Call, Values } from "../types";
import type { DurationEstimate, WaitSchedule } from "./wait-schedule";

/** What a wait is for. */
export interface WaitCondition {
  /** `undefined` represents a deleted object. */
  isSatisfied(object: LiveObject | undefined): boolean;
  /** A failed object, or one that is being deleted, ends the wait. Otherwise the wait continues through both. */
  endsOnFailure: boolean;
  /** Why an object that is still at work costs too much to continue. */
  overBudget?(object: LiveObject): string | undefined;
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
  poller: WaitSchedule;
}

/**
 * Polls until the condition is met or cannot be. Bounded, abortable, and reports state and time on the resource's row.
 */
export async function waitFor(deps: WaitDeps, wait: WaitOptions): Promise<WaitEnd> {
  const observed = new ObservedObject(deps, wait);
  for (;;) {
    const end = observed.end() ?? (await observed.poll());
    if (end) return end;
  }
}

/** An object that is waited for, as far as it has been seen. */
class ObservedObject {
  private readonly startedAt: number;
  private readonly estimate: DurationEstimate;
  /** At the last poll and the one before it, in milliseconds. */
  private age = 0;
  private previousAge = 0;
  private last: LiveObject | undefined;
  private pollsAtOnce: boolean;
  private hasWarned = false;
  private unseenSince: number | undefined;

  constructor(
    private readonly deps: WaitDeps,
    private readonly wait: WaitOptions,
  ) {
    const { spec, clock, poller } = deps;
    const { motion, expectedMs, seen, promptly } = wait;
    const rarest = durationSeconds(spec.lifecycle?.longestPause ?? "5s") * 1000;
    this.startedAt = clock.now();
    this.estimate = poller.estimateOf(motion, expectedMs, rarest);
    this.last = seen;
    this.pollsAtOnce = promptly ?? (seen === undefined && expectedMs === undefined);
  }

  /** The end of the wait, if the last poll or the time ends it. */
  end(): WaitEnd | undefined {
    const { clock, call } = this.deps;
    const end = this.last && judge(this.deps.spec, this.wait.condition, this.last);
    if (end) {
      if (this.last?.["state"] !== undefined && clock.now() > this.startedAt) call.reporter.status(end.detail);
      if (end.how === "reached") this.recordEnd();
      return end;
    }
    if (this.last) this.report(this.last);
    if (this.isStaleForLong()) return { how: "stale", last: this.last, detail: this.withElapsed(stateOf(this.last)) };
    if (clock.now() < this.wait.deadline) return undefined;
    // After an accepted deletion without a read in time, nothing is seen.
    const isUnconfirmed = this.wait.condition.deleted && this.last === undefined;
    const seen = isUnconfirmed ? "not confirmed" : `still ${stateOf(this.last)}${likeness(this.deps.spec, this.last)}`;
    return { how: "timeout", last: this.last, detail: this.withElapsed(seen) };
  }

  private withElapsed(seen: string): string {
    return `${seen} after ${Math.round((this.deps.clock.now() - this.startedAt) / 1000)} s`;
  }

  /** What the service accepted has been invisible for longer than a replica lags. */
  private isStaleForLong(): boolean {
    const { stale } = this.wait;
    if (stale === undefined || this.last === undefined || stateOf(this.last) !== stateOf(stale.object)) return false;
    return this.deps.clock.now() - this.startedAt >= stale.forMs;
  }

  /** Polls the object when the schedule says so. Resolves to the end of the wait if it is no longer visible. */
  async poll(): Promise<WaitEnd | undefined> {
    const { clock } = this.deps;
    const observed = await this.nextObservation();
    this.pollsAtOnce = false;
    this.previousAge = this.age;
    this.age = clock.now() - this.startedAt;
    if (observed === "timeout") return undefined;
    if (observed === "aborted") {
      const detail = this.last ? `interrupted while ${stateOf(this.last)}` : "interrupted before it was visible";
      return { how: "aborted", last: this.last, detail };
    }
    if (observed === undefined && clock.now() >= (this.wait.visibleBy ?? 0)) return this.endAsDeleted();
    if (observed !== undefined && this.unseenSince !== undefined) this.deps.lag.note(clock.now() - this.unseenSince);
    this.unseenSince = observed === undefined ? (this.unseenSince ?? this.startedAt) : undefined;
    this.last = observed ?? this.last;
    return undefined;
  }

  /** The last poll has shown the end of the wait. */
  private recordEnd(): void {
    if (this.age > 0) this.estimate.noteReached(this.previousAge, this.age);
  }

  private endAsDeleted(): WaitEnd {
    this.deps.call.reporter.status("gone");
    if (!this.wait.condition.isSatisfied(undefined)) return { how: "gone", last: this.last, detail: "it is gone" };
    this.recordEnd();
    return { how: "reached", last: this.last, detail: "gone" };
  }

  private report(object: LiveObject): void {
    const { spec, call } = this.deps;
    const { name, isInTransition } = this.wait;
    call.reporter.status(statusText(spec, object));
    this.warnOfSpelling(object);
    if (this.hasWarned || isInTransition || phaseOf(spec.lifecycle, object) !== "resting") return;
    this.hasWarned = true;
    call.reporter.warn(
      `${name} is ${String(object["state"])}: it will not progress on its own. Waiting continues until the timeout.`,
    );
  }

  private warnOfSpelling(object: LiveObject): void {
    const { spec, call } = this.deps;
    const likely = likelyState(spec.lifecycle, object);
    if (likely === undefined || this.hasWarned) return;
    this.hasWarned = true;
    call.reporter.warn(
      `${this.wait.name} is ${stateOf(object)}, which the API's description does not have. If the service means \`${likely}\`, say so in a \`dialect\`.`,
    );
  }

  private async nextObservation(): Promise<LiveObject | undefined | "aborted" | "timeout"> {
    const { call, clock, poller } = this.deps;
    const { name, deadline, condition, visibleBy } = this.wait;
    const now = clock.now();
    const { at, apart } = this.estimate.after(this.age);
    const left = Math.max(0, Math.min(this.startedAt + at, deadline) - now);
    const next = this.pollsAtOnce ? { at: 0, apart: 0 } : { at: left, apart };
    try {
      return await poller.next(name, next, { signal: call.signal, deadline }, condition.deleted);
    } catch (error) {
      if (call.signal.aborted) return "aborted";
      if (isDeadline(error) && clock.now() >= deadline) return "timeout";
      if (isMissing(error) && clock.now() < (visibleBy ?? 0)) return undefined;
      throw error;
    }
  }
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

export const stateOf = (object: LiveObject | undefined): string =>
  object === undefined ? "not visible" : String(object["state"] || "visible");

/** State, problem and cost of a failed object, as far as it shows them. */
export function failureText({ costLimit }: ResourceSpec, object: LiveObject): string {
  const status = (object["status"] ?? {}) as Values;
  const problem = [status["code"], status["message"]]
    .filter((part) => typeof part === "string" && part !== "" && part !== "OK")
    .join(": ");
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
    const words = text.replace(/\{([^}]*)\}/g, (_, path: string) => {
      const value = valueAt(object, path);
      isSeen ||= value !== undefined && value !== null;
      return formatValue(value);
    });
    return isSeen ? [words] : [];
  });
  return [stateOf(object), ...parts].join(", ");
}

/** Of a message only amounts of money can be part of a line. */
const formatValue = (value: unknown): string =>
  typeof value === "object" && value !== null ? formatMoney(value) : String(value ?? 0);

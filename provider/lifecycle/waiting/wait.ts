import type { ResourceSpec } from "../../core/declaration/resource";
import { phaseOf } from "../../core/declaration/states";
import { isDeadline, isNotFound } from "../../core/errors";
import { durationSeconds } from "../../core/fields/equality";
import { moneyText } from "../../core/rules/cost-limit";
import { valueAt } from "../../core/values/paths";
import type { Lag } from "../ports/lag";
import type { LiveObject } from "../ports/objects";
import type { Clock } from "../ports/ports";
import type { Call, Values } from "../types";
import { type NextPoll, PollSchedule } from "./poll-schedule";
import type { Poller } from "./poller";

/** How a wait ended. `last` is the object as last seen; undefined where it never was. */
export interface WaitEnd {
  how: "reached" | "failed" | "overBudget" | "gone" | "timeout" | "aborted";
  last?: LiveObject | undefined;
  /** For users: "still CREATING after 900 s". */
  detail: string;
}

export interface WaitFor {
  name: string;
  /** The object is where the wait wants it; undefined stands for an object that is gone. */
  reached(object: LiveObject | undefined): boolean;
  /** Why an object that is still at work costs too much to continue. */
  overBudget?(object: LiveObject): string | undefined;
  /** A failed state ends the wait; a delete goes on through one. */
  endsOnFailure: boolean;
  /** Milliseconds since 1970. */
  deadline: number;
  /** Until then a missing object counts as not visible yet (A093). */
  visibleBy?: number;
  /** Something has just been started that moves the object: a state at rest is not worth a warning. */
  inMotion?: true;
  /** Seen just now, so that the first look can wait. */
  seen?: LiveObject;
  /** The service has accepted a deletion: once a list that showed the object lacks it, it is gone. */
  deleted?: true;
  /** There may be nothing to wait for: the first look comes at once. */
  promptly?: boolean;
  /** What moves the object: waits for the same motion take about as long as each other. */
  motion: string;
  /** How long that takes by its declaration, in milliseconds. */
  usual?: number;
}

interface Around {
  spec: ResourceSpec;
  lag: Lag;
  call: Call;
  clock: Clock;
  poller: Poller;
}

const atOnce: NextPoll = { at: 0, apart: 0 };

/**
 * Polls until the wait is over. Bounded, abortable, and says on the resource's row where the object is and for how
 * long.
 */
export async function waitFor(around: Around, wait: WaitFor): Promise<WaitEnd> {
  const { spec, call, clock, poller } = around;
  const startedAt = clock.now();
  const rarest = durationSeconds(spec.lifecycle?.longestPause ?? "5s") * 1000;
  const estimate = poller.estimateOf(wait.motion, wait.usual, rarest);
  let last = wait.seen;
  const schedule = new PollSchedule(estimate, startedAt);
  let isFirst = wait.promptly ?? (last === undefined && wait.usual === undefined);
  let warned = false;
  let unseenSince: number | undefined;
  for (;;) {
    const end = last !== undefined ? verdict(spec, wait, last) : undefined;
    if (end) {
      if (last?.["state"] !== undefined && clock.now() > startedAt) call.reporter.status(end.detail);
      if (end.how === "reached") schedule.ended();
      return end;
    }
    const seconds = Math.round((clock.now() - startedAt) / 1000);
    if (last !== undefined) call.reporter.status(statusText(spec, last));
    if (last !== undefined && !warned && !wait.inMotion && phaseOf(spec.lifecycle, last) === "resting") {
      warned = true;
      call.reporter.warn(
        `${wait.name} is ${String(last["state"])}: it will not progress on its own. Waiting continues until the timeout.`,
      );
    }
    if (clock.now() >= wait.deadline)
      return { how: "timeout", last, detail: `${whatIsSeen(wait, last)} after ${seconds} s` };
    const look = isFirst ? atOnce : schedule.next(clock.now());
    const left = Math.max(0, wait.deadline - clock.now());
    const found = await nextObservation(around, wait, { ...look, at: Math.min(look.at, left) });
    isFirst = false;
    schedule.looked(clock.now());
    if (found === "aborted") {
      const detail = last ? `interrupted while ${stateOf(last)}` : "interrupted before it was visible";
      return { how: "aborted", last, detail };
    }
    if (found === "late") continue;
    if (found === undefined && clock.now() >= (wait.visibleBy ?? 0)) {
      call.reporter.status("gone");
      if (wait.reached(undefined)) schedule.ended();
      return wait.reached(undefined)
        ? { how: "reached", last, detail: "gone" }
        : { how: "gone", last, detail: "it is gone" };
    }
    if (found !== undefined && unseenSince !== undefined) around.lag.note(clock.now() - unseenSince);
    unseenSince = found === undefined ? (unseenSince ?? startedAt) : undefined;
    last = found ?? last;
  }
}

async function nextObservation(
  { call, clock, poller }: Around,
  wait: WaitFor,
  look: NextPoll,
): Promise<LiveObject | undefined | "aborted" | "late"> {
  try {
    return await poller.next(wait.name, look, { signal: call.signal, deadline: wait.deadline }, wait.deleted);
  } catch (error) {
    if (call.signal.aborted) return "aborted";
    if (isDeadline(error) && clock.now() >= wait.deadline) return "late";
    if (isNotFound(error) && clock.now() < (wait.visibleBy ?? 0)) return undefined;
    throw error;
  }
}

function verdict(spec: ResourceSpec, wait: WaitFor, object: LiveObject): WaitEnd | undefined {
  const overBudget = wait.overBudget?.(object);
  if (overBudget !== undefined) return { how: "overBudget", last: object, detail: overBudget };
  if (wait.reached(object)) return { how: "reached", last: object, detail: stateOf(object) };
  const place = phaseOf(spec.lifecycle, object);
  if (place === "failed" && wait.endsOnFailure) return { how: "failed", last: object, detail: failureText(object) };
  if (place === "gone" && wait.endsOnFailure) return { how: "gone", last: object, detail: `it is ${stateOf(object)}` };
  return undefined;
}

export const stateOf = (object: LiveObject | undefined): string =>
  object === undefined ? "not visible" : String(object["state"] ?? "visible");

/** An accepted deletion after which no read was answered in time leaves nothing seen. */
const whatIsSeen = ({ deleted }: WaitFor, last: LiveObject | undefined): string =>
  deleted && last === undefined ? "not confirmed" : `still ${stateOf(last)}`;

/** What a failed object says about itself. */
export function failureText(object: LiveObject): string {
  const status = (object["status"] ?? {}) as Values;
  const problem = [status["code"], status["message"]]
    .filter((part) => typeof part === "string" && part !== "" && part !== "OK")
    .join(": ");
  return `${stateOf(object)}${problem === "" ? "" : ` (${problem})`}`;
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
      return shown(value);
    });
    return isSeen ? [words] : [];
  });
  return [stateOf(object), ...parts].join(", ");
}

/** Of a message only amounts of money can be part of a line. */
const shown = (value: unknown): string =>
  typeof value === "object" && value !== null ? moneyText(value) : String(value ?? 0);

import { costAboveLimit } from "../../core/declaration/billing";
import type { Lifecycle, ResourceSpec } from "../../core/declaration/resource";
import { goalOf, hasReached, phaseOf } from "../../core/declaration/states";
import type { ErrorCode } from "../../core/error-codes";
import { type ErrorDetails, isConcurrentChange, isFailedPrecondition, ModelPlatformError } from "../../core/errors";
import { durationSeconds } from "../../core/fields/equality";
import type { Operation } from "../operation";
import type { LiveObject } from "../ports";
import type { Values } from "../types";
import { stateOf, untilReady, untilSettled, type WaitEnd, type WaitOptions, waitFor } from "./wait";

/** The service has accepted a change, and the object is not what the program waits for. */
export class UnsettledError extends ModelPlatformError {
  constructor(
    message: string,
    guidance: ErrorDetails,
    /** As last seen: after a timeout or an interrupt, nothing more is read. */
    readonly live: LiveObject,
  ) {
    super(message, guidance);
  }
}

/** Why an object is not what the program waits for. */
export const unreadyCode = ({ how }: WaitEnd): ErrorCode => (how === "failed" ? "failed" : "unsettled");

/** A new object may be invisible to reads for this long (A093). */
export const visibleAfterMs = 30_000;

/** Whether every replica has had the time to show what was sent then; by default, before this call. */
export function replicasAreCurrent(
  { ports: { clock, lag } }: Pick<Operation, "ports">,
  sentAt: number = clock.now(),
): () => boolean {
  return () => clock.now() - sentAt >= Math.max(visibleAfterMs, lag.longest);
}

interface WaitRequest extends Omit<WaitOptions, "deadline" | "motion" | "expectedMs"> {
  /** What moves the object, if not the operation itself; null for an undeclared object. */
  path?: keyof Lifecycle["paths"] | null;
  /** The program's name for the state to wait for. */
  goal?: string | undefined;
}

export function waitForGoal(
  operation: Operation,
  { path = operation.verb, goal, ...what }: WaitRequest,
): Promise<WaitEnd> {
  const { spec, call, ports, objects, deadline } = operation;
  const { seen, condition } = what;
  if (!objects.isReadable && seen && !condition.deleted)
    return Promise.resolve({ how: "reached", last: seen, detail: `${stateOf(seen)} when it was written` });
  const expectedMs =
    path === null
      ? undefined
      : expectedDuration(spec.lifecycle, path, (state) => hasReached(spec.lifecycle, { state }, goal));
  return ports.stopwatch.during(
    "states",
    waitFor(
      { spec, call, clock: ports.clock, lag: ports.lag, objects: objects.shared, usable: objects.usable },
      { deadline, motion: `${path} ${goal}`, expectedMs, ...what },
    ),
  );
}

/** Waits until the object has reached the desired state. */
export function waitUntilDesired(operation: Operation, inputs: Values, seen: LiveObject): Promise<WaitEnd> {
  const { spec } = operation;
  const name = seen.name;
  const goal = spec.lifecycle && goalOf(spec.lifecycle, inputs);
  const created = operation.ports.lag.createdAt(name);
  return waitForGoal(operation, {
    name,
    seen,
    goal,
    condition: {
      ...untilReady(spec, goal),
      overBudget:
        spec.costLimit &&
        ((object) => (isAtWork(spec, object) ? costAboveLimit(spec.costLimit, inputs, object) : undefined)),
    },
    visibleBy: created && created + visibleAfterMs,
  });
}

/** Neither over nor being cancelled. */
const isAtWork = ({ lifecycle }: ResourceSpec, object: LiveObject): boolean =>
  ["moving", "resting", "unknown"].includes(phaseOf(lifecycle, object)) &&
  !lifecycle?.paths.cancel?.some(([state]) => state === object["state"]);

/**
 * Waits until the object has reached the desired state; cancels one that turns out to cost more than the program
 * allows.
 */
export async function waitWithinLimit(operation: Operation, inputs: Values, seen: LiveObject): Promise<WaitEnd> {
  const end = await waitUntilDesired(operation, inputs, seen);
  if (end.how !== "overBudget" || !end.last) return end;
  const name = end.last.name;
  operation.call.reporter.warn(`${operation.title(name)} is cancelled: ${end.detail}.`);
  const last = await cancelIfRunning(operation, name, end.last);
  return {
    how: "failed",
    last,
    detail: `${end.detail}, so it was cancelled (${stateOf(last)}). Raise the limit or ask for less; it will not be run again unchanged`,
  };
}

/**
 * Stops a running object, if the service can, and waits until it rests (A073). Undefined: it is deleted. An object that
 * has ended meanwhile needs no cancelling.
 */
export async function cancelIfRunning(
  operation: Operation,
  name: string,
  live: LiveObject,
): Promise<LiveObject | undefined> {
  const { spec, objects, call } = operation;
  if (!spec.operations["cancel"] || !["moving", "resting", "unknown"].includes(phaseOf(spec.lifecycle, live)))
    return live;
  try {
    call.reporter.status(`cancelling, ${stateOf(live)}`);
    await retryWhenSettled(operation, live, () => objects.verb(name, "cancel", {}));
    return await waitUntilSettled(operation, { ...live, state: spec.lifecycle?.moving[0] }, "cancel");
  } catch (error) {
    const now = isFailedPrecondition(error) ? await objects.find(name) : undefined;
    if (!now || !["ready", "failed"].includes(phaseOf(spec.lifecycle, now))) throw error;
    return now;
  }
}

/** A change that cannot be made while the object is in transition (A044). */
export const isTransitional = (error: unknown): boolean => isFailedPrecondition(error) || isConcurrentChange(error);

/**
 * Repeats a change that an object in transition rejected, once the transition is over. Any other rejection is final
 * (A044).
 */
export async function retryWhenSettled<T>(
  operation: Operation,
  seen: LiveObject,
  change: () => Promise<T>,
): Promise<T> {
  const name = seen.name;
  for (;;) {
    try {
      return await change();
    } catch (error) {
      const isMoving = isTransitional(error) && operation.objects.isReadable;
      const now = isMoving ? await operation.objects.find(name) : undefined;
      if (!now || phaseOf(operation.spec.lifecycle, now) !== "moving") throw error;
      await waitUntilSettled(operation, now);
    }
  }
}

/**
 * Waits until the object no longer moves by itself; a timeout or an interrupt is an error. `path` is what moves it, if
 * known.
 */
export async function waitUntilSettled(
  operation: Operation,
  seen: LiveObject,
  path: "cancel" | null = null,
): Promise<LiveObject | undefined> {
  const end = await waitForGoal(operation, {
    name: seen.name,
    seen,
    path,
    condition: untilSettled(operation.spec),
  });
  if (end.how === "timeout" || end.how === "aborted")
    throw new ModelPlatformError(`${operation.title(seen.name)} is in transition: ${end.detail}`, {
      code: "in-transition",
      advice: "Run the same command again once it has settled, or give it more time with `timeouts`.",
    });
  return end.how === "gone" ? undefined : end.last;
}

/**
 * How long the declared path of an operation usually takes to a state that ends a wait, in milliseconds; undefined
 * where it declares none.
 */
function expectedDuration(
  lifecycle: Lifecycle | undefined,
  operation: keyof Lifecycle["paths"],
  ends: (state: string) => boolean,
): number | undefined {
  const path = lifecycle?.paths[operation];
  if (!path?.some(([, stay]) => stay !== undefined)) return undefined;
  const end = path.findIndex(([state]) => ends(state));
  return path
    .slice(0, end < 0 ? path.length : end)
    .reduce((sum, [, stay]) => sum + (stay === undefined ? 0 : durationSeconds(stay) * 1000), 0);
}

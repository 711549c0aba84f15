import { phaseOf } from "../../core/declaration/states";
import { isFailedPrecondition } from "../../core/errors";
import { type ResourceOperation, requestOptions, titleOf, waitUntilDesired } from "../operation/operation";
import { untilAtRest, whenAtRest } from "../operation/rest";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { stateOf, type WaitEnd } from "../waiting/wait";

/**
 * Stops a running object, if the service can, and waits until it rests (A073). Undefined: it is gone. One that has
 * ended meanwhile needs no cancelling.
 */
export const cancelUnlessOver = (
  operation: ResourceOperation,
  name: string,
  live: LiveObject,
): Promise<LiveObject | undefined> =>
  cancel(operation, name, live).catch((error: unknown) => findEnded(operation, name, error));

async function cancel(operation: ResourceOperation, name: string, live: LiveObject): Promise<LiveObject | undefined> {
  const { spec, objects, call } = operation;
  if (!spec.operations["cancel"] || !["moving", "resting", "unknown"].includes(phaseOf(spec.lifecycle, live)))
    return live;
  call.reporter.status(`cancelling, ${stateOf(live)}`);
  await whenAtRest(operation, live, () => objects.verb(name, "cancel", {}, requestOptions(operation)));
  return untilAtRest(operation, { ...live, state: spec.lifecycle?.moving[0] }, "cancel");
}

/**
 * Waits until the object has reached the desired state; one that turns out to cost more than the program allows is
 * cancelled at once.
 */
export async function waitWithinLimit(
  operation: ResourceOperation,
  inputs: Values,
  seen: LiveObject,
): Promise<WaitEnd> {
  const end = await waitUntilDesired(operation, inputs, seen);
  if (end.how !== "overBudget" || !end.last) return end;
  const name = end.last.name;
  operation.call.reporter.warn(`${titleOf(operation, name)} is cancelled: ${end.detail}.`);
  const last = await cancelUnlessOver(operation, name, end.last);
  return {
    how: "failed",
    last,
    detail: `${end.detail}, so it was cancelled (${stateOf(last)}). Raise the limit or ask for less; it will not be run again unchanged`,
  };
}

async function findEnded(operation: ResourceOperation, name: string, error: unknown): Promise<LiveObject | undefined> {
  const now = isFailedPrecondition(error) ? await operation.objects.find(name, requestOptions(operation)) : undefined;
  if (!now || !["ready", "failed"].includes(phaseOf(operation.spec.lifecycle, now))) throw error;
  return now;
}

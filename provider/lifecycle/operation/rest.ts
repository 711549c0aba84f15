import { phaseOf } from "../../core/declaration/states";
import { isFailedPrecondition, isUnderWay, ModelPlatformError } from "../../core/errors";
import type { LiveObject } from "../ports/objects";
import { settled } from "../waiting/wait-condition";
import { type ResourceOperation, requestOptions, titleOf, wait } from "./operation";

/** A change that cannot be made while the object is in transition (A044). */
export const isTransitional = (error: unknown): boolean => isFailedPrecondition(error) || isUnderWay(error);

/**
 * Repeats a change that an object in transition refused, once the transition is over; any other refusal stands (A044).
 */
export async function whenAtRest<T>(
  operation: ResourceOperation,
  seen: LiveObject,
  change: () => Promise<T>,
): Promise<T> {
  const name = seen.name;
  for (;;) {
    try {
      return await change();
    } catch (error) {
      const isMoving = isTransitional(error) && operation.objects.isReadable;
      const now = isMoving ? await operation.objects.find(name, requestOptions(operation)) : undefined;
      if (!now || phaseOf(operation.spec.lifecycle, now) !== "moving") throw error;
      await untilAtRest(operation, now);
    }
  }
}

/**
 * Waits until the object no longer moves by itself; a timeout or an interrupt is an error. `path` is what moves it,
 * where that is known.
 */
export async function untilAtRest(
  operation: ResourceOperation,
  seen: LiveObject,
  path: "cancel" | null = null,
): Promise<LiveObject | undefined> {
  const end = await wait(operation, {
    name: seen.name,
    seen,
    path,
    condition: settled(operation.spec),
  });
  if (end.how === "timeout" || end.how === "aborted")
    throw new ModelPlatformError(`${titleOf(operation, seen.name)} is in transition: ${end.detail}`, {
      advice: "Run the same command again once it has settled, or give it more time with `timeouts`.",
    });
  return end.how === "gone" ? undefined : end.last;
}

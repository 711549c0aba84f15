import { phaseOf } from "../../core/declaration/states";
import { isAborted } from "../../core/errors";
import { chosenId, hasChosenId, naturalKey } from "../memory/identity";
import { type ResourceOperation, requestOptions } from "../operation";
import type { LiveObject, RequestOptions } from "../ports";
import type { Values } from "../types";

/** Longest time that a look delays a create, in milliseconds. */
const lookMs = 5_000;

/**
 * The live object that a create at a chosen id or natural key would meet, by one look at its collection: afterwards is
 * too late if the service overwrites objects. Only evidence of presence: a look that shows nothing, or fails, changes
 * nothing.
 */
export async function lookFirst(operation: ResourceOperation, inputs: Values): Promise<LiveObject | undefined> {
  const { objects, spec, ports } = operation;
  await ports.verifyKey(objects.account, operation.call.signal);
  const id = chosenId(spec, inputs);
  const name = id === undefined ? undefined : objects.nameOf(id);
  const key = naturalKey(spec, inputs);
  const hasName = key === undefined || hasChosenId(spec, inputs);
  const isIt = (object: LiveObject): boolean =>
    ((hasName && object.name === name) || (key !== undefined && naturalKey(spec, object) === key)) &&
    phaseOf(spec.lifecycle, object) !== "gone";
  const seen = (await objects.seenFirst(withinLook(operation))).find(isIt);
  // It may have been deleted since.
  const existing = seen && (await objects.find(seen.name, withinLook(operation)).catch(ignoreFailure));
  return existing && isIt(existing) ? existing : undefined;
}

function withinLook(operation: ResourceOperation): RequestOptions {
  const options = requestOptions(operation);
  return { ...options, once: true, deadline: Math.min(options.deadline, operation.ports.clock.now() + lookMs) };
}

/** The create itself shows what fails; an interrupt is no failure. */
function ignoreFailure(error: unknown): undefined {
  if (isAborted(error)) throw error;
  return undefined;
}

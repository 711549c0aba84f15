import type { Records } from "../../core/declaration/own-records";
import { hasFailed, phaseOf } from "../../core/declaration/states";
import { isAlreadyExists, ModelPlatformError, messageOf } from "../../core/errors";
import { findExisting } from "../creation/natural-key";
import { removeObject } from "../deletion/remove";
import { beginOperation, type ResourceOperation, requestOptions, titleOf } from "../operation/operation";
import { historyFor, identityOf } from "../ownership/facts";
import { applyChanges } from "../patching/apply";
import { hostMadeAlong } from "../patching/guests";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";

/**
 * Brings an object to the desired state. If it moves to another host, room is made for it there; if it fails there, it
 * is moved back.
 */
export async function changeObject(
  operation: ResourceOperation,
  live: LiveObject,
  inputs: Values,
  records: Partial<Records>,
): Promise<LiveObject> {
  const apply = (): Promise<LiveObject> => applyChanges(operation, live, inputs, records);
  try {
    return await apply().catch((error: unknown) => makeRoom(operation, live.name, inputs, error).then(apply));
  } catch (error) {
    return moveBack(operation, live, error);
  }
}

/**
 * Makes room for an object whose new natural key is taken: if the service made the other object along with the new
 * host, it is deleted and the change can be repeated. Any other conflict is for the program to resolve.
 */
async function makeRoom(operation: ResourceOperation, name: string, inputs: Values, error: unknown): Promise<void> {
  const found = isAlreadyExists(error) ? await findExisting(operation, inputs) : undefined;
  if (!found || found.name === name) throw error;
  const host = await hostMadeAlong(operation, found, inputs);
  const other = found.name;
  if (!host) throw await takenError(operation, name, found, error);
  operation.call.reporter.info(
    `${other}, which the service created along with ${host.name}, is deleted to make room for ${name}.`,
  );
  await removeObject(operation, other, {});
}

async function takenError(
  operation: ResourceOperation,
  name: string,
  found: LiveObject,
  cause: unknown,
): Promise<Error> {
  const { ports, call } = operation;
  const known = (await historyFor(operation)).object(identityOf(found));
  const other = ports.claims.holderOf(found.name, call.hidden.urn) ?? known?.holder ?? known?.maker;
  const isOurs = other !== undefined && other !== call.hidden.urn;
  const advice = isOurs
    ? "Run `up` again if that one gives it up; to swap the two, give one of them a third value first."
    : "Remove one of the two, from the program or from the service.";
  const ofOurs = isOurs ? `, which is ${other},` : "";
  return new ModelPlatformError(
    `${titleOf(operation, name)} cannot be changed to what the program declares, because ${found.name}${ofOurs} already matches that`,
    { advice, topic: "two-objects-want-the-same-values", cause },
  );
}

/**
 * Moves an object that failed on its new host back to the old one, if that still exists; the error is still reported.
 */
async function moveBack(operation: ResourceOperation, before: LiveObject, error: unknown): Promise<never> {
  const { spec, objects, call } = operation;
  const { host, lifecycle } = spec;
  const name = before.name;
  const own = await beginOperation(operation, { account: objects.account, verb: "update", values: {} });
  const now =
    host && phaseOf(lifecycle, before) === "ready" && !call.signal.aborted
      ? await objects.find(name, requestOptions(own))
      : undefined;
  if (!host || !lifecycle || !now || !hasFailed(lifecycle, now) || now[host.field] === before[host.field]) throw error;
  try {
    await applyChanges(
      own,
      now,
      { [host.content]: before[host.content], [host.field]: before[host.field] },
      { accountId: objects.account },
    );
  } catch {
    throw error;
  }
  const reason = messageOf(error).replace(/\.$/, "");
  throw new ModelPlatformError(`${reason}. It serves from ${String(before[host.field])} again`, { cause: error });
}

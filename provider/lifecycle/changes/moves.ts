import type { Records } from "../../core/declaration/own-records";
import { hasFailed, standing } from "../../core/declaration/states";
import { isAlreadyExists, ModelPlatformError, messageOf } from "../../core/errors";
import { findExisting } from "../creation/natural-key";
import { removeObject } from "../deletion/remove";
import { hostOf } from "../hosting/guests";
import { beginOperation, type Operation, requestOptions, titleOf } from "../operation/operation";
import { applyChanges } from "../patching/apply";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";

/**
 * Brings an object to what the program says. One that moves to another host finds
 * room there, and goes back where it fails there.
 */
export async function changeObject(
  operation: Operation,
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

/** What the service makes along with a host is there within this time, by the service's own clock. */
const alongMs = 60_000;

/**
 * Makes room for an object whose new natural key another one has: one that the service has made along with its new host
 * goes, so that the change can be repeated. Any other is for the program to resolve.
 */
async function makeRoom(operation: Operation, name: string, inputs: Values, error: unknown): Promise<void> {
  const found = isAlreadyExists(error) ? await findExisting(operation, inputs) : undefined;
  if (!found || found.name === name) throw error;
  const host = await hostOf(operation, inputs);
  const other = found.name;
  const isDeclared = operation.ports.claims.holderOf(other, operation.call.hidden.urn) !== undefined;
  const isLater =
    host === undefined || Date.parse(String(found["createTime"])) > Date.parse(String(host["createTime"])) + alongMs;
  if (isDeclared || isLater) {
    throw new ModelPlatformError(
      `${titleOf(operation, name)} cannot become what the program declares, because ${other} already is`,
      { advice: "Remove one of the two, from the program or from the service.", cause: error },
    );
  }
  operation.call.reporter.info(
    `${other}, which the service made along with ${host.name}, is deleted to make room for ${name}.`,
  );
  await removeObject(operation, other, {});
}

/**
 * What fails on its new host serves from the old one again, while that is there; the error is an error anyway.
 */
async function moveBack(operation: Operation, before: LiveObject, error: unknown): Promise<never> {
  const { spec, objects, call, ports } = operation;
  const { host, lifecycle } = spec;
  const name = before.name;
  const own = await beginOperation(ports, spec, call, objects.account, "update", {});
  const now =
    host && standing(lifecycle, before) === "ready" && !call.signal.aborted
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

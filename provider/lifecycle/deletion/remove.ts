import { optionsIn } from "../../core/declaration/options";
import { recordsIn } from "../../core/declaration/own-records";
import { isDeleted, phaseOf } from "../../core/declaration/states";
import {
  isFailedPrecondition,
  isModelPlatformError,
  isUnsupportedOperation,
  ModelPlatformError,
  mayHaveCreated,
  problemOf,
} from "../../core/errors";
import { snakeCase } from "../../core/values/names";
import { isObject } from "../../core/values/values";
import type { Undeletable } from "../../kinds/hooks";
import { hooksOf } from "../../kinds/index";
import { objectCommand } from "../commands";
import { describeObject, type ResourceOperation, requestOptions, startOperation } from "../operation/operation";
import { cancelIfRunning, retryWhenSettled, waitForGoal } from "../operation/waits";
import { findFormer, identityOf, isInState, writeCompletedFact } from "../ownership/facts";
import { replacedObjectReason } from "../ownership/ownership";
import { foreignLoadsOn, type HostedObject, hostedSpecs, isUnloading, loadsOn } from "../patching/guests";
import type { LiveObject } from "../ports/objects";
import { confirmAbsence } from "../reading/read";
import type { Values } from "../types";
import { stateOf, type WaitOptions } from "../waiting/wait";
import { untilDeleted } from "../waiting/wait-condition";
import { isHardDelete, recordOptionFirstAdvice } from "./protection";

/**
 * What became of the object: `left` if it stays, as this declaration says or because the service deletes none;
 * `another's` if another object has its name, which is left alone.
 */
export type Removal = "deleted" | "left" | "another's";

/**
 * Deletes the object, in favour of `successor` where there is one, and waits until it is gone.
 * What this declaration took over stays.
 */
export async function deleteObject(
  operation: ResourceOperation,
  name: string,
  recorded: Values,
  successor?: string,
): Promise<Removal> {
  const { call, spec } = operation;
  if (recordsIn(recorded).adopted === true) {
    call.reporter.info(`${describeObject(operation, name)} existed before this declaration and is left as it is.`);
    return "left";
  }
  const live = await findVisible(operation, name, recorded);
  if (!live || isDeleted(spec.lifecycle, live)) {
    if (!live) await removeUnseen(operation, name, recorded);
    await warnOfLater(operation);
    return "deleted";
  }
  const other = await replacedObjectReason(operation, recorded, live);
  if (other !== undefined) {
    call.reporter.warn(
      `${other}. It is left, and is not this stack's: look at it with ${objectCommand("get", spec, name)}, and delete it with ${objectCommand("delete", spec, name)} if nobody needs it.`,
    );
    return "another's";
  }
  await assertNoForeignLoads(operation, live, recorded);
  const quiet = phaseOf(spec.lifecycle, live) === "gone" ? live : await cancelIfRunning(operation, name, live);
  if (quiet === undefined) return "deleted";
  const isGoing = phaseOf(spec.lifecycle, quiet) === "gone";
  if (!isGoing && !(await sendDelete(operation, quiet, recorded, successor))) return "left";
  await waitUntilDeleted(operation, name, isGoing ? undefined : staleness(operation, quiet, recorded));
  await writeCompletedFact(operation, { fact: "gone", object: identityOf(live) });
  return "deleted";
}

/**
 * Reads show nothing, as they do in an outage or to a key of fewer rights. The service itself answers the delete. What
 * refuses it has nothing to delete.
 */
async function removeUnseen(operation: ResourceOperation, name: string, recorded: Values): Promise<void> {
  const { objects, spec } = operation;
  const query = { hard: isHardDelete(spec, recorded) ? true : undefined };
  const isRemoved = await objects.remove(name, query, requestOptions(operation)).catch((error: unknown) => {
    if (isModelPlatformError(error) && !mayHaveCreated(error) && isRefusal(error)) return false;
    throw error;
  });
  if (isRemoved) await waitUntilDeleted(operation, name, undefined);
}

const isRefusal = ({ status = 0 }: ModelPlatformError): boolean => (status >= 400 && status < 500) || status === 501;

/** An object that is gone may have had a successor that the state does not have: the state is older, or was edited. */
async function warnOfLater(operation: ResourceOperation): Promise<void> {
  const { ports, call, spec } = operation;
  const former = await findFormer(operation);
  if (!former || former.isContinued) return;
  const { name } = former.live;
  if (isInState(operation, name) || ports.claims.heldBy(call.hidden.urn) === name) return;
  call.reporter.warn(
    `${describeObject(operation, name)} was this resource later and is live. The state is older than it, so nothing deletes it: look at it with ${objectCommand("get", spec, name)}, and delete it with ${objectCommand("delete", spec, name)} if nobody needs it.`,
  );
}

/** Some services silently unload what a host serves when the host is deleted. */
async function assertNoForeignLoads(operation: ResourceOperation, host: LiveObject, recorded: Values): Promise<void> {
  const strangers = await foreignLoadsOn(operation, host, recorded);
  if (strangers.length === 0) return;
  const named = strangers.map(({ guest, object }) => `${object.name} (${String(object[guest.host.content])})`);
  const commands = strangers.map(({ guest, object }) => objectCommand("delete", guest, object.name));
  throw new ModelPlatformError(
    `${describeObject(operation, host.name)} is not deleted: it serves ${named.join(", ")}, which this stack has not loaded`,
    {
      advice: `Ask whoever has, or unload it and delete again: ${commands.join(", ")}.`,
      topic: "the-object-cannot-be-deleted",
    },
  );
}

/**
 * The object as it is seen, or as it is recorded where it may only be invisible to a replica that is behind: the
 * service itself then answers the delete that it is gone.
 */
async function findVisible(
  operation: ResourceOperation,
  name: string,
  recorded: Values,
): Promise<LiveObject | undefined> {
  if (!operation.objects.isReadable) return { ...recorded, name };
  const live = await operation.objects.poll(name, requestOptions(operation)).catch((error: unknown) => {
    if (!isOfUnusableValue(error)) throw error;
    // The object is there; what the program declares of it does not matter any longer.
    operation.call.reporter.warn(
      `${problemOf(error)}. ${describeObject(operation, name)} is deleted as it is recorded.`,
    );
    return { ...recorded, name };
  });
  if (live) return live;
  const presence = await confirmAbsence(operation, name, recorded);
  if (presence.is === "unknown") return { ...recorded, name };
  return presence.is === "there" ? presence.live : undefined;
}

/** The object is named as it was asked for, and a value of it cannot be used. */
const isOfUnusableValue = (error: unknown): boolean =>
  isModelPlatformError(error) && error.answerAt !== undefined && !/^$|(^|\.)name$/.test(error.answerAt);

/** False: the object stays, because the service cannot delete such objects. */
async function sendDelete(
  operation: ResourceOperation,
  live: LiveObject,
  recorded: Values,
  successor: string | undefined,
): Promise<boolean> {
  const { objects, spec } = operation;
  const { name } = live;
  const ignoreChecks = optionsIn(recorded).ignoreChecks === true || successor !== undefined;
  const query = {
    hard: isHardDelete(spec, recorded) ? true : undefined,
    ignoreChecks: ignoreChecks ? true : undefined,
  };
  try {
    const remove = (): Promise<boolean> =>
      retryWhenSettled(operation, live, () => objects.remove(name, query, requestOptions(operation)));
    await remove().catch(async (error: unknown) =>
      (await unload(operation, name, error, ignoreChecks)) ? remove() : Promise.reject(error),
    );
    return true;
  } catch (error) {
    const undeletable = isUnsupportedOperation(error) && hooksOf(spec).onUndeletable?.(recorded);
    if (undeletable) {
      await removeWithoutDelete(operation, live, undeletable, error);
      return false;
    }
    if (isFailedPrecondition(error) && spec.operations.delete?.route.includes("ignoreChecks") && !ignoreChecks) {
      throw new ModelPlatformError(
        `${describeObject(operation, name)} could not be deleted, probably because it served a request within the last hour: ${error.message}`,
        {
          advice: `Wait an hour, or ${recordOptionFirstAdvice(operation.call, "`ignoreChecks: true`")}`,
          topic: "the-object-cannot-be-deleted",
          cause: error,
        },
      );
    }
    throw error;
  }
}

/**
 * Where a service refuses to delete what something still serves from: waits for what is leaving, and unloads the
 * rest where the refusal is about that, or where the program gives up what is served. False: there is nothing to
 * unload, or the refusal is another one (A043).
 */
async function unload(
  operation: ResourceOperation,
  name: string,
  error: unknown,
  ignoreChecks: boolean,
): Promise<boolean> {
  const { ports, call, objects } = operation;
  if (!isFailedPrecondition(error) || hostedSpecs(ports.specs, operation.spec).length === 0) return false;
  const guests = (await loadsOn(operation, name)).filter(
    (hosted) => !isHeld(operation, hosted) && (ignoreChecks || isUnloading(hosted) || speaksOf(hosted, error)),
  );
  for (const { guest, object } of guests) {
    const own = startOperation({ ...operation, spec: guest }, { account: objects.account, verb: "delete", values: {} });
    call.reporter.status(`unloading ${object.name}`);
    await deleteObject(own, object.name, {});
  }
  return guests.length > 0;
}

/** A declaration of this run has it, and decides what happens to it. */
const isHeld = ({ ports, call }: ResourceOperation, { object }: HostedObject): boolean =>
  ports.claims.otherHolderOf(object.name, call.hidden.urn) !== undefined;

/** `deployed models are still on it` speaks of a DeployedModel. */
const speaksOf = ({ guest }: HostedObject, error: Error): boolean =>
  new RegExp(guest.kind.replace(/(?<=[a-z])(?=[A-Z])/g, "\\W?"), "i").test(error.message);

/** Handles a delete that the service does not support, as the kind's hook says. */
async function removeWithoutDelete(
  operation: ResourceOperation,
  live: LiveObject,
  undeletable: Undeletable,
  error: unknown,
): Promise<void> {
  const { objects, call } = operation;
  const { name } = live;
  if ("option" in undeletable)
    throw new ModelPlatformError(
      `${describeObject(operation, name)} (${stateOf(live)}) cannot be deleted: this service has no such operation`,
      {
        advice: `Delete it by other means, or ${recordOptionFirstAdvice(call, undeletable.option)}`,
        topic: "the-object-cannot-be-deleted",
        cause: error,
      },
    );
  const { update, outcome } = undeletable;
  if (update)
    await objects.update(name, { ...update }, Object.keys(update).map(snakeCase), {}, requestOptions(operation));
  call.reporter.warn(
    `${describeObject(operation, name)} cannot be deleted on this service; ${outcome} and is removed from the state.`,
  );
}

/** For so long a replica may show an object as it was before its deletion, in milliseconds. */
const minStaleMs = 120_000;
/** How often the longest lag that was seen. */
const lagFactor = 3;

/** How long reads may show nothing of the deletion. Whoever gives it a time has it waited for. */
function staleness({ ports, call }: ResourceOperation, object: LiveObject, recorded: Values): WaitOptions["stale"] {
  const { timeouts } = optionsIn(recorded);
  if (call.timeout !== undefined || (isObject(timeouts) && timeouts["delete"] !== undefined)) return undefined;
  return { object, forMs: Math.max(minStaleMs, lagFactor * ports.lag.longest) };
}

async function waitUntilDeleted(
  operation: ResourceOperation,
  name: string,
  stale: WaitOptions["stale"],
): Promise<void> {
  const end = await waitForGoal(operation, { name, stale, condition: untilDeleted(operation.spec) });
  if (end.how === "reached" || end.how === "gone") return;
  if (end.how === "stale")
    throw new ModelPlatformError(
      `the deletion of ${describeObject(operation, name)} was accepted, and reads still show it as it was before, ${end.detail}; it stays in the state`,
      {
        advice:
          "Run the same command again once the service's replicas have caught up, or give it more time with `timeouts.delete`.",
      },
    );
  throw new ModelPlatformError(`the deletion of ${describeObject(operation, name)} has not finished: ${end.detail}`, {
    advice: "Run the same command again to keep waiting, or give it more time with `timeouts.delete`.",
  });
}

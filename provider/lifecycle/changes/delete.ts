import { optionsIn, recordsIn } from "../../core/declaration/own-fields";
import { hasNoState, isDeleted, isInDeletedState, phaseOf } from "../../core/declaration/states";
import {
  isFailedPrecondition,
  isForbidden,
  isModelPlatformError,
  isOfUnusableValue,
  isUnsupportedOperation,
  ModelPlatformError,
  mayHaveCreated,
  problemOf,
} from "../../core/errors";
import { durationSeconds } from "../../core/fields/equality";
import { accountOf, snakeCase } from "../../core/values/names";
import { isObject } from "../../core/values/values";
import type { Undeletable } from "../../kinds/hooks";
import { hooksOf } from "../../kinds/index";
import { forgetting, objectCommand } from "../commands";
import type { CurrentObject } from "../memory/run";
import type { Operation } from "../operation";
import { beginDelete, findFormer, identityOf, isInState, writeCompletedFact } from "../ownership/journal";
import { replacedObjectReason } from "../ownership/owner";
import type { LiveObject } from "../ports";
import { confirmAbsence } from "../read";
import type { Values } from "../types";
import { cancelIfRunning, retryWhenSettled, waitForGoal, waitUntilDesired } from "../waiting/operation-waits";
import { stateOf, untilDeleted, type WaitOptions } from "../waiting/wait";
import { foreignLoadsOn, type HostedObject, hostedSpecs, isUnloading, loadsOn, moveLoads } from "./hosting";
import { isHardDelete, recordOptionFirstAdvice } from "./protection";

/**
 * What happened to the object. `left`: it stays, by this declaration or because the service deletes none. `another's`:
 * another object has its name, and is left alone.
 */
export type Removal = "deleted" | "left" | "another's";

/**
 * Deletes the object, in favour of `successor` if there is one, and waits until it is deleted. An adopted object stays.
 */
export async function deleteObject(
  operation: Operation,
  name: string,
  recorded: Values,
  successor?: string,
): Promise<Removal> {
  const { call, spec } = operation;
  if (recordsIn(recorded).adopted === true) {
    call.reporter.info(`${operation.title(name)} existed before this declaration and is left as it is.`);
    return "left";
  }
  const live = await findVisible(operation, name, recorded);
  if (!live || isDeleted(spec.lifecycle, live)) {
    if (!live) await removeUnseen(operation, name, isHardDelete(spec, recorded));
    else if (await onlyLooksDeleted(operation, recorded, live)) await removeUnseen(operation, name, false);
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
  const quiet = phaseOf(spec.lifecycle, live) === "gone" ? live : await cancelBeforeDelete(operation, live);
  if (quiet === undefined) return "deleted";
  const isGoing = phaseOf(spec.lifecycle, quiet) === "gone";
  if (!isGoing && !(await sendDelete(operation, quiet, recorded, successor))) return "left";
  await waitUntilDeleted(operation, name, isGoing ? {} : staleness(operation, quiet, recorded));
  await writeCompletedFact(operation, { fact: "gone", object: identityOf(live) });
  return "deleted";
}

/** The result of the cancel does not matter: the delete shows it. */
const cancelBeforeDelete = (operation: Operation, live: LiveObject): Promise<LiveObject | undefined> =>
  cancelIfRunning(operation, live.name, live).catch((error: unknown) => {
    const isUnread = isModelPlatformError(error) && (error.answerAt !== undefined || mayHaveCreated(error));
    if (!isUnread || operation.call.signal.aborted) throw error;
    operation.call.reporter.warn(`${problemOf(error)}. ${operation.title(live.name)} is deleted all the same.`);
    return live;
  });

/** Whether the object only looks deleted: the API does not document its state, and nothing has replaced it. */
const onlyLooksDeleted = async (operation: Operation, recorded: Values, live: LiveObject): Promise<boolean> =>
  !isInDeletedState(operation.spec.lifecycle, live) &&
  (await replacedObjectReason(operation, recorded, live)) === undefined;

/**
 * Deletes an object that reads do not show, as in an outage or with a key of fewer rights, or show as deleted. The
 * service itself decides: if it rejects the delete for another reason than the key, there is nothing to delete.
 */
async function removeUnseen(operation: Operation, name: string, isHard: boolean): Promise<void> {
  const query = { hard: isHard || undefined };
  const isRemoved = await operation.objects.remove(name, query).catch((error: unknown) => {
    if (isModelPlatformError(error) && !mayHaveCreated(error) && isRefusal(error)) return false;
    throw error;
  });
  if (isRemoved) await waitUntilDeleted(operation, name, {});
}

const isRefusal = (error: ModelPlatformError): boolean => {
  const { status = 0 } = error;
  return !isForbidden(error) && ((status >= 400 && status < 500) || status === 501);
};

/** A deleted object may have a successor that the state lacks: the state is older, or was edited. */
async function warnOfLater(operation: Operation): Promise<void> {
  const { call, spec, resource } = operation;
  const former = await findFormer(operation);
  if (!former || former.isContinued) return;
  const { name } = former.live;
  if (isInState(operation, name) || resource.held === name) return;
  call.reporter.warn(
    `${operation.title(name)} was this resource later and is live. The state is older than it, so nothing deletes it: look at it with ${objectCommand("get", spec, name)}, and delete it with ${objectCommand("delete", spec, name)} if nobody needs it.`,
  );
}

/** Some services silently unload what a host serves when the host is deleted. */
async function assertNoForeignLoads(operation: Operation, host: LiveObject, recorded: Values): Promise<void> {
  const strangers = await foreignLoadsOn(operation, host, recorded);
  if (strangers.length === 0) return;
  const named = strangers.map(({ guest, object }) => `${object.name} (${String(object[guest.host.content])})`);
  const commands = strangers.map(({ guest, object }) => objectCommand("delete", guest, object.name));
  throw new ModelPlatformError(
    `${operation.title(host.name)} is not deleted: it serves ${named.join(", ")}, which this stack has not loaded`,
    {
      code: "host-serves",
      advice: `Ask its owner, or unload it and delete again: ${commands.join(", ")}.`,
      topic: "the-object-cannot-be-deleted",
    },
  );
}

/** The live object, or the recorded one if a stale replica may hide it: the service itself then answers the delete. */
async function findVisible(operation: Operation, name: string, recorded: Values): Promise<LiveObject | undefined> {
  if (!operation.objects.isReadable) return { ...recorded, name };
  const live = await operation.objects.poll(name).catch((error: unknown) => {
    if (!isOfUnusableValue(error)) throw error;
    // The object exists; its declared values no longer matter.
    operation.call.reporter.warn(`${problemOf(error)}. ${operation.title(name)} is deleted as it is recorded.`);
    return { ...recorded, name };
  });
  if (live) return live;
  const presence = await confirmAbsence(operation, name, recorded);
  if (presence.is === "unknown") return { ...recorded, name };
  return presence.is === "there" ? presence.live : undefined;
}

/** False: the object stays, because the service cannot delete such objects. */
async function sendDelete(
  operation: Operation,
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
  const takeBack = await beginDelete(operation, name, recorded);
  try {
    const remove = (): Promise<boolean> => retryWhenSettled(operation, live, () => objects.remove(name, query));
    await remove().catch(async (error: unknown) =>
      (await unload(operation, name, error, ignoreChecks)) ? remove() : Promise.reject(error),
    );
    return true;
  } catch (error) {
    if (!mayHaveCreated(error)) await takeBack();
    const undeletable = isUnsupportedOperation(error) && hooksOf(spec).onUndeletable?.(recorded);
    if (undeletable) {
      await removeWithoutDelete(operation, live, undeletable, error);
      return false;
    }
    if (isFailedPrecondition(error) && spec.operations.delete?.route.includes("ignoreChecks") && !ignoreChecks) {
      throw new ModelPlatformError(
        `${operation.title(name)} could not be deleted, probably because it served a request within the last hour: ${error.message}`,
        {
          code: "served-lately",
          advice: `Wait an hour, or ${recordOptionFirstAdvice(operation, "`ignoreChecks: true`")}`,
          topic: "the-object-cannot-be-deleted",
          cause: error,
        },
      );
    }
    throw error;
  }
}

/**
 * For a service that rejects the delete of a host that still serves: waits for loads that are leaving, and unloads the
 * rest if the rejection is about them, or if the program gives them up. False: nothing to unload, or another rejection
 * (A043).
 */
async function unload(operation: Operation, name: string, error: unknown, ignoreChecks: boolean): Promise<boolean> {
  const { ports, call, objects } = operation;
  if (!isFailedPrecondition(error) || hostedSpecs(ports.specs, operation.spec).length === 0) return false;
  const guests = (await loadsOn(operation, name)).filter(
    (hosted) => !isHeld(operation, hosted) && (ignoreChecks || isUnloading(hosted) || speaksOf(hosted, error)),
  );
  for (const { guest, object } of guests) {
    const own = operation.begin({ spec: guest, account: objects.account, verb: "delete", values: {} });
    call.reporter.status(`unloading ${object.name}`);
    await deleteObject(own, object.name, {});
  }
  return guests.length > 0;
}

/** A declaration of this run holds it, and decides what happens to it. */
const isHeld = ({ resource }: Operation, { object }: HostedObject): boolean =>
  resource.otherHolderOf(object.name) !== undefined;

/** `deployed models are still on it` speaks of a DeployedModel. */
const speaksOf = ({ guest }: HostedObject, error: Error): boolean =>
  new RegExp(guest.kind.replace(/(?<=[a-z])(?=[A-Z])/g, "\\W?"), "i").test(error.message);

/** Handles a delete that the service does not support, as the kind's hook says. */
async function removeWithoutDelete(
  operation: Operation,
  live: LiveObject,
  undeletable: Undeletable,
  error: unknown,
): Promise<void> {
  const { objects, call } = operation;
  const { name } = live;
  if ("option" in undeletable)
    throw new ModelPlatformError(
      `${operation.title(name)} (${stateOf(live)}) cannot be deleted: this service has no such operation`,
      {
        code: "no-delete-operation",
        advice: `Delete it by other means, or ${recordOptionFirstAdvice(operation, undeletable.option)}`,
        topic: "the-object-cannot-be-deleted",
        cause: error,
      },
    );
  const { update, outcome } = undeletable;
  if (update) await objects.update(name, { ...update }, Object.keys(update).map(snakeCase), {});
  call.reporter.warn(
    `${operation.title(name)} cannot be deleted on this service; ${outcome} and is removed from the state.`,
  );
}

/** How long a replica may show an object as it was before its deletion, in milliseconds. */
const minStaleMs = 120_000;
/** Multiple of the longest observed lag. */
const lagFactor = 3;

/** What is known of an object when the service accepts its deletion. */
interface BeforeDeletion {
  /** As it was; absent if it was being deleted already, or is not visible. */
  before?: LiveObject;
  /** How long reads may not show the deletion. */
  stale?: WaitOptions["stale"];
}

/** An explicit timeout is waited out instead. */
function staleness({ ports, call }: Operation, before: LiveObject, recorded: Values): BeforeDeletion {
  const { timeouts } = optionsIn(recorded);
  if (call.timeout !== undefined || (isObject(timeouts) && timeouts["delete"] !== undefined)) return { before };
  return { before, stale: { object: before, forMs: Math.max(minStaleMs, lagFactor * ports.lag.longest) } };
}

async function waitUntilDeleted(operation: Operation, name: string, { before, stale }: BeforeDeletion): Promise<void> {
  const end = await waitForGoal(operation, { name, stale, condition: untilDeleted(operation.spec) });
  if (end.how === "reached" || end.how === "gone") return;
  if (end.how === "stale")
    throw new ModelPlatformError(
      `the deletion of ${operation.title(name)} was accepted, and reads still show it as it was before, ${end.detail}; it stays in the state`,
      {
        code: "deletion-not-seen",
        advice:
          "Run the same command again once the service's replicas have caught up, or give it more time with `timeouts.delete`.",
      },
    );
  if (end.how === "timeout" && before && end.last && isNewState(operation, before, end.last))
    throw new ModelPlatformError(
      `the deletion of ${operation.title(name)} was accepted, and since then it is ${stateOf(end.last)}, which the API's description does not have, and no longer ${stateOf(before)}; it stays in the state`,
      {
        advice: `If that is how the service keeps what is deleted, take it out of the state: ${forgetting(operation)}.`,
        topic: "the-object-cannot-be-deleted",
      },
    );
  throw new ModelPlatformError(`the deletion of ${operation.title(name)} has not finished: ${end.detail}`, {
    code: "deletion-unfinished",
    advice: "Run the same command again to keep waiting, or give it more time with `timeouts.delete`.",
  });
}

/** Whether the service has moved the object to a state of its own since it accepted the deletion. */
const isNewState = ({ spec: { lifecycle } }: Operation, before: LiveObject, now: LiveObject): boolean =>
  stateOf(now) !== stateOf(before) && !hasNoState(now) && phaseOf(lifecycle, now) === "unknown";

/** How often a drain reports the remaining time. */
const drainStepMs = 30_000;

/**
 * Deletes an object in favour of its successor, once that has reached the desired state and serves what the old one
 * served, and after the drain time. A failure on the way leaves the old object for the next run.
 */
export async function deleteAfterSuccessor(
  operation: Operation,
  name: string,
  recorded: Values,
  successor: CurrentObject,
): Promise<Removal> {
  const { spec, objects } = operation;
  const fresh = await readySuccessor(operation, name, successor);
  const old = await objects.find(name);
  if (!old || phaseOf(spec.lifecycle, old) === "gone" || (await replacedObjectReason(operation, recorded, old)))
    return deleteObject(operation, name, recorded, successor.name);
  if (fresh && accountOf(successor.name) === accountOf(name)) await moveLoads(operation, old, fresh);
  if (phaseOf(spec.lifecycle, old) !== "failed") await drain(operation, name, successor);
  const rest = operation.begin({ account: objects.account, verb: "delete", values: recorded });
  return deleteObject(rest, name, recorded, successor.name);
}

/**
 * The successor, once it has reached the desired state: an engine that continues after errors asks for deletions
 * anyway. Undefined if its record was removed but its result remains (A075).
 */
async function readySuccessor(
  deletion: Operation,
  name: string,
  { name: freshName, inputs }: CurrentObject,
): Promise<LiveObject | undefined> {
  const { spec } = deletion;
  const operation = deletion.begin({
    account: accountOf(freshName) ?? "",
    verb: "delete",
    values: inputs,
  });
  const live = await operation.objects.find(freshName);
  if (spec.deletion === "forever" && (!live || phaseOf(spec.lifecycle, live) === "gone")) return undefined;
  const end = live && (await waitUntilDesired(operation, inputs, live));
  if (end?.how === "reached" && end.last && !["failed", "gone"].includes(phaseOf(spec.lifecycle, end.last)))
    return end.last;
  throw new ModelPlatformError(
    `${operation.title(name)} is not deleted: its successor ${freshName} did not reach the desired state (${end?.detail ?? "it is gone"})`,
    {
      code: "successor-unready",
      advice: live ? "Run `up` again: it deletes this one once its successor is ready." : "Run `refresh`, then `up`.",
    },
  );
}

/** Lets requests in flight finish. */
async function drain(operation: Operation, name: string, successor: CurrentObject): Promise<void> {
  const { ports, call } = operation;
  const ms = durationSeconds(String(optionsIn(successor.inputs).drainTime ?? "0s")) * 1000;
  if (!(ms > 0)) return;
  call.reporter.info(
    `${name} keeps running for ${String(optionsIn(successor.inputs).drainTime)} beside ${successor.name}, and is then deleted.`,
  );
  try {
    for (let left = ms; left > 0; left -= drainStepMs) {
      call.reporter.status(`draining, ${Math.ceil(left / 1000)} s left`);
      await ports.clock.sleep(Math.min(left, drainStepMs), call.signal);
    }
  } catch (cause) {
    throw new ModelPlatformError(`${operation.title(name)} was interrupted while it drained, and is not deleted`, {
      code: "drain-interrupted",
      advice: "Run `up` again: it drains again and is then deleted.",
      cause,
    });
  }
}

/** The object of this declaration that a new one replaces, while it exists and has not failed. */
export async function predecessorOf(operation: Operation, name: string, old: unknown): Promise<string | undefined> {
  const { spec } = operation;
  if (typeof old !== "string" || old === name) return undefined;
  const own = operation.begin({ account: accountOf(old) ?? "", verb: "delete", values: {} });
  const live = await own.objects.find(old);
  return live && !["failed", "gone"].includes(phaseOf(spec.lifecycle, live)) ? old : undefined;
}

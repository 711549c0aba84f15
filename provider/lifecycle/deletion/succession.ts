import { optionsIn } from "../../core/declaration/options";
import { phaseOf } from "../../core/declaration/states";
import { ModelPlatformError } from "../../core/errors";
import { durationSeconds } from "../../core/fields/equality";
import { accountOf } from "../../core/values/names";
import { describeObject, type ResourceOperation, requestOptions, startOperation } from "../operation/operation";
import { waitUntilDesired } from "../operation/waits";
import { replacedObjectReason } from "../ownership/ownership";
import { moveLoads } from "../patching/guests";
import type { LiveObject } from "../ports/objects";
import type { CurrentObject } from "../run/views";
import type { Values } from "../types";
import { deleteObject, type Removal } from "./remove";

/** How often a drain reports the remaining time. */
const drainStepMs = 30_000;

/**
 * Removes an object in favour of its successor: not before the successor has reached the desired state and serves what
 * the old one served, and after the drain time. What fails on the way leaves the old object as it is, for the next run.
 */
export async function deleteAfterSuccessor(
  operation: ResourceOperation,
  name: string,
  recorded: Values,
  successor: CurrentObject,
): Promise<Removal> {
  const { spec, objects } = operation;
  const fresh = await readySuccessor(operation, name, successor);
  const old = await objects.find(name, requestOptions(operation));
  if (!old || phaseOf(spec.lifecycle, old) === "gone" || (await replacedObjectReason(operation, recorded, old)))
    return deleteObject(operation, name, recorded, successor.name);
  if (fresh && accountOf(successor.name) === accountOf(name)) await moveLoads(operation, old, fresh);
  if (phaseOf(spec.lifecycle, old) !== "failed") await drain(operation, name, successor);
  const rest = startOperation(operation, { account: objects.account, verb: "delete", values: recorded });
  return deleteObject(rest, name, recorded, successor.name);
}

/**
 * The successor, once it has reached the desired state: an engine that continues after errors asks for deletions
 * anyway. Undefined where its record is gone and what it has made is not (A075).
 */
async function readySuccessor(
  deletion: ResourceOperation,
  name: string,
  { name: freshName, inputs }: CurrentObject,
): Promise<LiveObject | undefined> {
  const { spec } = deletion;
  const operation = startOperation(deletion, {
    account: accountOf(freshName) ?? "",
    verb: "delete",
    values: inputs,
  });
  const live = await operation.objects.find(freshName, requestOptions(operation));
  if (spec.deletion === "forever" && (!live || phaseOf(spec.lifecycle, live) === "gone")) return undefined;
  const end = live && (await waitUntilDesired(operation, inputs, live));
  if (end?.how === "reached" && end.last && !["failed", "gone"].includes(phaseOf(spec.lifecycle, end.last)))
    return end.last;
  throw new ModelPlatformError(
    `${describeObject(operation, name)} is not deleted: its successor ${freshName} did not reach the desired state (${end?.detail ?? "it is gone"})`,
    {
      advice: live ? "Run `up` again: it deletes this one once its successor is ready." : "Run `refresh`, then `up`.",
    },
  );
}

/** Lets requests in flight finish. */
async function drain(operation: ResourceOperation, name: string, successor: CurrentObject): Promise<void> {
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
    throw new ModelPlatformError(
      `${describeObject(operation, name)} was interrupted while it drained, and is not deleted`,
      {
        advice: "Run `up` again: it drains again and is then deleted.",
        cause,
      },
    );
  }
}

/** The object of this declaration that a new one replaces, while it exists and has not failed. */
export async function predecessorOf(
  operation: ResourceOperation,
  name: string,
  old: unknown,
): Promise<string | undefined> {
  const { spec } = operation;
  if (typeof old !== "string" || old === name) return undefined;
  const own = startOperation(operation, { account: accountOf(old) ?? "", verb: "delete", values: {} });
  const live = await own.objects.find(old, requestOptions(own));
  return live && !["failed", "gone"].includes(phaseOf(spec.lifecycle, live)) ? old : undefined;
}

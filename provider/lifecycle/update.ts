import { isDeepStrictEqual } from "node:util";
import { hasMovedMark } from "../core/comparison/accepted";
import { withOpenWait } from "../core/comparison/recorded";
import { type Records, recordsIn } from "../core/declaration/own-fields";
import { hasFailed, phaseOf } from "../core/declaration/states";
import { isAlreadyExists, ModelPlatformError, mayHaveCreated, messageOf } from "../core/errors";
import { lastSegment } from "../core/values/names";
import { acceptedRecord, assertNotRecreated } from "./changes/acceptance";
import { deleteObject } from "./changes/delete";
import { coCreatedHost } from "./changes/hosting";
import { applyChanges, toInitFailedError } from "./changes/patch";
import { heldError, onFailureAdvice, UnfinishedError } from "./changes/unfinished";
import { uploadFiles, uploadRecord } from "./changes/upload";
import { stackCommand } from "./commands";
import { findExisting } from "./creation/place";
import { hasReturned } from "./diff";
import { chosenId } from "./memory/identity";
import type { Operation } from "./operation";
import { identityOf } from "./ownership/journal";
import { assertNotForeign, warnOfMovingTime } from "./ownership/owner";
import type { LiveObject } from "./ports";
import { confirmAbsence, invisibleText, outlastDeletes } from "./read";
import { digestsOfSecrets, restoreSentSecrets, withoutUnanswered } from "./sources";
import type { Values } from "./types";
import { UnsettledError, waitWithinLimit } from "./waiting/operation-waits";

/** Brings the object to the desired state, from wherever an earlier run left it. */
export async function updateObject(
  operation: Operation,
  id: string,
  recorded: Values,
  inputs: Values,
): Promise<Values> {
  const { spec, objects } = operation;
  const records = recordsIn(recorded);
  const isRetired = records.retired === true && !(await hasReturned(operation, id, inputs));
  const kept: Partial<Records> = {
    adopted: records.adopted || undefined,
    attempts: records.attempts,
    resolutions: records.resolutions,
    digests: digestsOfSecrets(spec, records),
    retired: isRetired || undefined,
    ...uploadRecord(spec, inputs, records),
  };
  if (isRetired) {
    const accepted = acceptedRecord(operation, { recorded, inputs, before: recorded, after: recorded });
    return operation.outputs(inputs, { ...recorded, name: id }, { ...kept, ...accepted });
  }
  const live = await findRecorded(operation, id, recorded);
  if (phaseOf(spec.lifecycle, live) === "gone") throw objectDeletedError(operation, id, recorded);
  assertNotForeign(operation, live, recorded);
  await assertNotRecreated(operation, recorded, live, inputs);
  let last = live;
  try {
    last = await uploadFiles(operation, inputs, live, kept.uploads ?? {});
    last = await waitForEarlierRun(operation, inputs, last);
    const settled = restoreSentSecrets(spec, last, recorded);
    const apply = (): Promise<LiveObject> => applyChanges(operation, settled, inputs, records);
    last = await apply()
      .catch((error: unknown) => makeRoom(operation, settled.name, inputs, error).then(apply))
      .catch((error: unknown) => moveBack(operation, settled, error));
    if (hasMovedMark(spec, live, last)) warnOfMovingTime(operation);
    return await operation.outputs(inputs, last, {
      ...kept,
      answers: "update",
      ...acceptedRecord(operation, { recorded, inputs, before: live, after: last }),
    });
  } catch (error) {
    const seen = error instanceof UnsettledError ? error.live : last;
    const now = (await objects.find(id).catch(() => undefined)) ?? seen;
    const isUnknown = mayHaveCreated(error);
    if (!isUnknown && !mustRecord(error, live, now) && isDeepStrictEqual(kept.uploads, records.uploads)) throw error;
    const outputs = await operation.outputs(inputs, now, {
      ...kept,
      ...acceptedRecord(operation, { recorded, inputs, before: live, after: now }),
    });
    const known = isUnknown ? withoutUnanswered(spec, outputs) : outputs;
    throw toInitFailedError(id, withOpenWait(spec, inputs, known, error instanceof UnsettledError), error);
  }
}

async function findRecorded(operation: Operation, id: string, recorded: Values): Promise<LiveObject> {
  if (!operation.objects.isReadable) return { ...recorded, name: id };
  const live = await operation.objects.poll(id);
  const presence = await (live ? outlastDeletes(operation, live, recorded) : confirmAbsence(operation, id, recorded));
  if (presence.is === "gone") throw objectDeletedError(operation, id, recorded);
  if (presence.is === "unknown")
    throw new ModelPlatformError(invisibleText(operation, id), {
      code: "not-visible",
      about: { object: id },
      advice: "Run `up` again after that.",
    });
  return presence.live;
}

function objectDeletedError(operation: Operation, id: string, recorded: Values): ModelPlatformError {
  const { spec } = operation;
  const isSpent = spec.deletion === "forever" && chosenId(spec, recorded) === lastSegment(id);
  return new ModelPlatformError(`${operation.title(id)} cannot be updated: it is gone`, {
    code: "gone",
    advice: isSpent
      ? `Run ${stackCommand(operation, "refresh")} to record that, and give another \`${spec.fields.resourceId?.name}\`: this one can never be reused.`
      : `Run ${stackCommand(operation, "refresh")} to record that; the next \`up\` creates it again.`,
  });
}

/** Whether the object has changed, or is unfinished: if so, the engine must record it as it is. */
function mustRecord(error: unknown, before: LiveObject, now: LiveObject): boolean {
  return (
    error instanceof UnfinishedError ||
    error instanceof UnsettledError ||
    before["updateTime"] !== now["updateTime"] ||
    before["state"] !== now["state"]
  );
}

/** Waits first for an object that an earlier run gave up waiting for; one that failed is reported again, at no cost. */
async function waitForEarlierRun(operation: Operation, inputs: Values, live: LiveObject): Promise<LiveObject> {
  const { spec } = operation;
  if (spec.lifecycle && hasFailed(spec.lifecycle, live)) throw heldError(operation, inputs, live);
  const end = await waitWithinLimit(operation, inputs, live);
  if (end.how === "reached") return end.last ?? live;
  throw new UnfinishedError(`${operation.title(live.name)} did not reach the desired state: ${end.detail}`, {
    advice:
      end.how === "failed"
        ? onFailureAdvice(operation, inputs, end.last ?? live)
        : "Run `up` again to keep waiting, or give it more time with `timeouts`.",
    topic: end.how === "failed" ? "the-object-failed" : undefined,
  });
}

/**
 * Makes room for an object whose new natural key is taken: if the service created the other object along with the new
 * host, it is deleted and the change can be repeated. Any other conflict is for the program to resolve.
 */
async function makeRoom(operation: Operation, name: string, inputs: Values, error: unknown): Promise<void> {
  const existing = isAlreadyExists(error) ? await findExisting(operation, inputs) : undefined;
  if (!existing || existing.name === name) throw error;
  const host = await coCreatedHost(operation, existing, inputs);
  const other = existing.name;
  if (!host) throw await takenError(operation, name, existing, error);
  operation.call.reporter.info(
    `${other}, which the service created along with ${host.name}, is deleted to make room for ${name}.`,
  );
  await deleteObject(operation, other, {});
}

async function takenError(operation: Operation, name: string, existing: LiveObject, cause: unknown): Promise<Error> {
  const { call, resource } = operation;
  const known = (await operation.history()).object(identityOf(existing));
  const other = resource.otherHolderOf(existing.name) ?? known?.holder ?? known?.createdBy;
  const isOurs = other !== undefined && other !== call.hidden.urn;
  const advice = isOurs
    ? "Run `up` again if that one gives it up; to swap the two, give one of them a third value first."
    : "Remove one of the two, from the program or from the service.";
  const ofOurs = isOurs ? `, which is ${other},` : "";
  return new ModelPlatformError(
    `${operation.title(name)} cannot be changed to what the program declares, because ${existing.name}${ofOurs} already matches that`,
    { code: "key-taken", advice, topic: "two-objects-want-the-same-values", cause },
  );
}

/**
 * Moves an object that failed on its new host back to the old one, if that still exists; the error is still reported.
 */
async function moveBack(operation: Operation, before: LiveObject, error: unknown): Promise<never> {
  const { spec, objects, call } = operation;
  const { host, lifecycle } = spec;
  const name = before.name;
  const own = operation.begin({ account: objects.account, verb: "update", values: {} });
  const now =
    host && phaseOf(lifecycle, before) === "ready" && !call.signal.aborted ? await own.objects.find(name) : undefined;
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
  throw new ModelPlatformError(`${reason}. It serves from ${String(before[host.field])} again`, {
    code: "moved-back",
    cause: error,
  });
}

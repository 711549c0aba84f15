import { isDeepStrictEqual } from "node:util";
import { takesOption } from "../../core/declaration/options";
import { type Records, recordsIn } from "../../core/declaration/own-records";
import type { ResourceSpec } from "../../core/declaration/resource";
import { hasFailed, phaseOf } from "../../core/declaration/states";
import { ModelPlatformError } from "../../core/errors";
import { costAboveLimit } from "../../core/rules/cost-limit";
import { lastSegment } from "../../core/values/names";
import { acceptance } from "../comparison/acceptance";
import { refuseRecreated } from "../comparison/recreated";
import { waitWithinLimit } from "../deletion/cancel";
import { chosenId } from "../identity/ids";
import { outputsOf, type ResourceOperation, requestOptions, titleOf } from "../operation/operation";
import { refuseStranger } from "../ownership/ownership";
import { initFailure } from "../patching/apply";
import type { LiveObject } from "../ports/objects";
import { invisibleText, lookAgain } from "../reading/absence";
import { digestsOfSecrets, unmasked } from "../sources/digests";
import type { Values } from "../types";
import { uploadFiles, uploadRecord } from "../uploads/upload";
import { failureText } from "../waiting/wait";
import { changeObject } from "./moves";

/** Brings the object to the desired state, wherever an earlier run left it. */
export async function updateObject(
  operation: ResourceOperation,
  id: string,
  recorded: Values,
  inputs: Values,
): Promise<Values> {
  const { spec, objects } = operation;
  const records = recordsIn(recorded);
  const kept: Partial<Records> = {
    adopted: records.adopted || undefined,
    attempts: records.attempts,
    resolutions: records.resolutions,
    digests: digestsOfSecrets(spec, records),
    retired: records.retired || undefined,
    ...uploadRecord(spec, inputs, records),
    ...acceptance(operation, { recorded, inputs, before: recorded, after: recorded }),
  };
  if (records.retired) return outputsOf(operation, inputs, { ...recorded, name: id }, kept);
  const found = await findRecorded(operation, id, recorded);
  if (phaseOf(spec.lifecycle, found) === "gone") throw goneError(operation, id, recorded);
  refuseStranger(operation, found, recorded);
  await refuseRecreated(operation, recorded, found, inputs);
  let last = found;
  try {
    last = await uploadFiles(operation, inputs, found, kept.uploads ?? {});
    last = await waitUntilSettled(operation, inputs, last);
    last = await changeObject(operation, unmasked(spec, last, recorded), inputs, records);
    return await outputsOf(operation, inputs, last, {
      ...kept,
      answers: "update",
      ...acceptance(operation, { recorded, inputs, before: found, after: last }),
    });
  } catch (error) {
    const now = (await objects.find(id, requestOptions(operation)).catch(() => undefined)) ?? last;
    if (!mustRecord(error, found, now) && isDeepStrictEqual(kept.uploads, records.uploads)) throw error;
    const outputs = await outputsOf(operation, inputs, now, {
      ...kept,
      ...acceptance(operation, { recorded, inputs, before: found, after: now }),
    });
    throw initFailure(id, outputs, error);
  }
}

async function findRecorded(operation: ResourceOperation, id: string, recorded: Values): Promise<LiveObject> {
  if (!operation.objects.isReadable) return { ...recorded, name: id };
  const found = await operation.objects.look(id, requestOptions(operation));
  const sighting = found ? undefined : await lookAgain(operation, id, recorded);
  if (sighting?.is === "gone") throw goneError(operation, id, recorded);
  if (sighting?.is === "unknown")
    throw new ModelPlatformError(invisibleText(operation, id), { advice: "Run `up` again after that." });
  return found ?? sighting!.live;
}

function goneError(operation: ResourceOperation, id: string, recorded: Values): ModelPlatformError {
  const { spec } = operation;
  const isSpent = spec.deletion === "forever" && chosenId(spec, recorded) === lastSegment(id);
  return new ModelPlatformError(`${titleOf(operation, id)} cannot be updated: it is gone`, {
    advice: isSpent
      ? `Run \`refresh\` to record that, and give another \`${spec.fields.resourceId?.name}\`: this one can never be reused.`
      : "Run `refresh` to record that; the next `up` creates it again.",
  });
}

/** Whether the object has changed, or was unfinished to begin with: if so, the engine must record it as it is. */
function mustRecord(error: unknown, before: LiveObject, now: LiveObject): boolean {
  return (
    error instanceof UnfinishedError || before["updateTime"] !== now["updateTime"] || before["state"] !== now["state"]
  );
}

/** The object never reached the desired state; it stays recorded as unfinished. */
class UnfinishedError extends ModelPlatformError {}

/** Waits first for an object that an earlier run gave up waiting for; one that failed is reported again, at no cost. */
async function waitUntilSettled(operation: ResourceOperation, inputs: Values, found: LiveObject): Promise<LiveObject> {
  const { spec } = operation;
  const title = titleOf(operation, found.name);
  if (spec.lifecycle && hasFailed(spec.lifecycle, found))
    throw new UnfinishedError(`${title} failed: ${failureText(spec, found)}`, {
      advice: onFailureAdvice(spec, inputs, found),
      topic: "the-object-failed",
    });
  const end = await waitWithinLimit(operation, inputs, found);
  if (end.how === "reached") return end.last ?? found;
  throw new UnfinishedError(`${title} did not reach the desired state: ${end.detail}`, {
    advice:
      end.how === "failed"
        ? onFailureAdvice(spec, inputs, end.last ?? found)
        : "Run `up` again to keep waiting, or give it more time with `timeouts`.",
    topic: end.how === "failed" ? "the-object-failed" : undefined,
  });
}

function onFailureAdvice(spec: ResourceSpec, inputs: Values, failed: LiveObject): string {
  const overBudget = costAboveLimit(spec.costLimit, inputs, failed);
  if (overBudget !== undefined) return `Raise the limit or ask for less: ${overBudget}.`;
  const reruns = takesOption(spec, "onFailure");
  return reruns
    ? 'Correct its inputs, or set `onFailure: "rerun"` to start a new run; it is held at no cost.'
    : `Correct the program, or replace it with \`up --replace\` (${lastSegment(failed.name)}).`;
}

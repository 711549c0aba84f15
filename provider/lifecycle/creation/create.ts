import { changesBetween } from "../../core/comparison/diff";
import { outcomeOfCreate } from "../../core/comparison/ignored";
import { optionsIn, takesOption } from "../../core/declaration/options";
import type { Records } from "../../core/declaration/own-records";
import { goalOf, hasFailed, hasReached, phaseOf } from "../../core/declaration/states";
import { ModelPlatformError, messageOf } from "../../core/errors";
import { deleteObject } from "../deletion/remove";
import { predecessorOf } from "../deletion/succession";
import { idSourceOf } from "../identity";
import {
  type CreateOperation,
  describeObject,
  type KnownRecords,
  outputsOf,
  type ResourceOperation,
  requestOptions,
  startOperation,
} from "../operation/operation";
import { waitWithinLimit } from "../operation/waits";
import {
  declarationUrns,
  historyFor,
  identityOf,
  openAttempts,
  writeCompletedFact,
  writeObjectFact,
} from "../ownership/facts";
import { toInitFailedError } from "../patching/apply";
import { reportOutcome } from "../patching/outcome";
import type { LiveObject } from "../ports/objects";
import { requireSources } from "../sources/files";
import { type Created, InitFailedError, type Values } from "../types";
import { uploadFiles, uploadRecord } from "../uploads/upload";
import { stateOf, type WaitEnd } from "../waiting/wait";
import { reclaimFormer, recoverFromRenamedStack } from "./former";
import { createStrategies } from "./place";
import { warnOfOpenAttempts } from "./recovery";

/**
 * Creates the object, or finds the one that an interrupted run created, and waits until it reaches the desired state.
 * Never loses or duplicates one.
 */
export async function createObject(operation: CreateOperation, inputs: Values): Promise<Created> {
  const { ports, resource } = operation;
  const { previous } = resource;
  await requireSources(ports.machine, operation.spec, inputs);
  await recoverFromRenamedStack(operation, inputs);
  const open = await openAttempts(operation);
  await warnOfOpenAttempts(operation, open, inputs);
  const before = (await historyFor(operation)).lastHeld(declarationUrns(operation))?.identity.name;
  const place = createStrategies[idSourceOf(operation.spec, inputs)];
  const former = await reclaimFormer(operation, inputs);
  const placed = former.placement ?? (await place(operation, inputs, open));
  former.report?.(placed.object.name);
  const name = placed.object.name;
  resource.recordObject(name, inputs);
  if (placed.takenOver) await writeObjectFact(operation, placed.adopted ? "adopted" : "made", placed.object);
  const records: KnownRecords = {
    // An update that failed would not have placed it.
    answers: "create",
    adopted: placed.adopted || undefined,
    ...attemptRecord(operation, inputs, previous),
    ...uploadRecord(operation.spec, inputs),
  };
  let last = placed.object;
  try {
    // What its create has answered in part is read: if that cannot be used either, what there is of it is recorded.
    if (operation.objects.isUnusable?.(name))
      last = (await operation.objects.find(name, requestOptions(operation))) ?? last;
    last = await uploadFiles(operation, inputs, last, records.uploads ?? {});
    const waited = await waitWithinLimit(operation, inputs, last);
    const end = isDeletedOnTimeout(inputs, waited) ? await pollOnceMore(operation, inputs, name, waited) : waited;
    last = end.last ?? last;
    if (end.how === "reached") {
      const known = { ...last, accountId: operation.objects.account };
      reportOutcome(operation, name, outcomeOfCreate(operation.spec, inputs, known));
      return { id: name, outputs: await outputsOf(operation, inputs, last, records) };
    }
    const reason = placed.existed
      ? undefined
      : await reasonToGiveUp(operation, inputs, { name, end, before: previous?.["name"] ?? before });
    if (reason !== undefined) await discardCreated(operation, inputs, placed.object, reason);
    throw new InitFailedError(name, await outputsOf(operation, inputs, last, records), [
      unfinishedMessage(operation, name, end),
    ]);
  } catch (error) {
    throw error instanceof InitFailedError || error instanceof DiscardedError
      ? error
      : toInitFailedError(name, await outputsOf(operation, inputs, last, records), error);
  }
}

/** The object was created and then removed: there is nothing to record. */
class DiscardedError extends ModelPlatformError {}

interface DiscardReason {
  why: string;
  /** The outcome once the object is deleted. */
  then: string;
  advice: string;
}

/**
 * Why an object that did not reach the desired state is removed instead of recorded: it timed out and the program asks
 * for that, or it failed while the object that it replaces still exists, which then stays the recorded one. For failed
 * jobs, the program decides (`onFailure`).
 */
async function reasonToGiveUp(
  operation: ResourceOperation,
  inputs: Values,
  { name, end, before }: { name: string; end: WaitEnd; before: unknown },
): Promise<DiscardReason | undefined> {
  const { how, detail } = end;
  const title = describeObject(operation, name);
  if (isDeletedOnTimeout(inputs, end)) {
    return {
      why: `${title} was not ready in time (${detail})`,
      then: "it was deleted, as `onTimeout` says",
      advice: "Give it more time with `timeouts.create`, or check its configuration.",
    };
  }
  // One that is not visible yet is not known to be gone: it stays recorded (A093).
  if (how !== "failed" || optionsIn(inputs).onFailure !== undefined) return undefined;
  const old = await predecessorOf(operation, name, before);
  if (old === undefined) return undefined;
  return {
    why: `${title} was created to replace ${old} and did not reach the desired state: ${detail}`,
    then: `it was deleted, and ${old} is unchanged`,
    advice: "Fix or revert the program, and run `up` again.",
  };
}

/** Whether the program deletes an object that times out (`onTimeout`). */
const isDeletedOnTimeout = (inputs: Values, { how }: WaitEnd): boolean => {
  const { onTimeout, deletionProtection } = optionsIn(inputs);
  return how === "timeout" && onTimeout === "delete" && deletionProtection !== true;
};

/**
 * The last poll may lie long before the deadline. What has reached the desired state since then has not timed out.
 */
async function pollOnceMore(
  operation: ResourceOperation,
  inputs: Values,
  name: string,
  waited: WaitEnd,
): Promise<WaitEnd> {
  const { spec, objects } = operation;
  const polling = startOperation(operation, { account: objects.account, verb: "delete", values: inputs });
  const last = await objects.find(name, requestOptions(polling));
  if (last === undefined) return waited;
  const goal = spec.lifecycle && goalOf(spec.lifecycle, inputs);
  return hasReached(spec.lifecycle, last, goal) ? { how: "reached", last, detail: stateOf(last) } : { ...waited, last };
}

/** Removes the object that was just created. If that fails too, it is recorded, so that it is not orphaned. */
async function discardCreated(
  operation: CreateOperation,
  inputs: Values,
  object: LiveObject,
  { why, then: outcome, advice }: DiscardReason,
): Promise<never> {
  const { name } = object;
  let then = outcome;
  try {
    const removing = startOperation(operation, {
      account: operation.objects.account,
      verb: "delete",
      values: inputs,
    });
    const removal = await deleteObject(removing, name, await outputsOf(operation, inputs, object));
    if (removal === "another's") then = "another object has its name by now, and is left as it is";
  } catch (cause) {
    const reason = messageOf(cause).replace(/\.$/, "");
    throw new ModelPlatformError(`${why}; deleting it failed as well: ${reason}`, {
      advice: "It is recorded, and the next `up` continues with it.",
      cause,
    });
  }
  operation.resource.recordNone();
  await writeCompletedFact(operation, { fact: "gone", object: identityOf(object) });
  throw new DiscardedError(`${why}; ${then}`, { advice });
}

function unfinishedMessage(operation: ResourceOperation, name: string, end: WaitEnd): string {
  const title = `${describeObject(operation, name)} at ${operation.objects.origin}`;
  return `${title} was created and did not reach the desired state: ${end.detail}. ${nextStep(operation, end)}`;
}

function nextStep({ spec }: ResourceOperation, { how, last }: WaitEnd): string {
  if (how === "aborted") return "It is recorded; the next `up` waits for it again.";
  if (how === "timeout" && last && spec.operations["resume"] && phaseOf(spec.lifecycle, last) === "resting")
    return `It is recorded and does not continue on its own: \`npx pulumi-modelplatform call resume${spec.kind}\` continues it.`;
  if (how === "failed") return "It is recorded; the next `up` acts on it as the program says.";
  if (how === "gone") return "Run `refresh`, then `up`.";
  const others = Object.entries(spec.lifecycle?.goals ?? {}).filter(([, states]) => states.includes("*"));
  const sooner = others.map(([goal]) => `, or set \`waitFor: "${goal}"\` to wait for no state`).join("");
  return `It is recorded and still under way; the next \`up\` waits for it again. To wait longer, raise \`timeouts.create\`${sooner}.`;
}

/** Counts the runs of a job, so that `maxAttempts` holds across runs of the program. New inputs start a new count. */
function attemptRecord({ spec }: ResourceOperation, inputs: Values, previous: Values | undefined): Partial<Records> {
  if (!takesOption(spec, "maxAttempts")) return {};
  const repeated =
    previous !== undefined &&
    spec.lifecycle !== undefined &&
    hasFailed(spec.lifecycle, previous) &&
    changesBetween(spec, previous, inputs).every(({ effect, ofOutcome }) => effect !== "replace" || ofOutcome);
  return { attempts: repeated ? Number(previous["attempts"] ?? 1) + 1 : 1 };
}

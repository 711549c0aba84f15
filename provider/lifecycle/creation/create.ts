import { changesBetween, outcomeOfCreate } from "../../core/comparison/diff";
import { withOpenWait } from "../../core/comparison/recorded";
import { optionsIn, type Records, takesOption } from "../../core/declaration/own-fields";
import { goalOf, hasFailed, hasReached, phaseOf } from "../../core/declaration/states";
import { ModelPlatformError, messageOf } from "../../core/errors";
import { deleteObject, predecessorOf } from "../changes/delete";
import { reportOutcome } from "../changes/outcome";
import { toInitFailedError } from "../changes/patch";
import { uploadFiles, uploadRecord } from "../changes/upload";
import { objectCommand } from "../commands";
import type { CreateOperation, KnownRecords, Operation } from "../operation";
import { identityOf, writeCompletedFact, writeObjectFact } from "../ownership/journal";
import type { LiveObject } from "../ports";
import { requireSources } from "../sources";
import { type Created, InitFailedError, type Values } from "../types";
import { unreadyCode, waitWithinLimit } from "../waiting/operation-waits";
import { stateOf, type WaitEnd } from "../waiting/wait";
import { settleEarlierRuns } from "./earlier-runs";
import { findPlace } from "./place";
import type { Placement } from "./take-over";

/**
 * Creates the object, or takes over the result of an interrupted run, and waits until it reaches the desired state.
 * Never loses or duplicates an object.
 */
export async function createObject(operation: CreateOperation, inputs: Values): Promise<Created> {
  const { spec, objects, ports } = operation;
  await requireSources(ports.machine, spec, inputs);
  const earlier = await settleEarlierRuns(operation, inputs);
  const placed = earlier.placement ?? (await findPlace(operation, inputs, earlier.open));
  const { name } = placed.object;
  earlier.report?.(name);
  const records = await recordPlaced(operation, inputs, placed);
  let last = placed.object;
  const outputs = (): Promise<Values> => operation.outputs(inputs, last, records);
  const unfinished = async (): Promise<Values> => withOpenWait(spec, inputs, await outputs());
  try {
    // Reads an object whose create had a partly usable response. If the read is unusable too, records that part.
    if (objects.isUnusable?.(name)) last = (await objects.find(name)) ?? last;
    last = await uploadFiles(operation, inputs, last, records.uploads ?? {});
    let end = await waitWithinLimit(operation, inputs, last);
    if (isDeletedOnTimeout(inputs, end)) end = await pollOnceMore(operation, inputs, name, end);
    last = end.last ?? last;
    if (end.how === "reached") {
      reportOutcome(operation, name, outcomeOfCreate(spec, inputs, { ...last, accountId: objects.account }));
      return { id: name, outputs: await outputs() };
    }
    if (!placed.existed) await discardIfAsked(operation, inputs, placed.object, { end, before: earlier.before });
    throw unfinishedError(operation, name, end);
  } catch (error) {
    if (error instanceof InitFailedError || error instanceof DiscardedError) throw error;
    throw toInitFailedError(name, await unfinished(), error);
  }
}

/** The declaration has this object. Resolves to what its outputs record beside it. */
async function recordPlaced(operation: CreateOperation, inputs: Values, placed: Placement): Promise<KnownRecords> {
  const { spec, resource } = operation;
  resource.recordObject(placed.object.name, inputs);
  if (placed.takenOver) await writeObjectFact(operation, placed.adopted ? "adopted" : "made", placed.object);
  return {
    // An update that failed would not have placed it.
    answers: "create",
    adopted: placed.adopted || undefined,
    ...attemptRecord(operation, inputs, resource.previous),
    ...uploadRecord(spec, inputs),
  };
}

/** The object was created and then removed: there is nothing to record. */
class DiscardedError extends ModelPlatformError {}

/** Whether the program deletes an object that times out (`onTimeout`). */
const isDeletedOnTimeout = (inputs: Values, { how }: WaitEnd): boolean => {
  const { onTimeout, deletionProtection } = optionsIn(inputs);
  return how === "timeout" && onTimeout === "delete" && deletionProtection !== true;
};

/**
 * The last poll may be long before the deadline. An object that has since reached the desired state has not timed out.
 */
async function pollOnceMore(operation: Operation, inputs: Values, name: string, waited: WaitEnd): Promise<WaitEnd> {
  const { spec, objects } = operation;
  const polling = operation.begin({ account: objects.account, verb: "delete", values: inputs });
  const last = await polling.objects.find(name);
  if (last === undefined) return waited;
  const goal = spec.lifecycle && goalOf(spec.lifecycle, inputs);
  return hasReached(spec.lifecycle, last, goal) ? { how: "reached", last, detail: stateOf(last) } : { ...waited, last };
}

/** Removes the object that was just created, where that is asked for. If that fails too, it is recorded. */
async function discardIfAsked(
  operation: CreateOperation,
  inputs: Values,
  object: LiveObject,
  { end, before }: { end: WaitEnd; before: string | undefined },
): Promise<void> {
  const { name } = object;
  const reason = await reasonToDiscard(operation, inputs, { name, end, before });
  if (!reason) return;
  const { why, then: outcome, advice } = reason;
  let then = outcome;
  try {
    const removing = operation.begin({
      account: operation.objects.account,
      verb: "delete",
      values: inputs,
    });
    const removal = await deleteObject(removing, name, await operation.outputs(inputs, object));
    if (removal === "another's") then = "another object has its name by now, and is left as it is";
  } catch (cause) {
    throw new ModelPlatformError(`${why}; deleting it failed as well: ${messageOf(cause).replace(/\.$/, "")}`, {
      code: "cleanup-failed",
      advice: "It is recorded, and the next `up` continues with it.",
      cause,
    });
  }
  operation.resource.recordNone();
  await writeCompletedFact(operation, { fact: "gone", object: identityOf(object) });
  throw new DiscardedError(`${why}; ${then}`, { code: unreadyCode(end), about: { object: name }, advice });
}

interface DiscardReason {
  why: string;
  /** The outcome once the object is deleted. */
  then: string;
  advice: string;
}

/**
 * Why an object that did not reach the desired state is removed instead of recorded: it timed out and the program asks
 * for that, or it failed while the object that it replaces still exists and stays recorded. For failed jobs, the
 * program decides (`onFailure`).
 */
async function reasonToDiscard(
  operation: CreateOperation,
  inputs: Values,
  { name, end, before }: { name: string; end: WaitEnd; before: string | undefined },
): Promise<DiscardReason | undefined> {
  const { how, detail } = end;
  const title = operation.title(name);
  if (isDeletedOnTimeout(inputs, end)) {
    return {
      why: `${title} was not ready in time (${detail})`,
      then: "it was deleted, as `onTimeout` says",
      advice: "Give it more time with `timeouts.create`, or check its configuration.",
    };
  }
  // An object that is not visible yet may exist: it stays recorded (A093).
  if (how !== "failed" || optionsIn(inputs).onFailure !== undefined) return undefined;
  const old = await predecessorOf(operation, name, operation.resource.previous?.["name"] ?? before);
  if (old === undefined) return undefined;
  return {
    why: `${title} was created to replace ${old} and did not reach the desired state: ${detail}`,
    then: `it was deleted, and ${old} is unchanged`,
    advice: "Fix or revert the program, and run `up` again.",
  };
}

function unfinishedError(operation: Operation, name: string, end: WaitEnd): ModelPlatformError {
  const title = `${operation.title(name)} at ${operation.objects.origin}`;
  return new ModelPlatformError(`${title} was created and did not reach the desired state: ${end.detail}`, {
    code: unreadyCode(end),
    about: { object: name },
    advice: nextStep(operation, name, end),
  });
}

function nextStep({ spec }: Operation, name: string, { how, last }: WaitEnd): string {
  if (how === "aborted") return "It is recorded; the next `up` waits for it again.";
  if (how === "timeout" && last && spec.operations["resume"] && phaseOf(spec.lifecycle, last) === "resting")
    return `It is recorded and does not continue on its own: ${objectCommand("resume", spec, name)} continues it.`;
  if (how === "failed") return "It is recorded; the next `up` acts on it as the program says.";
  if (how === "gone") return "Run `refresh`, then `up`.";
  const others = Object.entries(spec.lifecycle?.goals ?? {}).filter(([, states]) => states.includes("*"));
  const sooner = others.map(([goal]) => `, or set \`waitFor: "${goal}"\` to wait for no state`).join("");
  return `It is recorded and still under way, and the next \`up\` waits for it again, as long as \`timeouts.update\` says: raise that${sooner}.`;
}

/** Counts the runs of a job, so that `maxAttempts` holds across runs of the program. New inputs start a new count. */
function attemptRecord({ spec }: Operation, inputs: Values, previous: Values | undefined): Partial<Records> {
  if (!takesOption(spec, "maxAttempts")) return {};
  const repeated =
    previous !== undefined &&
    spec.lifecycle !== undefined &&
    hasFailed(spec.lifecycle, previous) &&
    changesBetween(spec, previous, inputs).every(({ effect, ofOutcome }) => effect !== "replace" || ofOutcome);
  return { attempts: repeated ? Number(previous["attempts"] ?? 1) + 1 : 1 };
}

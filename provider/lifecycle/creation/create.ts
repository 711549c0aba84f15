import { changesBetween, outcomeOfCreate } from "../../core/comparison/diff";
import { optionsIn, type Records, takesOption } from "../../core/declaration/own-fields";
import { goalOf, hasFailed, hasReached, phaseOf } from "../../core/declaration/states";
import { ModelPlatformError, messageOf } from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import { deleteObject, predecessorOf } from "../changes/delete";
import { reportOutcome, toInitFailedError } from "../changes/patch";
import { uploadFiles, uploadRecord } from "../changes/upload";
import { forgetting, objectCommand, recoveringUp, stackCommand } from "../commands";
import { type CreateAttempt, historyOf, type OwnershipHistory } from "../memory/history";
import { chosenId, hasChosenId, projectOf, stackNameOf, stackOf, urnWithoutStack } from "../memory/identity";
import {
  type CreateOperation,
  describeObject,
  type KnownRecords,
  outputsOf,
  type ResourceOperation,
  requestOptions,
  startOperation,
} from "../operation";
import {
  declarationUrns,
  type FormerObject,
  findFormer,
  historyFor,
  identityOf,
  isInState,
  keyDigestOf,
  openAttempts,
  writeCompletedFact,
  writeFact,
  writeObjectFact,
} from "../ownership/journal";
import { foreignOwnerOf } from "../ownership/owner";
import { classifyOwnership } from "../ownership/relation";
import { decideFormer, isUnrecorded } from "../ownership/verdicts";
import type { LiveObject } from "../ports";
import { requireSources } from "../sources";
import { type Created, InitFailedError, type Values } from "../types";
import { waitWithinLimit } from "../waiting/operation-waits";
import { stateOf, type WaitEnd } from "../waiting/wait";
import { reclaimObject } from "./conflict";
import { findExisting, findPlace } from "./place";
import { findAttempted, warnOfOpenAttempts } from "./send";
import { type Placement, unchangeableFields } from "./take-over";

/**
 * Before anything is created, asks about the last object of this declaration if the current state lacks it: a second
 * one would serve, and cost, beside it. An engine's state distinguishes a lost entry from `up --replace`. Without it,
 * only a run that has read its state can ask; any other names the object. Resolves to the former object if `recover`
 * takes it back.
 */
async function reclaimFormer(operation: CreateOperation, inputs: Values): Promise<SettledFormer> {
  const former = await findFormer(operation);
  if (!former || foreignOwnerOf(operation, former.live)) return {};
  const { ports } = operation;
  const isHeld = isInState(operation, former.live.name);
  // The engine is about to replace it.
  if (isHeld) return {};
  const { recover } = ports.settings;
  const isInPlace = occupiesTargetSlot(operation, former.live, inputs);
  switch (
    decideFormer({
      place: isInPlace ? "same" : "other",
      adopt: optionsIn(inputs).adopt ?? "never",
      recover,
      isLost: (isHeld === false || ports.claims.hasRefreshed()) && !former.isContinued,
      fits: recover === "take" && !former.isContinued && (await mayTake(operation, former.live, inputs)),
    })
  ) {
    case "pass":
      return {};
    case "takeBack":
      return { placement: await reclaimObject(operation, former.live, inputs, { object: former.known }) };
    case "ask":
      throw recover === "take" ? notTaken(operation, former.live) : question(operation, former, isInPlace);
    case "name":
      return { report: (created) => warnOfFormer(operation, former.live.name, created) };
  }
}

/** How a create deals with the last object of its declaration. */
interface SettledFormer {
  /** The former object itself. */
  placement?: Placement;
  /** Reports that it is live beside the created object. */
  report?: (created: string) => void;
}

/** The engine does not report its state, or the user wants a new object. */
function warnOfFormer(operation: CreateOperation, former: string, created: string): void {
  const { call, spec, ports } = operation;
  const [before, now] = [former, created].map(lastSegment);
  const early = ports.state
    ? ""
    : ` ${stackCommand(operation, "up", "--refresh")} asks before it creates, unless the state is empty.`;
  call.reporter.warn(
    `${describeObject(operation, former)} was this resource before and is live, and ${now} was created beside it. If this was no replacement, the state has lost ${before}. To have ${before} back in place of ${now}, run ${forgetting(operation)}, then ${objectCommand("delete", spec, created)}, then ${recoveringUp(operation, "take")}.${early}`,
  );
}

/**
 * Whether the object is where the create would be sent, by its key or at its chosen id. A create passes over an object
 * at an id that its key implies once that object has another key.
 */
function occupiesTargetSlot(operation: ResourceOperation, live: LiveObject, inputs: Values): boolean {
  const { spec, objects } = operation;
  const digest = keyDigestOf(operation, inputs);
  if (digest !== undefined && digest === keyDigestOf(operation, live)) return true;
  const id = digest === undefined || hasChosenId(spec, inputs) ? chosenId(spec, inputs) : undefined;
  return id !== undefined && objects.nameOf(id) === live.name;
}

/**
 * Whether it can become what the program declares: the id that a program chooses is part of that, and no other object
 * has the natural key.
 */
async function mayTake(operation: ResourceOperation, live: LiveObject, inputs: Values): Promise<boolean> {
  const { spec } = operation;
  if (unchangeableFields(operation, live, inputs).length > 0) return false;
  if (hasChosenId(spec, inputs) && chosenId(spec, inputs) !== lastSegment(live.name)) return false;
  const key = keyDigestOf(operation, inputs);
  if (key === undefined || key === keyDigestOf(operation, live)) return true;
  const holder = await findExisting(operation, inputs);
  return holder === undefined || holder.name === live.name;
}

const notTaken = (operation: ResourceOperation, { name }: LiveObject): ModelPlatformError =>
  new ModelPlatformError(
    `${operation.spec.kind} was not created: ${describeObject(operation, name)} cannot be taken, because it cannot become what the program declares`,
    {
      advice: `Declare it as it is, with the id \`${lastSegment(name)}\` or without one, run ${recoveringUp(operation, "take")}, and change it afterwards. To leave it and create another, run ${recoveringUp(operation, "new")}.`,
      topic: "an-interrupted-run-left-an-object",
    },
  );

const question = (operation: CreateOperation, { live }: FormerObject, isInPlace: boolean): ModelPlatformError =>
  new ModelPlatformError(
    `${operation.spec.kind} was not created: ${describeObject(operation, live.name)}, created at ${String(live["createTime"] ?? "an unknown time")}, was this resource before, and the state no longer has it`,
    {
      advice: `To have it back, run ${recoveringUp(operation, "take")}.${isInPlace ? "" : ` To leave it and create another, run ${recoveringUp(operation, "new")}.`}`,
      topic: "the-state-has-lost-the-object",
    },
  );

/**
 * A stack that was renamed since an interrupted create has another journal. The result of that create is this stack's
 * if both have held the same objects; without that evidence, the user is asked. A stack that existed before the create
 * was sent is another one. Programs of languages that write no `held` themselves get a message and no question: their
 * first `up` of a second stack would look the same.
 */
async function recoverFromRenamedStack(operation: ResourceOperation, inputs: Values): Promise<void> {
  const { ports, objects, call } = operation;
  const { origin, account } = objects;
  const { urn } = call.hidden;
  const left = await ports.run.unfinishedBefore(ports.journal, origin, account, projectOf(urn) ?? "");
  const elsewhere = left.get(urnWithoutStack(urn))?.filter((each) => stackOf(each) !== stackOf(urn)) ?? [];
  const own = await historyFor(operation);
  for (const other of elsewhere) {
    const history = await historyOf(ports.journal, origin, account, other);
    for (const attempt of history.open(new Set([other]))) {
      const live = await findCreated(operation, attempt, inputs);
      if (!live) continue;
      if (haveHeldTheSame(own, history)) await moveHere(operation, attempt, live);
      else if (ports.settings.recover === "take") {
        if (!(await mayTake(operation, live, inputs))) throw notTaken(operation, live);
        await moveHere(operation, attempt, live);
      } else if (ports.settings.recover === "ask" && !own.isOlderThan(attempt.at)) ask(operation, attempt, live);
    }
  }
}

const haveHeldTheSame = (own: OwnershipHistory, former: OwnershipHistory): boolean =>
  own.held().some(({ identity }) => identity.createTime !== undefined && former.object(identity)?.holder !== undefined);

/** The live result of the other stack's create, as far as that stack could know. */
async function findCreated(
  operation: ResourceOperation,
  attempt: CreateAttempt,
  inputs: Values,
): Promise<LiveObject | undefined> {
  const live = await findAttempted(operation, attempt);
  if (!live || phaseOf(operation.spec.lifecycle, live) === "gone") return undefined;
  return isUnrecorded((await classifyOwnership(inNameOf(operation, attempt.urn), live, inputs)).relation)
    ? live
    : undefined;
}

/** The same operation, for the resource of that URN. */
function inNameOf(operation: ResourceOperation, urn: string): ResourceOperation {
  const { call } = operation;
  return { ...operation, call: { ...call, hidden: { ...call.hidden, urn, stack: stackNameOf(urn) } } };
}

async function moveHere(operation: ResourceOperation, attempt: CreateAttempt, live: LiveObject): Promise<void> {
  const { id, place, digest, sent, clock, until, version, urn } = attempt;
  await writeFact(operation, { fact: "sent", id, place, digest, sent, clock, until, version });
  await writeObjectFact(operation, "made", live);
  await writeFact(inNameOf(operation, urn), { fact: "void", id });
}

function ask(operation: ResourceOperation, { urn }: CreateAttempt, live: LiveObject): void {
  const { call, spec } = operation;
  const stack = stackNameOf(urn);
  if (call.hidden.aliasesUnknown)
    return call.reporter.info(
      `${describeObject(operation, live.name)} was created by the stack ${stack} for the like of this resource. If this is that stack (\`stack rename\`) after an interrupted run, run ${recoveringUp(operation, "take")}.`,
    );
  throw new ModelPlatformError(
    `${spec.kind} was not created: ${describeObject(operation, live.name)} was created by an interrupted run of the stack ${stack} for this resource, and no state holds it`,
    {
      advice: `If this is that stack under a new name (\`stack rename\`), run ${recoveringUp(operation, "take")}; if not, ${recoveringUp(operation, "new")}.`,
      topic: "an-interrupted-run-left-an-object",
    },
  );
}

/**
 * Creates the object, or takes over the result of an interrupted run, and waits until it reaches the desired state.
 * Never loses or duplicates an object.
 */
export async function createObject(operation: CreateOperation, inputs: Values): Promise<Created> {
  const { ports, resource } = operation;
  const { previous } = resource;
  await requireSources(ports.machine, operation.spec, inputs);
  await recoverFromRenamedStack(operation, inputs);
  const open = await openAttempts(operation);
  await warnOfOpenAttempts(operation, open, inputs);
  const before = (await historyFor(operation)).lastHeld(declarationUrns(operation))?.identity.name;
  const former = await reclaimFormer(operation, inputs);
  const placed = former.placement ?? (await findPlace(operation, inputs, open));
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
    // Reads an object whose create had a partly usable response. If the read is unusable too, records that part.
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
 * for that, or it failed while the object that it replaces still exists and stays recorded. For failed jobs, the
 * program decides (`onFailure`).
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
  // An object that is not visible yet may exist: it stays recorded (A093).
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
 * The last poll may be long before the deadline. An object that has since reached the desired state has not timed out.
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
  return `${title} was created and did not reach the desired state: ${end.detail}. ${nextStep(operation, name, end)}`;
}

function nextStep({ spec }: ResourceOperation, name: string, { how, last }: WaitEnd): string {
  if (how === "aborted") return "It is recorded; the next `up` waits for it again.";
  if (how === "timeout" && last && spec.operations["resume"] && phaseOf(spec.lifecycle, last) === "resting")
    return `It is recorded and does not continue on its own: ${objectCommand("resume", spec, name)} continues it.`;
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

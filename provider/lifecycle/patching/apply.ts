import { desiredFields } from "../../core/comparison/desired";
import { changesBetween } from "../../core/comparison/diff";
import { type Outcome, outcomeOfUpdate } from "../../core/comparison/ignored";
import type { Records } from "../../core/declaration/own-records";
import type { ResourceSpec } from "../../core/declaration/resource";
import { acceptsAnyState, phaseOf } from "../../core/declaration/states";
import { isModelPlatformError, ModelPlatformError, mayHaveCreated, messageOf } from "../../core/errors";
import { asCompleteMessage, differences } from "../../core/fields/equality";
import type { Field } from "../../core/fields/fields";
import { separateRequestFor, type Update, updateOf } from "../../core/wire";
import { describeObject, type ResourceOperation, requestOptions, withSources } from "../operation/operation";
import {
  isTransitional,
  replicasAreCurrent,
  retryWhenSettled,
  waitForGoal,
  waitUntilDesired,
} from "../operation/waits";
import { beginWrite, endWrites, historyFor, identityOf } from "../ownership/facts";
import { hasSameOwner, mergedOwnerEntries, needsOwnerUpdate, warnUnmarked } from "../ownership/marks";
import type { LiveObject } from "../ports/objects";
import { unchangedBy } from "../sources/secrets";
import { InitFailedError, type Values } from "../types";
import { failureText } from "../waiting/wait";
import type { WaitCondition } from "../waiting/wait-condition";
import { reportLost, reportOutcome } from "./outcome";

/** What is recorded of an object that is changed. */
interface KnownOfObject extends Partial<Records> {
  /** Writes values that are never answered even if their digests are equal. */
  rewritesUnanswered?: boolean;
}

/**
 * Sends what differs between the live object and the program, waits until the object has settled, and reads it back: a
 * field that the service accepted and ignored is an error (A031, A033, A046, A048). Returns the object as it is then.
 */
export async function applyChanges(
  operation: ResourceOperation,
  live: LiveObject,
  inputs: Values,
  { rewritesUnanswered = false, ...records }: KnownOfObject,
): Promise<LiveObject> {
  const values = await withSources(operation, inputs);
  const open = (await historyFor(operation)).openWrites(identityOf(live));
  const isUnchanged =
    rewritesUnanswered || open.length > 0 ? (field: Field) => values[field.name] === undefined : unchangedBy(values);
  const changes = changesBetween(operation.spec, { ...live, ...records }, inputs, isUnchanged).filter(
    ({ effect, path }) => effect === "update" && path !== "state",
  );
  if (changes.length === 0 && !needsOwnerUpdate(operation, live)) {
    await endWrites(operation, open);
    return live;
  }
  const desired = {
    ...desiredFields(operation.spec, inputs, records.managedFields, live),
    ...inputOnlyValues(operation, values),
  };
  const update = updateOf(operation.spec, live, desired, changes);
  const outcome: Judge = (after) => outcomeOfUpdate(operation.spec, inputs, records, { before: live, after, changes });
  const sending = { desired, update, inputs, outcome };
  const settled = await whileWriting(operation, live, async () => {
    const patched = update.mask.length > 0 ? await patchMessage(operation, live, sending) : live;
    return patchOwnRequests(operation, live, patched, sending);
  });
  reportLost(operation, { before: live, after: settled, changes });
  reportOutcome(operation, settled.name, outcome(settled));
  return settled;
}

/** Keeps the journal's note of a change until its outcome is known: an answer tells, be it a refusal. */
async function whileWriting<T>(operation: ResourceOperation, live: LiveObject, write: () => Promise<T>): Promise<T> {
  const conclude = await beginWrite(operation, identityOf(live));
  const result = await write().catch(async (error: unknown) => {
    if (!mayHaveCreated(error)) await conclude();
    throw error;
  });
  await conclude();
  return result;
}

/** What the service has made of the change, by the object as it is after it. */
type Judge = (after: LiveObject) => Outcome;

/** An update, and how it is judged. */
interface PendingUpdate {
  desired: Values;
  update: Update;
  inputs: Values;
  outcome: Judge;
}

function inputOnlyValues(operation: ResourceOperation, values: Values): Values {
  const fields = operation.spec.fields.message.filter(
    (field) => field.markers.inputOnly && values[field.name] !== undefined,
  );
  return Object.fromEntries(fields.map((field) => [field.name, values[field.name]]));
}

async function patchMessage(
  operation: ResourceOperation,
  live: LiveObject,
  { desired, update, inputs, outcome }: PendingUpdate,
): Promise<LiveObject> {
  const directives = Object.fromEntries(
    operation.spec.fields.directives.map((field) => [field.name, desired[field.name] as boolean | undefined]),
  );
  const response = await retryWhenSettled(operation, live, () =>
    operation.objects.update(live.name, update.body, update.mask, directives, requestOptions(operation)),
  );
  return waitUntilApplied(operation, live, inputs, {
    response,
    isApplied: (object) => outcome(object).ignored.length === 0,
  });
}

/**
 * Fields with a request of their own: a PATCH, and where that is refused the verbs for the same
 * (A046). Judged by the object as the update before left it, since a service that replaces objects may
 * have dropped what the update did not carry.
 */
async function patchOwnRequests(
  operation: ResourceOperation,
  before: LiveObject,
  patched: LiveObject,
  { desired, update, inputs }: PendingUpdate,
): Promise<LiveObject> {
  let live = patched;
  for (const field of operation.spec.fields.message.filter(({ markers }) => markers.ownRequest)) {
    const desiredValue = Object.hasOwn(desired, field.name) ? desired[field.name] : before[field.name];
    const { current, due } = mergedOwnerEntries(operation, field, desiredValue, before);
    const send = (value: unknown): Promise<void> =>
      patchOwn(operation, field, live, { desired: { ...desired, [field.name]: value }, update });
    if (holds(field, due, live)) continue;
    if (hasSameOwner(field, due, current)) await send(due);
    else
      await send(due).catch(async (error: unknown) => {
        if (!isRejected(error)) throw error;
        if (!holds(field, current, live)) await send(current);
        warnUnmarked(operation, live.name, field);
      });
    live = await waitUntilApplied(operation, live, inputs, { isApplied: (object) => holds(field, due, object) });
  }
  return live;
}

/** Whether the live field has the desired value, marks included. */
const holds = (field: Field, desired: unknown, live: LiveObject): boolean =>
  differences(field, desired ?? null, live[field.name]).length === 0 && hasSameOwner(field, desired, live[field.name]);

const isRejected = (error: unknown): boolean =>
  isModelPlatformError(error) && [400, 403, 501].includes(error.status ?? 0) && !isTransitional(error);

async function patchOwn(
  operation: ResourceOperation,
  field: Field,
  live: LiveObject,
  { desired, update }: Pick<PendingUpdate, "desired" | "update">,
): Promise<void> {
  const { objects } = operation;
  const name = live.name;
  const { message, set, remove } = separateRequestFor(field, live, desired);
  try {
    await retryWhenSettled(operation, live, () =>
      objects.update(name, { ...update.body, ...message }, [field.name], {}, requestOptions(operation)),
    );
  } catch (error) {
    if (!isRejected(error)) throw error;
    if (Object.keys(set).length > 0)
      await objects.verb(name, field.markers.ownRequest!.set, { tags: set }, requestOptions(operation));
    if (remove.length > 0)
      await objects.verb(name, field.markers.ownRequest!.remove, { keys: remove }, requestOptions(operation));
  }
}

interface SentUpdate {
  /** Of the service itself, while reads may come from a replica that is behind. */
  response?: LiveObject;
  /** Whether an object shows what was sent. */
  isApplied: (object: LiveObject) => boolean;
  /** The program waits for no state: the object may go on moving. */
  mayMove?: boolean;
}

/**
 * After a PATCH the first reads may still be old. Settled is what is as new as the answer of the PATCH; where times do
 * not tell, two equal answers that show what was sent (A048). Otherwise the longest lag of the reads is waited out.
 */
async function waitUntilApplied(
  operation: ResourceOperation,
  before: LiveObject,
  inputs: Values,
  sent: SentUpdate,
): Promise<LiveObject> {
  const { spec } = operation;
  const name = before.name;
  const end = await waitForGoal(operation, {
    name,
    seen: operation.objects.isReadable ? undefined : (sent.response ?? before),
    // An object that is already moving need not be read first.
    promptly: !sent.response || phaseOf(spec.lifecycle, sent.response) !== "moving",
    condition: settledAfter(operation, before, { ...sent, mayMove: acceptsAnyState(spec, inputs) }),
  });
  const last = end.last ?? before;
  // An object that rests before its goal needs something other than time, such as files.
  const waitResult =
    end.how === "reached" && phaseOf(spec.lifecycle, last) !== "resting"
      ? await waitUntilDesired(operation, inputs, last)
      : end;
  if (waitResult.how === "reached") return waitResult.last ?? last;
  if (waitResult.how === "failed")
    throw new ModelPlatformError(
      `${describeObject(operation, name)} failed after the change: ${failureText(operation.spec, waitResult.last ?? last)}`,
      { advice: "Correct the program and run `up` again." },
    );
  throw new ModelPlatformError(
    `${describeObject(operation, name)} has not settled after the change: ${waitResult.detail}`,
    {
      advice: "Run `up` again to keep waiting, or give it more time with `timeouts.update`.",
    },
  );
}

/** The object rests, and shows the change rather than what a replica had before it. */
function settledAfter(
  operation: ResourceOperation,
  before: LiveObject,
  { response, isApplied, mayMove = false }: SentUpdate,
): WaitCondition {
  const { spec, ports } = operation;
  const sentAt = ports.clock.now();
  const isLate = replicasAreCurrent(operation);
  let previous: LiveObject | undefined;
  let wasStale = false;
  return {
    isSatisfied: (object) => {
      if (object === undefined || (!mayMove && phaseOf(spec.lifecycle, object) === "moving")) return false;
      const repeated = previous !== undefined && agreesOn(spec, previous, object);
      previous = object;
      const isNew = isAsNewAs(object, before, response);
      if (isNew && wasStale) ports.lag.note(ports.clock.now() - sentAt);
      wasStale = !isNew;
      return isNew || (isApplied(object) ? repeated || !hasUpdateTime(object) : repeated && isLate());
    },
    endsOnFailure: true,
  };
}

/** By what a program can set: a member that nobody declares may be a new one with each read. */
export const agreesOn = (spec: ResourceSpec, one: Values, other: Values): boolean =>
  spec.fields.message.every(
    (field) => differences(asCompleteMessage(field), one[field.name], other[field.name]).length === 0,
  );

/** By the times of their updates: those of an answer are of the service itself, a moved one is of some update. */
function isAsNewAs(object: LiveObject, before: LiveObject, answer: LiveObject | undefined): boolean {
  const [now, then, answered] = [object, before, answer].map((each) => Date.parse(String(each?.["updateTime"])));
  return answered! > then! ? now! >= answered! : now! > then!;
}

const hasUpdateTime = (object: LiveObject): boolean => (object["updateTime"] ?? undefined) !== undefined;

/** Turns an error during a change into one that makes the engine record what took effect. */
export function toInitFailedError(id: string, outputs: Values, error: unknown): InitFailedError {
  const reason = messageOf(error);
  return new InitFailedError(id, outputs, [reason], { cause: error });
}

import { desiredFields } from "../../core/comparison/desired";
import { changesBetween, type Outcome, outcomeOfUpdate } from "../../core/comparison/diff";
import type { Records } from "../../core/declaration/own-fields";
import type { ResourceSpec } from "../../core/declaration/resource";
import { acceptsAnyState, phaseOf } from "../../core/declaration/states";
import { isModelPlatformError, mayHaveCreated, messageOf } from "../../core/errors";
import { asCompleteMessage, differences } from "../../core/fields/equality";
import type { Field } from "../../core/fields/fields";
import { separateRequestFor, type Update, updateOf } from "../../core/wire/messages";
import { directivesOf, type Operation } from "../operation";
import { beginWrite, endWrites, identityOf } from "../ownership/journal";
import { hasSameOwner, mergedOwnerEntries, needsOwnerUpdate, warnUnmarked } from "../ownership/owner";
import type { LiveObject } from "../ports";
import { unchangedBy } from "../sources";
import { InitFailedError, type Values } from "../types";
import {
  isTransitional,
  replicasAreCurrent,
  retryWhenSettled,
  UnsettledError,
  unreadyCode,
  visibleAfterMs,
  waitForGoal,
  waitUntilDesired,
} from "../waiting/operation-waits";
import { failureText, type WaitCondition } from "../waiting/wait";
import { reportLost, reportOutcome } from "./outcome";

/** What is recorded of an object that is changed. */
interface KnownOfObject extends Partial<Records> {
  /** Writes values that responses never contain even if their digests are equal. */
  rewritesUnanswered?: boolean;
}

/**
 * Sends what differs between the live object and the program, waits until the object has settled, and reads it back: an
 * accepted but ignored field is an error (A031, A033, A046, A048). Returns the object as read back.
 */
export async function applyChanges(
  operation: Operation,
  live: LiveObject,
  inputs: Values,
  { rewritesUnanswered = false, ...records }: KnownOfObject,
): Promise<LiveObject> {
  const { spec, objects } = operation;
  const values = await operation.withSources(inputs);
  const open = (await operation.history()).openWrites(identityOf(live));
  const isUnchanged =
    rewritesUnanswered || open.length > 0 ? (field: Field) => values[field.name] === undefined : unchangedBy(values);
  const changes = changesBetween(spec, { ...live, ...records }, inputs, isUnchanged).filter(
    ({ effect, path }) => effect === "update" && path !== "state",
  );
  if (changes.length === 0 && !needsOwnerUpdate(operation, live)) {
    await endWrites(operation, open);
    return live;
  }
  const unanswered = spec.fields.message.filter(({ name, markers }) => markers.inputOnly && values[name] !== undefined);
  const desired = {
    ...desiredFields(spec, inputs, records.managedFields, live),
    ...Object.fromEntries(unanswered.map(({ name }) => [name, values[name]])),
  };
  const update = updateOf(spec, live, desired, changes);
  const outcome = (after: LiveObject): Outcome =>
    outcomeOfUpdate(spec, inputs, records, { before: live, after, changes });
  const settled = await whileWriting(operation, live, async () => {
    let patched = live;
    if (update.mask.length > 0) {
      const response = await retryWhenSettled(operation, live, () =>
        objects.update(live.name, update.body, update.mask, directivesOf(spec, desired)),
      );
      const isApplied = (object: LiveObject): boolean => outcome(object).ignored.length === 0;
      patched = await waitUntilApplied(operation, live, inputs, { response, isApplied });
    }
    return patchOwnRequests(operation, live, patched, { desired, update, inputs });
  });
  reportLost(operation, { before: live, after: settled, changes });
  reportOutcome(operation, settled.name, outcome(settled));
  return settled;
}

/** Keeps the journal's note of a change until its outcome is known. Any response settles that, even a rejection. */
async function whileWriting<T>(operation: Operation, live: LiveObject, write: () => Promise<T>): Promise<T> {
  const conclude = await beginWrite(operation, identityOf(live));
  const result = await write().catch(async (error: unknown) => {
    if (!mayHaveCreated(error)) await conclude();
    throw error;
  });
  await conclude();
  return result;
}

/** An update, and what it is to achieve. */
interface PendingUpdate {
  desired: Values;
  update: Update;
  inputs: Values;
}

/**
 * Fields with a request of their own: a PATCH, or the verbs if that is rejected (A046). Judged by the object as the
 * previous update left it, because a service that replaces objects may have dropped what that update did not carry.
 */
async function patchOwnRequests(
  operation: Operation,
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
  operation: Operation,
  field: Field,
  live: LiveObject,
  { desired, update }: Pick<PendingUpdate, "desired" | "update">,
): Promise<void> {
  const { objects } = operation;
  const name = live.name;
  const { message, set, remove } = separateRequestFor(field, live, desired);
  try {
    await retryWhenSettled(operation, live, () =>
      objects.update(name, { ...update.body, ...message }, [field.name], {}),
    );
  } catch (error) {
    if (!isRejected(error)) throw error;
    if (Object.keys(set).length > 0) await objects.verb(name, field.markers.ownRequest!.set, { tags: set });
    if (remove.length > 0) await objects.verb(name, field.markers.ownRequest!.remove, { keys: remove });
  }
}

interface SentUpdate {
  /** Comes from the service itself, while reads may come from a stale replica. */
  response?: LiveObject;
  /** Whether an object shows what was sent. */
  isApplied: (object: LiveObject) => boolean;
  /** The program waits for no state: the object may go on moving. */
  mayMove?: boolean;
}

/**
 * After a PATCH the first reads may be stale. An object has settled if it is as new as the response of the PATCH;
 * without times, if two equal reads show what was sent (A048). Otherwise waits out the longest lag of the reads.
 */
async function waitUntilApplied(
  operation: Operation,
  before: LiveObject,
  inputs: Values,
  sent: SentUpdate,
): Promise<LiveObject> {
  const { spec } = operation;
  const name = before.name;
  const end = await waitForGoal(operation, {
    name,
    // Settings are never deleted: a replica may lack what the service has just accepted.
    visibleBy: spec.singleton ? operation.ports.clock.now() + visibleAfterMs : undefined,
    seen: operation.objects.isReadable ? undefined : (sent.response ?? before),
    // An object that is already moving need not be read first.
    promptly: !sent.response || phaseOf(spec.lifecycle, sent.response) !== "moving",
    condition: settledAfter(operation, before, { ...sent, mayMove: acceptsAnyState(spec, inputs) }),
  });
  const last = end.last ?? sent.response ?? before;
  // An object that rests before its goal needs something other than time, such as files.
  const waitResult =
    end.how === "reached" && phaseOf(spec.lifecycle, last) !== "resting"
      ? await waitUntilDesired(operation, inputs, last)
      : end;
  if (waitResult.how === "reached") return waitResult.last ?? last;
  const details = { code: unreadyCode(waitResult), about: { object: name } };
  if (waitResult.how === "failed")
    throw new UnsettledError(
      `${operation.title(name)} failed after the change: ${failureText(operation.spec, waitResult.last ?? last)}`,
      { ...details, advice: "Correct the program and run `up` again." },
      waitResult.last ?? last,
    );
  throw new UnsettledError(
    `${operation.title(name)} has not settled after the change: ${waitResult.detail}`,
    { ...details, advice: "Run `up` again to keep waiting, or give it more time with `timeouts.update`." },
    waitResult.last ?? last,
  );
}

/** The object rests, and shows the change rather than a replica's older data. */
function settledAfter(
  operation: Operation,
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

/** Compares only what a program can set: an undeclared member may be new with each read. */
export const agreesOn = (spec: ResourceSpec, one: Values, other: Values): boolean =>
  spec.fields.message.every(
    (field) => differences(asCompleteMessage(field), one[field.name], other[field.name]).length === 0,
  );

/** By update times. A response comes from the service itself; a moved time comes from some update. */
function isAsNewAs(object: LiveObject, before: LiveObject, response: LiveObject | undefined): boolean {
  const [now, then, answered] = [object, before, response].map((each) => Date.parse(String(each?.["updateTime"])));
  return answered! > then! ? now! >= answered! : now! > then!;
}

const hasUpdateTime = (object: LiveObject): boolean => (object["updateTime"] ?? undefined) !== undefined;

/** Turns an error during a change into one that makes the engine record what took effect. */
export function toInitFailedError(id: string, outputs: Values, error: unknown): InitFailedError {
  const reason = messageOf(error);
  return new InitFailedError(id, outputs, [reason], { cause: error });
}

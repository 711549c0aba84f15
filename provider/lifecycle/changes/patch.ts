import { desiredFields } from "../../core/comparison/desired";
import {
  type AcceptedUpdate,
  changesBetween,
  type FieldChange,
  lostFields,
  type Outcome,
  outcomeOfUpdate,
} from "../../core/comparison/diff";
import type { Records } from "../../core/declaration/own-fields";
import type { ResourceSpec } from "../../core/declaration/resource";
import { acceptsAnyState, phaseOf } from "../../core/declaration/states";
import { grpcCodes, isModelPlatformError, ModelPlatformError, mayHaveCreated, messageOf } from "../../core/errors";
import { asCompleteMessage, differences } from "../../core/fields/equality";
import { type Field, fieldAtPath } from "../../core/fields/fields";
import { snakeCase } from "../../core/values/names";
import { isObject, parsePath, shortText } from "../../core/values/values";
import { isImmutableField, separateRequestFor, type Update, updateOf } from "../../core/wire/messages";
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

const quoteNames = (names: readonly string[]): string => [...new Set(names)].map((name) => `\`${name}\``).join(", ");

/**
 * Reports what still differs after the service accepted a write. An ignored field, or one that guards people, is an
 * error; a value that the service chose is kept, and reported once (A033).
 */
export function reportOutcome(operation: Operation, name: string, { ignored, refused, kept }: Outcome): void {
  const title = operation.title(name);
  if (kept.length > 0)
    operation.call.reporter.warn(
      `${title}: the service keeps another value than the one that was sent: ${inWords(operation, kept)}. That stands until the program or the service changes it.`,
    );
  if (refused.length > 0)
    throw new ModelPlatformError(
      `${title}: the service accepted the change and made something else of it: ${inWords(operation, refused)}`,
      {
        code: "update-altered",
        advice: adviceOnOther(operation, refused),
        topic: "an-update-is-refused-or-loses-fields",
      },
    );
  if (ignored.length > 0)
    throw new ModelPlatformError(
      `${title}: the service accepted the change but did not apply it: ${unchangedText(operation, ignored)}`,
      {
        code: "update-ignored",
        advice: adviceOnIgnored(operation, ignored),
        topic: "an-update-is-refused-or-loses-fields",
      },
    );
}

/** An enum value that the API description lacks may be the service's spelling of the value that was sent. */
function adviceOnOther(operation: Operation, refused: readonly FieldChange[]): string {
  const spelled = refused.find((change) => {
    const { live } = change;
    const values = fieldOf(operation, change)?.values;
    return values !== undefined && typeof live === "string" && live !== "" && !values.includes(live);
  });
  return spelled
    ? `If that is its word for it, set \`modelplatform:dialect\` to \`${JSON.stringify({ values: { [String(spelled.desired)]: spelled.live } })}\`; else declare what it allows.`
    : `${declared(operation, refused) ?? "Ask the service what it allows, and declare that"}, or set it by hand and run \`up --refresh\`.`;
}

/** A mask in another spelling names no field, and a service may ignore unknown names. */
function adviceOnIgnored(operation: Operation, ignored: readonly FieldChange[]): string {
  const { updateMask } = operation.ports.settings;
  const isByMask = updateMask === "snake" && ignored.every(({ property }) => snakeCase(property) !== property);
  const kept = declared(operation, ignored);
  const names = quoteNames(ignored.map(({ property }) => property));
  if (kept !== undefined)
    return `${kept}; ${isByMask ? "or set `modelplatform:updateMask` to `camel`, " : ""}or list it under \`immutable\`.`;
  return isByMask
    ? `Set \`modelplatform:updateMask\` to \`camel\`, if its masks are spelled so; else list ${names} under \`immutable\`.`
    : `Set it back, or list ${names} under \`immutable\`, so that a change replaces the object.`;
}

/** How the program agrees with a service that forces a value. Undefined where the value is not to be shown, or long. */
function declared(operation: Operation, changes: readonly FieldChange[]): string | undefined {
  const [only, ...others] = changes;
  if (only === undefined || others.length > 0 || !isTelling(fieldOf(operation, only))) return undefined;
  if (only.live === undefined || typeof only.live === "object") return undefined;
  const line = `Declare what the service keeps, \`${only.path}: ${shortText(only.live)}\``;
  return line.length > longestDeclared ? undefined : line;
}

/** What an advice leaves for the words beside it. */
const longestDeclared = 70;

/** The service may have had the value all the time, as the least that it allows. */
const unchangedText = (operation: Operation, ignored: readonly FieldChange[]): string =>
  ignored
    .map((change) => {
      const still = isTelling(fieldOf(operation, change)) ? `still ${shortText(change.live)}` : "unchanged";
      return `\`${change.path}\` is ${still}`;
    })
    .join(", ");

const fieldOf = ({ spec }: Operation, { path }: FieldChange): Field | undefined => fieldAtPath(spec, parsePath(path));

const inWords = (operation: Operation, changes: readonly FieldChange[]): string =>
  changes
    .map((change) => {
      const { path, desired, live } = change;
      return isTelling(fieldOf(operation, change))
        ? `\`${path}\` is ${shortText(live)} and not ${shortText(desired)}`
        : `\`${path}\` is ${live === undefined || live === null ? "unset" : "another value"}`;
    })
    .join("; ");

/** Free text may contain what the program calls secret, even if the service changed it: masking would miss it. */
function isTelling(field: Field | undefined): boolean {
  if (field === undefined || field.markers.secret) return false;
  const { refersTo, sameAs, watched } = field.markers;
  const isNamed =
    refersTo !== undefined ||
    (sameAs !== undefined && sameAs !== "freeText") ||
    field.values !== undefined ||
    watched === true;
  return isNamed || ["integer", "number", "boolean"].includes(field.type);
}

/** Reports what an update lost: the service replaces objects, and the body was incomplete (A031). */
function reportLost(operation: Operation, accepted: AcceptedUpdate): void {
  const lost = lostFields(operation.spec, accepted);
  if (lost.length === 0) return;
  throw new ModelPlatformError(
    `${operation.title(String(accepted.after["name"]))}: the service replaced the object with the body of the update: ${quoteNames(lost)} ${lost.length === 1 ? "is" : "are"} gone`,
    {
      code: "update-lost-fields",
      advice:
        "Set `modelplatform:patchBody` to `full` before the next `up`, which replaces the object: what is gone cannot be set.",
      topic: "an-update-is-refused-or-loses-fields",
    },
  );
}

const invalidArgument = grpcCodes.INVALID_ARGUMENT;
const refusing =
  /immutable|read.?only|unknown|can(not|'t) be|(must|may) not be|not (updatable|mutable|allowed|supported)/i;

/**
 * Sends the body of an update. If the service rejects it, sends less: first without what cannot change, then without
 * `null` where the mask alone clears (A031, A032). A service that rejects immutable fields does not replace them, so
 * nothing is lost without them.
 */
export async function sendReduced<T>(
  spec: ResourceSpec,
  body: Values,
  mask: readonly string[],
  send: (body: Values) => Promise<T>,
): Promise<T> {
  try {
    return await send(body);
  } catch (error) {
    const less = lessOf(spec, body, mask, error);
    if (less === undefined) throw error;
    return sendReduced(spec, less, mask, send).catch((again: unknown) => {
      // The first rejection is about what the program asks for.
      throw isBodyRejection(again) ? error : again;
    });
  }
}

/** A smaller body that the service may accept; undefined if the rejection is about something else. */
function lessOf(spec: ResourceSpec, body: Values, mask: readonly string[], error: unknown): Values | undefined {
  if (!isBodyRejection(error)) return undefined;
  const text = error.serviceMessage ?? "";
  const words = wordsOf(error);
  const masked = new Set(mask.map(snakeCase));
  const cannotChange = spec.fields.message.filter(
    ({ name, markers }) => markers.immutable && !masked.has(snakeCase(name)) && Object.hasOwn(body, name),
  );
  const refused = cannotChange.filter(({ name }) => words.has(snakeCase(name)));
  const unsent = spec.fields.message.filter((field) => isImmutableField(field) && !masked.has(snakeCase(field.name)));
  const left = [...refused, ...unsent].map(({ name }) => name);
  if (refusing.test(text) && left.some((name) => words.has(snakeCase(name)) && name in body))
    return without(body, left);
  const nulls = Object.keys(body).filter((name) => body[name] === null);
  const isAboutNull = words.has("null") || nulls.some((name) => words.has(snakeCase(name)));
  const cleared = withoutNulls(body);
  return mask.length > 0 && isAboutNull && JSON.stringify(cleared) !== JSON.stringify(body) ? cleared : undefined;
}

const isBodyRejection = (error: unknown): error is ModelPlatformError =>
  isModelPlatformError(error) && error.status === 400 && (error.grpcCode ?? invalidArgument) === invalidArgument;

const wordsOf = ({ serviceMessage = "", places }: ModelPlatformError): ReadonlySet<string> =>
  new Set(
    [serviceMessage, ...places]
      .join(" ")
      .match(/[\w.[\]]+/g)
      ?.map(snakeCase),
  );

const without = (body: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

const withoutNulls = (body: Values): Values =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, isObject(value) ? withoutNulls(value) : value]),
  );

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

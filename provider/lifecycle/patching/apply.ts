import { desiredFields } from "../../core/comparison/desired";
import { type Change, changesBetween } from "../../core/comparison/diff";
import { type Accepted, ignoredChanges } from "../../core/comparison/ignored";
import type { Records } from "../../core/declaration/own-records";
import { standing } from "../../core/declaration/states";
import {
  grpcCodes,
  isConflict,
  isFailedPrecondition,
  isModelPlatformError,
  ModelPlatformError,
  messageOf,
} from "../../core/errors";
import { differences } from "../../core/fields/equality";
import type { Field } from "../../core/fields/fields";
import { ownRequestOf, type Update, updateOf } from "../../core/requests/wire";
import { optionsOf, type Session, titleOf, wait, waitUntilWanted, withSources } from "../operation/operation";
import { isMarkedAs, lacksMarks, markings, warnUnmarked } from "../ownership/marks";
import { unchangedBy } from "../sources/digests";
import { InitFailedError, type Values } from "../types";
import { failureText } from "../waiting/wait";

/** A change that cannot be made while the object is in transition (A044). */
const isTransitional = (error: unknown): boolean =>
  isFailedPrecondition(error) || (isConflict(error) && error.code === grpcCodes.ABORTED);

/**
 * Sends what differs between the live object and the program, waits until the object has settled, and reads it back: a
 * field that the service accepted and ignored is an error (A031, A033, A046, A048). Returns the object as it is then.
 */
export async function applyChanges(
  session: Session,
  live: Values,
  inputs: Values,
  records: Partial<Records>,
  force = false,
): Promise<Values> {
  const values = await withSources(session, inputs);
  const changes = pendingChanges(session, live, inputs, records, values, force);
  if (changes.length === 0 && !lacksMarks(session, live)) return live;
  const desired = {
    ...desiredFields(session.spec, inputs, records.managedFields, live),
    ...inputOnlyValues(session, values),
  };
  const update = updateOf(session.spec, live, desired, changes);
  const patched = update.mask.length > 0 ? await patchMessage(session, live, desired, update, inputs) : live;
  const settled = await patchOwnRequests(session, live, patched, desired, update, inputs);
  reportIgnored(session, inputs, records, { before: live, after: settled, changes });
  return settled;
}

function pendingChanges(
  session: Session,
  live: Values,
  inputs: Values,
  records: Partial<Records>,
  values: Values,
  force: boolean,
): Change[] {
  const unchanged = force ? (field: { name: string }) => values[field.name] === undefined : unchangedBy(values);
  return changesBetween(session.spec, { ...live, ...records }, inputs, unchanged).filter(
    (change) => change.effect === "update" && change.path !== "state",
  );
}

function inputOnlyValues(session: Session, values: Values): Values {
  const fields = session.spec.fields.message.filter(
    (field) => field.markers.inputOnly && values[field.name] !== undefined,
  );
  return Object.fromEntries(fields.map((field) => [field.name, values[field.name]]));
}

async function patchMessage(
  session: Session,
  live: Values,
  desired: Values,
  update: Update,
  inputs: Values,
): Promise<Values> {
  const directives = Object.fromEntries(
    session.spec.fields.directives.map((field) => [field.name, desired[field.name] as boolean | undefined]),
  );
  const answer = await whenAtRest(session, live, () =>
    session.objects.update(String(live["name"]), update.body, update.mask, directives, optionsOf(session)),
  );
  return settle(session, live, inputs, answer);
}

/**
 * Fields with a request of their own: a PATCH, and where that is refused the verbs for the same
 * (A046). Judged by the object as the update before left it, since a service that replaces objects may
 * have dropped what the update did not carry.
 */
async function patchOwnRequests(
  session: Session,
  before: Values,
  patched: Values,
  desired: Values,
  update: Update,
  inputs: Values,
): Promise<Values> {
  let live = patched;
  for (const field of session.spec.fields.message.filter(({ markers }) => markers.ownRequest)) {
    const wanted = Object.hasOwn(desired, field.name) ? desired[field.name] : before[field.name];
    const { kept, due } = markings(session, field, wanted, before);
    const send = (value: unknown): Promise<void> =>
      patchOwn(session, field, live, { ...desired, [field.name]: value }, update);
    if (holds(field, due, live)) continue;
    if (isMarkedAs(field, due, kept)) await send(due);
    else
      await send(due).catch(async (error: unknown) => {
        if (!isRefused(error)) throw error;
        if (!holds(field, kept, live)) await send(kept);
        warnUnmarked(session, String(live["name"]), field);
      });
    live = await settle(session, live, inputs);
  }
  return live;
}

/** Whether the live field is as wanted, marks included. */
const holds = (field: Field, wanted: unknown, live: Values): boolean =>
  differences(field, wanted ?? null, live[field.name]).length === 0 && isMarkedAs(field, wanted, live[field.name]);

const isRefused = (error: unknown): boolean =>
  isModelPlatformError(error) && [400, 403, 501].includes(error.status ?? 0) && !isTransitional(error);

async function patchOwn(session: Session, field: Field, live: Values, desired: Values, update: Update): Promise<void> {
  const { objects } = session;
  const name = String(live["name"]);
  const { message, set, remove } = ownRequestOf(field, live, desired);
  try {
    await whenAtRest(session, live, () =>
      objects.update(name, { ...update.body, ...message }, [field.name], {}, optionsOf(session)),
    );
  } catch (error) {
    if (!isRefused(error)) throw error;
    if (Object.keys(set).length > 0)
      await objects.verb(name, field.markers.ownRequest!.set, { tags: set }, optionsOf(session));
    if (remove.length > 0)
      await objects.verb(name, field.markers.ownRequest!.remove, { keys: remove }, optionsOf(session));
  }
}

/**
 * Repeats a change that an object in transition refused, once the transition is over; any other refusal stands (A044).
 */
export async function whenAtRest<T>(session: Session, seen: Values, change: () => Promise<T>): Promise<T> {
  const name = String(seen["name"]);
  for (;;) {
    try {
      return await change();
    } catch (error) {
      const now = isTransitional(error) ? await session.objects.find(name, optionsOf(session)) : undefined;
      if (!now || standing(session.spec.lifecycle, now) !== "moving") throw error;
      await untilAtRest(session, now);
    }
  }
}

/**
 * Waits until the object no longer moves by itself; a timeout or an interrupt is an error. `path` is what moves it,
 * where that is known.
 */
export async function untilAtRest(
  session: Session,
  seen: Values,
  path: "cancel" | null = null,
): Promise<Values | undefined> {
  const { spec } = session;
  const end = await wait(session, {
    name: String(seen["name"]),
    seen,
    path,
    endsOnFailure: false,
    reached: (object) => object === undefined || standing(spec.lifecycle, object) !== "moving",
  });
  if (end.how === "timeout" || end.how === "aborted")
    throw new ModelPlatformError(`${titleOf(session, String(seen["name"]))} is in transition: ${end.detail}`, {
      advice: "Run the same command again once it has settled, or give it more time with `timeouts`.",
    });
  return end.how === "gone" ? undefined : end.last;
}

/**
 * After a PATCH the first answer may still be the old one: settled is a moved update time, or two equal answers (A048).
 */
async function settle(session: Session, before: Values, inputs: Values, answer?: Values): Promise<Values> {
  const { spec } = session;
  const name = String(before["name"]);
  let previous: string | undefined;
  const end = await wait(session, {
    name,
    // What is at work already need not be looked at to know that.
    promptly: !answer || standing(spec.lifecycle, answer) !== "moving",
    endsOnFailure: true,
    reached: (object) => {
      if (object === undefined || standing(spec.lifecycle, object) === "moving") return false;
      const moved = before["updateTime"] === undefined || object["updateTime"] !== before["updateTime"];
      const repeated = previous === JSON.stringify(object);
      previous = JSON.stringify(object);
      return moved || repeated;
    },
  });
  const last = end.last ?? before;
  // An object that rests before its goal needs something else than time, such as files.
  const wanted =
    end.how === "reached" && standing(spec.lifecycle, last) !== "resting"
      ? await waitUntilWanted(session, inputs, last)
      : end;
  if (wanted.how === "reached") return wanted.last ?? last;
  if (wanted.how === "failed")
    throw new ModelPlatformError(
      `${titleOf(session, name)} failed after the change: ${failureText(wanted.last ?? last)}`,
      { advice: "Correct the program and run `up` again." },
    );
  throw new ModelPlatformError(`${titleOf(session, name)} has not settled after the change: ${wanted.detail}`, {
    advice: "Run `up` again to keep waiting, or give it more time with `timeouts.update`.",
  });
}

/** What the service still answers as before although the change was accepted (A033). */
function reportIgnored(session: Session, inputs: Values, records: Partial<Records>, accepted: Accepted): void {
  const rest = ignoredChanges(session.spec, inputs, records, accepted);
  if (rest.length === 0) return;
  const named = (names: readonly string[]): string => [...new Set(names)].map((name) => `\`${name}\``).join(", ");
  throw new ModelPlatformError(
    `${titleOf(session, String(accepted.after["name"]))}: the service accepted the change but did not apply it: ${named(rest.map(({ path }) => path))} ${rest.length === 1 ? "is" : "are"} unchanged`,
    {
      advice: `If this service cannot change it, list ${named(rest.map(({ property }) => property))} under \`immutable\` so that a change replaces the object; otherwise set it back.`,
    },
  );
}

/** Turns an error of a change that has begun into one with which the engine records what landed. */
export function landed(id: string, outputs: Values, error: unknown): InitFailedError {
  const reason = messageOf(error);
  return new InitFailedError(id, outputs, [reason], { cause: error });
}

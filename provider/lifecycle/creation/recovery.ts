import { standing } from "../../core/declaration/states";
import { isAlreadyExists, isAmbiguousOutcome, isConflict } from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import { chosenId, digestOfKey, isAutomatic, naturalKey, underEachName } from "../identity/ids";
import { optionsOf, type Session, titleOf } from "../operation/operation";
import { mayHaveBeenMade, type Origin, originOf, unprovenError } from "../ownership/origin";
import type { Intent } from "../ports/intents";
import type { Values } from "../types";
import { leftOver } from "./left-over";
import { isAbout, openIntent, withdrawAll } from "./send";
import { adopt, type Taken, takeOver } from "./take-over";

/**
 * Whether `found` is what the failed request of this create has made all the same. Rejects where only people can tell;
 * the note of the request then stays, for a run that has their word.
 */
export async function isEcho(
  session: Session,
  found: Values,
  inputs: Values,
  error: unknown,
  hasOwnId = false,
): Promise<boolean> {
  if (!mayHaveBeenMade(error)) return false;
  const origin = originOf(session, found, inputs, await openIntent(session), hasOwnId);
  if (origin === "unproven" && session.world.recover !== "new") throw unprovenError(session, found, error);
  return origin === "ours";
}

/** What stands at the name that a create could not have; rethrows where nothing does. */
export async function foundInstead(session: Session, name: string, error: unknown): Promise<Values> {
  if (!isAlreadyExists(error) && !isAmbiguousOutcome(error) && !isConflict(error)) throw error;
  const found = await session.objects.find(name, optionsOf(session));
  if (!found) throw error;
  return found;
}

/** An object that an interrupted run of this declaration may have left: `note` is what that run wrote down. */
export async function recover(session: Session, found: Values, inputs: Values, note: Intent): Promise<Taken> {
  const origin = originOf(session, found, inputs, note, false);
  const { recover: setting } = session.world;
  if (origin === "ours" || (origin === "unproven" && setting === "take")) return takeOverBegun(session, found, inputs);
  if (origin === "unproven" && setting === "ask") throw unprovenError(session, found);
  await withdrawAll(session);
  return adopt(session, found, inputs, undefined);
}

export async function takeOverBegun(session: Session, found: Values, inputs: Values): Promise<Taken> {
  session.call.reporter.warn(
    `${titleOf(session, String(found["name"]))} was begun by an interrupted run and is taken over.`,
  );
  return takeOver(session, found, inputs);
}

/**
 * Tells of what this declaration has begun under another id or natural key,
 * before the note of it gives way to another one.
 */
export async function tellOfBegun(session: Session, note: Intent, inputs: Values): Promise<void> {
  const { spec, objects } = session;
  const [id, key] = [chosenId(spec, inputs), naturalKey(spec, inputs)];
  const isSame =
    key === undefined || note.keyDigest === undefined
      ? note.name === (id === undefined ? ownNameIn(session, note) : objects.nameOf(id))
      : note.keyDigest === digestOfKey(spec.kind, objects.account, key);
  if (note.settled || isSame) return;
  const found = await findBegun(session, note);
  const origin = found && originOfBegun(session, found, inputs, note);
  // Where the id is left to us now, what is surely ours is taken over.
  const isTaken = origin === "ours" && id === undefined && key === undefined;
  if (found && origin !== "foreign" && !isTaken) session.call.reporter.warn(leftOver(spec, String(found["name"])));
}

async function findBegun(session: Session, note: Intent): Promise<Values | undefined> {
  const { objects, spec } = session;
  const named = note.name === undefined ? undefined : await objects.find(note.name, optionsOf(session));
  if (named ? isAbout(session, note, named) : note.keyDigest === undefined) return named;
  for await (const object of objects.list(optionsOf(session))) {
    if (isAbout(session, note, object) && standing(spec.lifecycle, object) !== "gone") return object;
  }
  return undefined;
}

/** The name in a note where it is an automatic one of this declaration, which is proof of origin by itself. */
export const ownNameIn = ({ call, objects }: Session, { name }: Intent): string | undefined =>
  name !== undefined && isAutomatic(call.hidden, objects.account, lastSegment(name)) ? name : undefined;

/** Who has made what stands at the name in a note; an automatic id of any name that the declaration had is proof. */
export function originOfBegun(session: Session, found: Values, inputs: Values, note: Intent): Origin {
  const { call, objects } = session;
  const id = lastSegment(String(found["name"]));
  const hasOwnId = underEachName(call.hidden).some((each) => isAutomatic(each, objects.account, id));
  return originOf(session, found, inputs, note, hasOwnId);
}

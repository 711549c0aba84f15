import { mayHaveBeenMade, originOf, unprovenError } from "./ownership/origin";
import { openIntent, withdraw } from "./send";
import { type Session, titleOf } from "./session";
import { adopt, type Taken, takeOver } from "./take-over";
import type { Values } from "./types";
import type { Intent } from "./world";

/**
 * Whether `found` is what the failed request of this create has made all the same. Rejects where only people can tell; the note of the
 * request then stays, for a run that has their word.
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

/** An object that an interrupted run of this declaration may have left: `intent` is the note of that run. */
export async function recover(session: Session, found: Values, inputs: Values, intent: Intent): Promise<Taken> {
  const origin = originOf(session, found, inputs, intent, false);
  const { recover: setting } = session.world;
  if (origin === "ours" || (origin === "unproven" && setting === "take")) return takeOverBegun(session, found, inputs);
  if (origin === "unproven" && setting === "ask") throw unprovenError(session, found);
  await withdraw(session, undefined);
  return adopt(session, found, inputs, undefined);
}

export async function takeOverBegun(session: Session, found: Values, inputs: Values): Promise<Taken> {
  session.call.reporter.warn(
    `${titleOf(session, String(found["name"]))} was begun by an interrupted run and is taken over.`,
  );
  return takeOver(session, found, inputs);
}

import { standing } from "../../core/declaration/states";
import { isFailedPrecondition } from "../../core/errors";
import { optionsOf, type Session, titleOf, waitUntilWanted } from "../operation/operation";
import { untilAtRest, whenAtRest } from "../patching/apply";
import type { Values } from "../types";
import { stateOf, type WaitEnd } from "../waiting/wait";

/** Stops what still works, where the service can stop it, and waits until it rests (A073). Undefined: it is gone. */
export async function cancelled(session: Session, name: string, live: Values): Promise<Values | undefined> {
  const { spec, objects, call } = session;
  if (!spec.operations["cancel"] || !["moving", "resting", "unknown"].includes(standing(spec.lifecycle, live)))
    return live;
  call.reporter.status(`cancelling, ${stateOf(live)}`);
  await whenAtRest(session, live, () => objects.verb(name, "cancel", {}, optionsOf(session)));
  return untilAtRest(session, { ...live, state: spec.lifecycle?.moving[0] }, "cancel");
}

/**
 * Waits until the object is as wanted; one that turns out to cost more than the program allows is cancelled at once.
 */
export async function waitWithinLimit(session: Session, inputs: Values, seen: Values): Promise<WaitEnd> {
  const end = await waitUntilWanted(session, inputs, seen);
  if (end.how !== "overBudget" || !end.last) return end;
  const name = String(end.last["name"]);
  session.call.reporter.warn(`${titleOf(session, name)} is cancelled: ${end.detail}.`);
  const last = await cancelled(session, name, end.last).catch((error: unknown) => endedMeanwhile(session, name, error));
  return {
    how: "failed",
    ...(last && { last }),
    detail: `${end.detail}, so it was cancelled (${stateOf(last)}). Raise the limit or ask for less; it will not be run again unchanged`,
  };
}

/** An object that has ended in the meantime needs no cancelling. */
async function endedMeanwhile(session: Session, name: string, error: unknown): Promise<Values | undefined> {
  const now = isFailedPrecondition(error) ? await session.objects.find(name, optionsOf(session)) : undefined;
  if (!now || !["ready", "failed"].includes(standing(session.spec.lifecycle, now))) throw error;
  return now;
}

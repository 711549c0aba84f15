import { standing } from "../../core/declaration/states";
import { ModelPlatformError } from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import { attempts, automaticId } from "../identity/ids";
import { precedes } from "../identity/notes";
import { optionsOf, type Session, titleOf } from "../operation/operation";
import { strangerOf } from "../ownership/ownership";
import type { Intent } from "../ports/intents";
import type { Values } from "../types";
import { foundInstead, isEcho, originOfBegun, ownNameIn, takeOverBegun } from "./recovery";
import { send, withdraw } from "./send";
import type { Taken } from "./take-over";

const day = 24 * 60 * 60 * 1000;

/**
 * Makes an object at the first of this declaration's automatic ids that is free, or finds the one that
 * an interrupted run has made.
 */
export async function placeAutomatically(session: Session, inputs: Values, intent: Intent | undefined): Promise<Taken> {
  const { call, objects } = session;
  const open = intent?.settled ? undefined : intent;
  const elsewhere = open && (await begunElsewhere(session, inputs, open));
  if (elsewhere) return takeOverBegun(session, elsewhere, inputs);
  const own = open && ownNameIn(session, open);
  const begun = own === undefined ? [] : [lastSegment(own)];
  for (const id of idsToTry(begun, (attempt) => automaticId(call.hidden, objects.account, attempt))) {
    try {
      return { object: await send(session, inputs, id, intent), adopted: false };
    } catch (error) {
      const found = await foundInstead(session, objects.nameOf(id), error);
      if (await isEcho(session, found, inputs, error, true)) return { object: found, adopted: false };
      const wasBegun = open !== undefined && begun.includes(id) && !precedes(found, open);
      const taken = await maybeOurs(session, found, inputs, wasBegun, intent);
      if (taken) return taken;
    }
  }
  throw new ModelPlatformError(`every id tried for ${call.hidden.urn} is taken`, {
    advice: "Give the resource an id of its own.",
  });
}

/** What was begun at an id that the program has dropped since, where it is surely ours. */
async function begunElsewhere(session: Session, inputs: Values, note: Intent): Promise<Values | undefined> {
  if (note.name === undefined || ownNameIn(session, note) !== undefined) return undefined;
  const found = await session.objects.find(note.name, optionsOf(session));
  return found && originOfBegun(session, found, inputs, note) === "ours" ? found : undefined;
}

function* idsToTry(first: readonly string[], idOf: (attempt: number) => string): Generator<string> {
  yield* first;
  for (const attempt of attempts()) if (!first.includes(idOf(attempt))) yield idOf(attempt);
}

/** Whether an object at one of our automatic ids is to be taken over; undefined: leave it alone and try the next id. */
async function maybeOurs(
  session: Session,
  found: Values,
  inputs: Values,
  begun: boolean,
  intent: Intent | undefined,
): Promise<Taken | undefined> {
  const { spec, world, call } = session;
  const name = String(found["name"]);
  const gone = standing(spec.lifecycle, found) === "gone" || strangerOf(session, found) !== undefined;
  // What was there before the last create of this declaration was met by that one, and left alone.
  const explained = intent?.settled === true && (intent.name === name || precedes(found, intent));
  const known = explained || world.memory.presented.has(call.hidden.urn);
  const age = (session.objects.serviceTime() ?? world.clock.now()) - Date.parse(String(found["createTime"] ?? ""));
  const unexplained = !gone && !begun && !known && age <= day && world.recover !== "new";
  if (!gone && (begun || (unexplained && world.recover === "take"))) return takeOverBegun(session, found, inputs);
  await withdraw(session, intent, found);
  if (!unexplained) return undefined;
  throw new ModelPlatformError(
    `${titleOf(session, name)} has the id of this declaration, is ${Math.round(age / 60_000)} min old, and is in no known state`,
    {
      advice:
        "It may be left from an interrupted run. Set `modelplatform:recover` to `take` to make it this resource, or to `new` to leave it alone and create another.",
    },
  );
}

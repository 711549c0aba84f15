import { standing } from "../../core/declaration/states";
import { ModelPlatformError } from "../../core/errors";
import { ownerIn } from "../../core/fields/owner";
import { lastSegment } from "../../core/values/names";
import { attempts, automaticId } from "../identity/ids";
import { isKnownTo, precedes } from "../identity/notes";
import { type Operation, requestOptions, titleOf } from "../operation/operation";
import { isAbout, ownNameIn, provenanceOfBegun } from "../ownership/begun";
import { strangerOf } from "../ownership/ownership";
import type { Intent } from "../ports/intents";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { findInstead, isEcho, takeOverBegun } from "./recovery";
import { send, withdraw } from "./send";
import type { Taken } from "./take-over";

const day = 24 * 60 * 60 * 1000;

/**
 * Creates an object at the first free automatic id of this declaration, or finds the one that an interrupted run
 * created.
 */
export async function placeAutomatically(
  operation: Operation,
  inputs: Values,
  intent: Intent | undefined,
): Promise<Taken> {
  const { call, objects } = operation;
  const open = intent?.settled ? undefined : intent;
  const elsewhere = open && (await findElsewhere(operation, inputs, open));
  if (elsewhere) return takeOverBegun(operation, elsewhere, inputs);
  const own = open && ownNameIn(operation, open);
  const begunIds = own === undefined ? [] : [lastSegment(own)];
  let earlier = intent;
  for (const id of idsToTry(begunIds, (attempt) => automaticId(call.hidden, objects.account, attempt))) {
    try {
      return { object: await send(operation, inputs, id, earlier), adopted: false };
    } catch (error) {
      const found = await findInstead(operation, objects.nameOf(id), error);
      if (await isEcho(operation, found, inputs, error, { hasOwnId: true })) return { object: found, adopted: false };
      const isBegun = open !== undefined && begunIds.includes(id) && !precedes(found, open);
      const taken = await takeIfOurs(operation, found, inputs, isBegun, intent);
      if (taken) return taken;
      if (open && isAbout(operation, open, found)) earlier = undefined;
    }
  }
  const { kind, fields } = operation.spec;
  throw new ModelPlatformError(`${kind} was not created: every automatic id of ${call.hidden.urn} is taken`, {
    advice: `Choose an id with \`${fields.resourceId?.name}\`.`,
  });
}

/** An object that was started at an id that the program has since dropped, if it is certainly ours. */
async function findElsewhere(operation: Operation, inputs: Values, note: Intent): Promise<LiveObject | undefined> {
  if (note.name === undefined || ownNameIn(operation, note) !== undefined) return undefined;
  const found = await operation.objects.find(note.name, requestOptions(operation));
  return found && provenanceOfBegun(operation, found, inputs, note) === "ours" ? found : undefined;
}

function* idsToTry(first: readonly string[], idOf: (attempt: number) => string): Generator<string> {
  yield* first;
  for (const attempt of attempts()) if (!first.includes(idOf(attempt))) yield idOf(attempt);
}

/**
 * Takes over an object at an automatic id of this declaration if it is its own; undefined: it is left alone, and the
 * next id is tried. Rejects if only people can tell.
 */
async function takeIfOurs(
  operation: Operation,
  found: LiveObject,
  inputs: Values,
  isBegun: boolean,
  intent: Intent | undefined,
): Promise<Taken | undefined> {
  const { spec, ports, call } = operation;
  const name = found.name;
  const isOthers =
    strangerOf(operation, found) !== undefined || ports.claims.holderOf(name, call.hidden.urn) !== undefined;
  const gone = standing(spec.lifecycle, found) === "gone" || isOthers;
  // What existed before the last create of this declaration was seen by that create, and left alone.
  const explained = intent?.settled === true && (intent.name === name || precedes(found, intent));
  const isRecorded = intent !== undefined && isKnownTo(intent, found);
  const known = explained || isRecorded || ports.memory.presented.has(call.hidden.urn);
  const age = (operation.objects.serviceTime() ?? ports.clock.now()) - Date.parse(String(found["createTime"] ?? ""));
  // Its own marks, or the word to take it, count at any age; without them an old object may be of another machine.
  const isRecent = age <= day || ports.recover === "take" || ownerIn(spec, found) !== undefined;
  const unexplained = !gone && !isBegun && !known && isRecent && ports.recover !== "new";
  if (!gone && (isBegun || (unexplained && ports.recover === "take"))) return takeOverBegun(operation, found, inputs);
  await withdraw(operation, intent, found);
  if (!unexplained) return undefined;
  throw new ModelPlatformError(
    `${titleOf(operation, name)} was not taken over: it has the automatic id of this declaration and is ${Math.round(age / 60_000)} min old, but nothing tells that this declaration created it`,
    {
      advice:
        "It may be left from an interrupted run. Set `modelplatform:recover` to `take` to make it this resource, or to `new` to leave it alone and create another.",
    },
  );
}

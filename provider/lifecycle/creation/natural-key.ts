import { standing } from "../../core/declaration/states";
import { isAlreadyExists, isAmbiguousOutcome } from "../../core/errors";
import { hostOf } from "../hosting/guests";
import { automaticId, chosenId, digestOfKey, isFixed, naturalKey } from "../identity/ids";
import { optionsOf, type Session } from "../operation/operation";
import type { Intent } from "../ports/intents";
import type { Values } from "../types";
import { isEcho, recover } from "./recovery";
import { send, withdraw } from "./send";
import { adopt, mayAdopt, type Taken, takeOver } from "./take-over";

/**
 * A create without a client's id is sent at most this often, each time after the natural key has been looked up (A092).
 */
const most = 3;

/**
 * Makes an object whose natural key only one object of the account can have. One that exists is taken over with an
 * intent of an interrupted run or the program's `adopt`, never otherwise.
 */
export async function placeByKey(session: Session, inputs: Values, intent: Intent | undefined): Promise<Taken> {
  const key = naturalKey(session.spec, inputs);
  const begun =
    intent !== undefined &&
    !intent.settled &&
    key !== undefined &&
    intent.keyDigest === digestOfKey(session.spec.kind, session.objects.account, key);
  const before = begun || mayAdopt(inputs) ? await findExisting(session, inputs) : undefined;
  if (before) return begun ? recover(session, before, inputs, intent) : adopt(session, before, inputs, intent);
  return sendOnce(session, inputs, intent, { id: chosenId(session.spec, inputs), left: most });
}

/** What the next request is for, and how many there may be with it. */
interface Try {
  id: string | undefined;
  left: number;
}

async function sendOnce(
  session: Session,
  inputs: Values,
  intent: Intent | undefined,
  { id, left }: Try,
): Promise<Taken> {
  try {
    return { object: await send(session, inputs, id, intent), adopted: false };
  } catch (error) {
    if (!isAlreadyExists(error) && !isAmbiguousOutcome(error)) throw error;
    const found = await findExisting(session, inputs);
    if (found && (await isEcho(session, found, inputs, error))) return { object: found, adopted: false };
    if (found) await withdraw(session, intent, found);
    if (found && isAlreadyExists(error))
      return (await madeAlong(session, found, inputs))
        ? takeOver(session, found, inputs)
        : adopt(session, found, inputs, intent);
    const next = isAlreadyExists(error) && !found ? await idInstead(session, inputs, id) : id;
    if (found || (isAlreadyExists(error) && next === id) || left <= 1) throw error;
    return sendOnce(session, inputs, intent, { id: next, left: left - 1 });
  }
}

/** The id to take where one with another natural key has the id that this one's leads to. */
async function idInstead(session: Session, inputs: Values, id: string | undefined): Promise<string | undefined> {
  const { objects, spec, call } = session;
  if (id === undefined || isFixed(spec, inputs)) return id;
  const occupant = await objects.find(objects.nameOf(id), optionsOf(session));
  return occupant && naturalKey(spec, occupant) !== naturalKey(spec, inputs)
    ? automaticId(call.hidden, objects.account, 0)
    : id;
}

/** The live object with the id that the program gives, or with its natural key. */
export async function findExisting(session: Session, inputs: Values): Promise<Values | undefined> {
  const { objects, spec } = session;
  const id = chosenId(spec, inputs);
  const named = id === undefined ? undefined : await objects.find(objects.nameOf(id), optionsOf(session));
  const key = naturalKey(spec, inputs);
  const isIt = named && (key === undefined || isFixed(spec, inputs) || naturalKey(spec, named) === key);
  if (isIt && standing(spec.lifecycle, named) !== "gone") return named;
  if (key === undefined) return undefined;
  for await (const object of objects.list(optionsOf(session))) {
    if (naturalKey(spec, object) === key && standing(spec.lifecycle, object) !== "gone") return object;
  }
  return undefined;
}

/**
 * The service puts a host's own content onto it, and nothing else: that record, where it is no
 * older than its host, is nobody else's (A081).
 */
async function madeAlong(session: Session, found: Values, inputs: Values): Promise<boolean> {
  const host = await hostOf(session, inputs);
  const places = session.spec.host;
  return (
    host !== undefined &&
    places !== undefined &&
    host[places.own] === found[places.content] &&
    session.world.claims.holderOf(String(found["name"]), session.call.hidden.urn) === undefined &&
    Date.parse(String(found["createTime"])) >= Date.parse(String(host["createTime"]))
  );
}

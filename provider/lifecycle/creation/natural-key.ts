import { standing } from "../../core/declaration/states";
import { isAlreadyExists, isAmbiguousOutcome } from "../../core/errors";
import { hostOf } from "../hosting/guests";
import { automaticId, chosenId, digestOfKey, isFixed, naturalKey } from "../identity/ids";
import { type Operation, requestOptions } from "../operation/operation";
import type { Intent } from "../ports/intents";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { isEcho, recover } from "./recovery";
import { send, withdraw } from "./send";
import { adopt, mayAdopt, type Taken, takeOver } from "./take-over";

/**
 * A create without a client-chosen id is sent at most this often, each time after looking up the natural key (A092).
 */
const most = 3;

/**
 * Makes an object whose natural key only one object of the account can have. One that exists is taken over with an
 * intent of an interrupted run or the program's `adopt`, never otherwise.
 */
export async function placeByKey(operation: Operation, inputs: Values, intent: Intent | undefined): Promise<Taken> {
  const key = naturalKey(operation.spec, inputs);
  const begun =
    intent !== undefined &&
    !intent.settled &&
    key !== undefined &&
    intent.keyDigest === digestOfKey(operation.spec.kind, operation.objects.account, key);
  const before = begun || mayAdopt(inputs) ? await findExisting(operation, inputs) : undefined;
  if (before) return begun ? recover(operation, before, inputs, intent) : adopt(operation, before, inputs, intent);
  return sendOnce(operation, inputs, intent, { id: chosenId(operation.spec, inputs), left: most });
}

/** The id of the next request, and the number of requests left. */
interface Try {
  id: string | undefined;
  left: number;
}

async function sendOnce(
  operation: Operation,
  inputs: Values,
  intent: Intent | undefined,
  { id, left }: Try,
): Promise<Taken> {
  try {
    return { object: await send(operation, inputs, id, intent), adopted: false };
  } catch (error) {
    if (!isAlreadyExists(error) && !isAmbiguousOutcome(error)) throw error;
    const found = await findExisting(operation, inputs);
    if (found && (await isEcho(operation, found, inputs, error))) return { object: found, adopted: false };
    if (found) await withdraw(operation, intent, found);
    if (found && isAlreadyExists(error))
      return (await isMadeAlong(operation, found, inputs))
        ? takeOver(operation, found, inputs)
        : adopt(operation, found, inputs, intent);
    const next = isAlreadyExists(error) && !found ? await chooseOtherId(operation, inputs, id) : id;
    if (found || (isAlreadyExists(error) && next === id) || left <= 1) throw error;
    return sendOnce(operation, inputs, intent, { id: next, left: left - 1 });
  }
}

/** The id to use if an object with another natural key already has the one that this key implies. */
async function chooseOtherId(
  operation: Operation,
  inputs: Values,
  id: string | undefined,
): Promise<string | undefined> {
  const { objects, spec, call } = operation;
  if (id === undefined || isFixed(spec, inputs)) return id;
  const occupant = await objects.find(objects.nameOf(id), requestOptions(operation));
  return occupant && naturalKey(spec, occupant) !== naturalKey(spec, inputs)
    ? automaticId(call.hidden, objects.account, 0)
    : id;
}

/** The live object with the id that the program gives, or with its natural key. */
export async function findExisting(operation: Operation, inputs: Values): Promise<LiveObject | undefined> {
  const { objects, spec } = operation;
  const id = chosenId(spec, inputs);
  const named = id === undefined ? undefined : await objects.find(objects.nameOf(id), requestOptions(operation));
  const key = naturalKey(spec, inputs);
  const isIt = named && (key === undefined || isFixed(spec, inputs) || naturalKey(spec, named) === key);
  if (isIt && standing(spec.lifecycle, named) !== "gone") return named;
  if (key === undefined) return undefined;
  for await (const object of objects.list(requestOptions(operation))) {
    if (naturalKey(spec, object) === key && standing(spec.lifecycle, object) !== "gone") return object;
  }
  return undefined;
}

/**
 * The service puts a host's own content onto it, and nothing else: that record, where it is no
 * older than its host, must be the service's own (A081).
 */
async function isMadeAlong(operation: Operation, found: LiveObject, inputs: Values): Promise<boolean> {
  const host = await hostOf(operation, inputs);
  const places = operation.spec.host;
  return (
    host !== undefined &&
    places !== undefined &&
    host[places.own] === found[places.content] &&
    operation.ports.claims.holderOf(found.name, operation.call.hidden.urn) === undefined &&
    Date.parse(String(found["createTime"])) >= Date.parse(String(host["createTime"]))
  );
}

import { standing } from "../../core/declaration/states";
import { ModelPlatformError } from "../../core/errors";
import { ownerIn } from "../../core/fields/owner";
import { lastSegment } from "../../core/values/names";
import { attempts, automaticId } from "../identity/ids";
import type { CreateAttempt } from "../journal/history";
import { type Operation, requestOptions, titleOf } from "../operation/operation";
import { historyFor, ownNameIn, ownUrns, writeFactOf } from "../ownership/facts";
import { strangerOf } from "../ownership/ownership";
import { precedes, type Whose, whose } from "../ownership/whose";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { findInstead, isEcho, takeOverBegun } from "./recovery";
import { send } from "./send";
import type { Taken } from "./take-over";

const day = 24 * 60 * 60 * 1000;

/**
 * Creates an object at the first free automatic id of this declaration, or finds the one that an interrupted run
 * created.
 */
export async function placeAutomatically(
  operation: Operation,
  inputs: Values,
  open: readonly CreateAttempt[],
): Promise<Taken> {
  const { call, objects } = operation;
  const begunIds = open.flatMap(({ place }) => ownNameIn(operation, place) ?? []).map(lastSegment);
  const elsewhere = begunIds.length > 0 ? undefined : await findElsewhere(operation, inputs, open);
  if (elsewhere) return takeOverBegun(operation, elsewhere, inputs);
  for (const id of idsToTry(begunIds, (attempt) => automaticId(call.hidden, objects.account, attempt))) {
    try {
      return { object: await send(operation, inputs, id), adopted: false };
    } catch (error) {
      const found = await findInstead(operation, objects.nameOf(id), error);
      if (await isEcho(operation, found, inputs, error)) return { object: found, adopted: false };
      const taken = await takeIfOurs(operation, found, inputs);
      if (taken) return taken;
    }
  }
  const { kind, fields } = operation.spec;
  throw new ModelPlatformError(`${kind} was not created: every automatic id of ${call.hidden.urn} is taken`, {
    advice: `Choose an id with \`${fields.resourceId?.name}\`.`,
  });
}

/** An object that was started at an id that the program has since dropped, if it is certainly ours. */
async function findElsewhere(
  operation: Operation,
  inputs: Values,
  open: readonly CreateAttempt[],
): Promise<LiveObject | undefined> {
  for (const { place, made } of open) {
    const name = made?.name ?? place.name;
    if (name === undefined || ownNameIn(operation, { name }) !== undefined) continue;
    const found = await operation.objects.find(name, requestOptions(operation));
    if (found && (await whose(operation, found, inputs)).is === "begun") return found;
  }
  return undefined;
}

function* idsToTry(begun: readonly string[], idOf: (attempt: number) => string): Generator<string> {
  const first = [...new Set(begun)];
  yield* first;
  for (const attempt of attempts()) if (!first.includes(idOf(attempt))) yield idOf(attempt);
}

/**
 * Takes over an object at an automatic id of this declaration if an interrupted create has made it; undefined: it is
 * left alone, and the next id is tried. Rejects if only people can tell.
 */
async function takeIfOurs(operation: Operation, found: LiveObject, inputs: Values): Promise<Taken | undefined> {
  const { spec, ports, call } = operation;
  const judged = await whose(operation, found, inputs);
  const isGone = standing(spec.lifecycle, found) === "gone";
  if (isGone || strangerOf(operation, found) !== undefined) return undefined;
  if (judged.is === "begun") return takeOverBegun(operation, found, inputs);
  const age = (operation.objects.serviceTime() ?? ports.clock.now()) - Date.parse(String(found["createTime"] ?? ""));
  const isKnown = (await isExplained(operation, found, judged)) || ports.memory.presented.has(call.hidden.urn);
  // Its own marks, or the word to take it, count at any age; without them an old object may be of another machine.
  const isRecent = age <= day || ports.recover === "take" || ownerIn(spec, found) !== undefined;
  if (isKnown || !isRecent || ports.recover === "new") {
    if (judged.is === "nobody's" && !judged.seen) await writeFactOf(operation, "seen", found);
    return undefined;
  }
  if (ports.recover === "take") return takeOverBegun(operation, found, inputs);
  throw new ModelPlatformError(
    `${titleOf(operation, found.name)} was not taken over: it has the automatic id of this declaration and is ${Math.round(age / 60_000)} min old, but nothing tells that this declaration created it`,
    {
      advice:
        "It may be left from an interrupted run. Set `modelplatform:recover` to `take` to make it this resource, or to `new` to leave it alone and create another.",
    },
  );
}

/** What existed before the last create of this declaration was met by that create, and left alone. */
async function isExplained(operation: Operation, found: LiveObject, judged: Whose): Promise<boolean> {
  if (judged.is === "nobody's") {
    const history = await historyFor(operation);
    return judged.seen || history.hasMet(ownUrns(operation), (each) => precedes(found["createTime"], each));
  }
  return true;
}

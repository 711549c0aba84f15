import { ModelPlatformError } from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import { attempts, automaticId } from "../identity/ids";
import type { CreateAttempt } from "../journal/history";
import { type CreateOperation, type ResourceOperation, requestOptions } from "../operation/operation";
import { ownNameIn } from "../ownership/facts";
import { relationOf } from "../ownership/relation";
import { isUnrecorded } from "../ownership/verdicts";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { mayHaveBeenMade } from "./lost-answer";
import { findInstead } from "./recovery";
import { send } from "./send";
import { settle } from "./settle";
import type { Placement } from "./take-over";

/**
 * Creates an object at the first free automatic id of this declaration, or finds the one that an interrupted run
 * created.
 */
export async function placeAutomatically(
  operation: CreateOperation,
  inputs: Values,
  open: readonly CreateAttempt[],
): Promise<Placement> {
  const { call, objects } = operation;
  const begunIds = open.flatMap(({ place }) => ownNameIn(operation, place) ?? []).map(lastSegment);
  const elsewhere = begunIds.length > 0 ? undefined : await findElsewhere(operation, inputs, open);
  const resumed = elsewhere && (await settle(operation, elsewhere, inputs));
  if (resumed) return resumed;
  for (const id of idsToTry(begunIds, (attempt) => automaticId(call.hidden, objects.account, attempt))) {
    try {
      return { object: await send(operation, inputs, id), adopted: false };
    } catch (error) {
      const found = await findInstead(operation, objects.nameOf(id), error);
      const isAnswerLost = mayHaveBeenMade(error) && !begunIds.includes(id);
      const placed = await settle(operation, found, inputs, { error, isAnswerLost });
      if (placed) return placed;
    }
  }
  const { kind, fields } = operation.spec;
  throw new ModelPlatformError(`${kind} was not created: every automatic id of ${call.hidden.urn} is taken`, {
    advice: `Choose an id with \`${fields.resourceId?.name}\`.`,
  });
}

/** An object that was started at an id that the program has since dropped, if it is certainly ours. */
async function findElsewhere(
  operation: ResourceOperation,
  inputs: Values,
  open: readonly CreateAttempt[],
): Promise<LiveObject | undefined> {
  for (const { place, made } of open) {
    const name = made?.name ?? place.name;
    if (name === undefined || ownNameIn(operation, { name }) !== undefined) continue;
    const found = await operation.objects.find(name, requestOptions(operation));
    if (found && isUnrecorded((await relationOf(operation, found, inputs)).relation)) return found;
  }
  return undefined;
}

function* idsToTry(begun: readonly string[], idOf: (attempt: number) => string): Generator<string> {
  const first = [...new Set(begun)];
  yield* first;
  for (const attempt of attempts()) if (!first.includes(idOf(attempt))) yield idOf(attempt);
}

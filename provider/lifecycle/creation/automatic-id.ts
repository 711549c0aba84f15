import { phaseOf } from "../../core/declaration/states";
import { ModelPlatformError } from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import { attempts, automaticId, inputsDigest } from "../identity/ids";
import type { CreateAttempt } from "../journal/history";
import { type CreateOperation, type ResourceOperation, requestOptions, titleOf } from "../operation/operation";
import { historyFor, identityOf, ownNameIn, ownUrns } from "../ownership/facts";
import { isShown } from "../ownership/former";
import { ownMarksOn } from "../ownership/marks";
import { strangerOf } from "../ownership/ownership";
import { whose } from "../ownership/whose";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { leftOverText } from "./left-over";
import { findInstead, isResultOfLostRequest, takeOverBegun } from "./recovery";
import { send } from "./send";
import { type Placement, unchangeable } from "./take-over";

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
  if (elsewhere) return takeOverBegun(operation, elsewhere, inputs);
  const renamed = await findRenamed(operation, inputs);
  if (renamed) return takeOverBegun(operation, renamed, inputs);
  for (const id of idsToTry(begunIds, (attempt) => automaticId(call.hidden, objects.account, attempt))) {
    try {
      return { object: await send(operation, inputs, id), adopted: false };
    } catch (error) {
      const found = await findInstead(operation, objects.nameOf(id), error);
      if (await isResultOfLostRequest(operation, found, inputs, { error }))
        return begunIds.includes(id) ? takeOverBegun(operation, found, inputs) : { object: found, adopted: false };
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
  operation: ResourceOperation,
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

/**
 * Where nobody hands aliases over, what an interrupted create has made with these inputs under a URN that the program
 * does not declare may be this resource before it was renamed. Rejects where only a person can decide.
 */
async function findRenamed(operation: ResourceOperation, inputs: Values): Promise<LiveObject | undefined> {
  const { spec, call, ports } = operation;
  if (!call.hidden.aliasesUnknown || ports.recover === "new") return undefined;
  const digest = inputsDigest(spec, inputs);
  for (const { kind, urn, made, place, digest: sent } of (await historyFor(operation)).open()) {
    const name = made?.name ?? place.name;
    const isAlike = kind === spec.kind && sent === digest && urn !== call.hidden.urn;
    if (!isAlike || name === undefined || ports.run.declares(urn)) continue;
    const found = await operation.objects.find(name, requestOptions(operation));
    if (!found || phaseOf(spec.lifecycle, found) === "gone") continue;
    if (ports.recover === "take") return found;
    throw new ModelPlatformError(
      `${spec.kind} was not created: an interrupted run has created ${found.name} of the same inputs as ${urn}, which the program does not declare`,
      {
        advice:
          "Set `modelplatform:recover` to `take` if this is that resource under another name, or to `new` if it is not.",
        topic: "an-interrupted-run-left-an-object",
      },
    );
  }
  return undefined;
}

function* idsToTry(begun: readonly string[], idOf: (attempt: number) => string): Generator<string> {
  const first = [...new Set(begun)];
  yield* first;
  for (const attempt of attempts()) if (!first.includes(idOf(attempt))) yield idOf(attempt);
}

/**
 * Takes over an object at an automatic id of this declaration if it is its own: an interrupted create has made it, or
 * it carries its marks; undefined: it is left alone, and the next id is tried. Rejects if only a person can decide.
 */
async function takeIfOurs(
  operation: CreateOperation,
  found: LiveObject,
  inputs: Values,
): Promise<Placement | undefined> {
  const { spec, ports } = operation;
  const isGone = phaseOf(spec.lifecycle, found) === "gone";
  if (isGone || strangerOf(operation, found) !== undefined || isShown(operation, identityOf(found))) return undefined;
  const { is } = await whose(operation, found, inputs);
  if (is === "begun") return resume(operation, found, inputs);
  if (is !== "nobody's" || (await isOlderThanLast(operation, found))) return undefined;
  if (ports.recover === "take" || (ports.recover === "ask" && ownMarksOn(operation, found)))
    return takeOverBegun(operation, found, inputs);
  if (ports.recover === "new")
    return void operation.call.reporter.info(
      `${titleOf(operation, found.name)} has the automatic id of this declaration; it is left as it is, and another is created.`,
    );
  throw new ModelPlatformError(
    `${titleOf(operation, found.name)}, created at ${String(found["createTime"])}, was not taken over: it has the automatic id of this declaration, but nothing shows that this declaration created it`,
    {
      advice:
        "Set `modelplatform:recover` to `take` to make it this resource, or to `new` to leave it and create another.",
      topic: "an-interrupted-run-left-an-object",
    },
  );
}

/** What an interrupted create has made is this resource's, unless it cannot become what the program declares by now. */
function resume(operation: CreateOperation, found: LiveObject, inputs: Values): Promise<Placement> | undefined {
  if (operation.ports.recover !== "new" || unchangeable(operation, found, inputs).length === 0)
    return takeOverBegun(operation, found, inputs);
  operation.call.reporter.warn(leftOverText(operation.spec, found.name));
  return undefined;
}

/**
 * Whether this declaration has had an object since: what is older was there when that one was created, and was left
 * alone then.
 */
async function isOlderThanLast(operation: ResourceOperation, found: LiveObject): Promise<boolean> {
  const own = ownUrns(operation);
  const last = (await historyFor(operation)).lastHeld(own)?.identity;
  const had = [...operation.ports.claims.shownUnder(own), ...(last ? [last] : [])];
  return had.some(({ createTime }) => Date.parse(String(found["createTime"])) < Date.parse(String(createTime)));
}

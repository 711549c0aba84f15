import { deviations, isOwnMark } from "../../core/comparison/accepted";
import { HiddenInput, hiddenInput, recordsIn } from "../../core/declaration/own-records";
import type { ResourceSpec } from "../../core/declaration/resource";
import { ModelPlatformError } from "../../core/errors";
import { type Owner, ownerField, ownerIn, ownerInWords } from "../../core/fields/owner";
import { stackOf } from "../identity/ids";
import { historiesOf, historyOf } from "../journal/histories";
import { type DeleteOperation, type ResourceOperation, titleOf } from "../operation/operation";
import type { ObjectIdentity } from "../ports/journal";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { claimsOf } from "./claims";
import { historyFor, isSuperseded, recordedIdentity } from "./facts";
import { ownerBy } from "./marks";
import { whose } from "./whose";

/**
 * Whose an object is, from what this run and its state give evidence of. Every path of the life cycle that takes, keeps
 * or deletes an object asks here and has no rule of its own.
 */

/** Why a delete that the engine asks for is not carried out, although the engine may forget the entry. */
interface DeleteObjection {
  because: string;
}

/**
 * Why a delete is not obeyed that the engine asks for as `given`; undefined where it is. An object that some
 * declaration of this run has stays: the engine asks for an older entry of it. One that a declaration claims and does
 * not have yet is an error: its entry in the state is all that holds it.
 */
export async function objectionTo(
  operation: DeleteOperation,
  name: string,
  recorded: Values,
): Promise<DeleteObjection | undefined> {
  const { ports, spec, call } = operation;
  const { urn } = call.hidden;
  const title = `${spec.kind} ${name}`;
  if (ports.claims.heldBy(urn) === name) return { because: `${title} is the current object of this declaration` };
  const { accountId } = recordsIn(recorded);
  const holder = ports.claims.holderOf(name, urn);
  if (holder !== undefined) return { because: `${title} belongs to ${holder} now` };
  const declarer = ports.claims.declarerOf([name, ...claimsOf(spec, accountId, recorded)], urn);
  // A declaration that already has its object does not need this one.
  if (declarer !== undefined && ports.claims.heldBy(declarer) === undefined)
    throw claimedError(operation, title, declarer);
  const object = recordedIdentity(spec, name, recorded);
  const known = (await historyFor(operation)).object(object);
  // Where this run has replaced the object by another one, no record of it is to stay.
  if (known && isSuperseded(known, recorded) && operation.resource.successorOf(name) === undefined)
    return { because: `${title} was taken over by a later create of ${known.holder ?? known.maker}` };
  const taker = await takerOf(operation, object);
  return taker === undefined ? undefined : { because: `${title} was taken over by ${taker}` };
}

/** The object is another declaration's by the program, which does not have it yet. */
function claimedError(
  { ports, spec, call, resource }: DeleteOperation,
  title: string,
  declarer: string,
): ModelPlatformError {
  const theirs = resource.shownFor(declarer);
  const isSwap = theirs !== undefined && ports.claims.declarerOf([theirs], declarer) === call.hidden.urn;
  const exchanged = isSwap ? `, which has ${spec.kind} ${theirs}: the two exchange their ids` : "";
  return new ModelPlatformError(
    `${title} is not deleted, because the program declares the same object as ${declarer}${exchanged}`,
    {
      advice: isSwap
        ? "Give each the other's name in `aliases` to keep both objects, or leave one of the two out for one `up`."
        : "Add its old name to `aliases` if it was renamed, or leave one of the two out for one `up`, or change its id.",
      topic: "another-declaration-has-the-object",
    },
  );
}

/** The declaration of another stack of this machine that adopted the object, or that has held it since this one did. */
async function takerOf(
  { ports, objects, call }: ResourceOperation,
  recorded: ObjectIdentity,
): Promise<string | undefined> {
  const { urn } = call.hidden;
  const own = (await historyOf(ports.journal, objects.origin, objects.account, urn)).object(recorded);
  const all = await historiesOf(ports.journal, objects.origin, objects.account);
  const others = all.flatMap((history) => history.object(recorded) ?? []);
  return others.find(
    ({ holder, held, adopted, gone }) =>
      holder !== undefined &&
      !gone &&
      stackOf(holder) !== stackOf(urn) &&
      ((adopted && !own?.adopted) || (own?.held !== undefined && held!.at > own.held.at)),
  )?.holder;
}

/** Why the live object is not deleted, whatever the state says: it is another one, or another stack's. */
export async function objectionToLive(
  operation: ResourceOperation,
  name: string,
  recorded: Values,
  live: LiveObject,
): Promise<DeleteObjection | undefined> {
  const title = titleOf(operation, name);
  const isOwn = async (): Promise<boolean> => {
    const judged = await whose(operation, live, recorded, recordedIdentity(operation.spec, name, recorded));
    return judged.is === "held" || (judged.is === "begun" && !judged.inferred);
  };
  if (isRecreated(operation.spec, recorded, live) && !(await isOwn()))
    return {
      because: `${title} is not the object that the state recorded: it was created at ${String(live["createTime"])} under the same name`,
    };
  const owner = strangerOf(operation, live, recorded);
  return owner && { because: `${title} belongs to another stack: ${ownerInWords(operation.spec, owner)}` };
}

/**
 * The owner in another stack that the live object names. A former name of this stack, recorded with the object, does
 * not count as another one.
 */
export function strangerOf(
  { spec, call }: ResourceOperation,
  live: LiveObject,
  recorded: Values = {},
): Owner | undefined {
  const owner = ownerIn(spec, live);
  const former = HiddenInput.safeParse(recorded[hiddenInput]);
  const own = [call.hidden, ...(former.success ? [former.data] : [])].map((identity) => ownerBy(identity).stack);
  return owner && !own.includes(owner.stack) ? owner : undefined;
}

/** Rejects where the live object names an owner in another stack: it is neither taken over nor changed. */
export function refuseStranger(operation: ResourceOperation, live: LiveObject, recorded?: Values): void {
  const owner = strangerOf(operation, live, recorded);
  if (!owner) return;
  const { name, markers } = ownerField(operation.spec)!;
  throw new ModelPlatformError(
    `${titleOf(operation, live.name)} belongs to another stack: ${ownerInWords(operation.spec, owner)}`,
    {
      advice: `Give this resource another id, or hand it over: \`state delete\` there, then remove \`${markers.carriesOwner!.stack}\` from its \`${name}\`.`,
      topic: "another-stack-has-the-object",
    },
  );
}

/** Whether the live object is another one than was last accepted, made since under the same name. */
export const isRecreated = (spec: ResourceSpec, recorded: Values, live: LiveObject): boolean =>
  deviations(spec, recorded, live).some(({ path }) => isOwnMark(spec, path[0]));

import { isDeepStrictEqual } from "node:util";
import { deviations, isOwnMark } from "../../core/comparison/accepted";
import type { DiffAnswer, FieldChange } from "../../core/comparison/diff";
import { HiddenInput, hiddenInput, recordsIn, reservedInputs } from "../../core/declaration/own-records";
import type { ResourceSpec } from "../../core/declaration/resource";
import { ModelPlatformError } from "../../core/errors";
import { type Owner, ownerField, ownerIn, ownerInWords } from "../../core/fields/owner";
import { stackOf } from "../identity/ids";
import { historiesOf, historyOf } from "../journal/histories";
import { type ResourceOperation, titleOf } from "../operation/operation";
import type { ObjectIdentity } from "../ports/journal";
import type { CurrentObject } from "../ports/memory";
import type { LiveObject } from "../ports/objects";
import type { Ports } from "../ports/ports";
import type { Call, Values } from "../types";
import { claimsOf } from "./claims";
import { recordedIdentity } from "./facts";
import { ownerBy } from "./marks";
import { whose } from "./whose";

/**
 * Whose an object is, from what this run and its state give evidence of. Every path of the life cycle that takes, keeps
 * or deletes an object asks here and has no rule of its own.
 *
 * The program's word for a URN is its `check`: the engine calls it for what the program declares, and never in a
 * refresh or a destroy. What `read` and `diff` show of a URN before that belongs to a refresh in the same command,
 * and says nothing about what the program keeps.
 */

/**
 * The program declares this URN. An engine that has decided on another object for it checks again, without old inputs.
 */
export function declare({ claims, memory }: Ports, { hidden }: Call, olds: Values, inputs: Values): void {
  const { urn, aliases = [] } = hidden;
  const recorded = urnIn(olds);
  const continues = !Object.keys(olds).every((name) => reservedInputs.has(name));
  const replaced = !continues && memory.declared.get(urn)?.continues && memory.presented.get(urn)?.["name"];
  claims.inherit(urn, [
    ...[...aliases, ...(recorded === undefined ? [] : [recorded])].map((former) => ({ urn: former })),
    // The plugin's outputs do not say under which URN they were recorded.
    ...(typeof replaced === "string" ? [{ name: replaced }] : []),
  ]);
  const takesPlace = !continues && memory.declared.get(urn)?.takesPlace;
  const edited = new Set(
    Object.keys(inputs).filter((name) => Object.hasOwn(olds, name) && !isDeepStrictEqual(olds[name], inputs[name])),
  );
  memory.declared.set(urn, { continues, inputs, edited, ...(takesPlace && { takesPlace }) });
  if (continues) return;
  memory.current.delete(urn);
  claims.hold(urn, undefined);
}

/** The URN that inputs or outputs were recorded under. */
export function urnIn(recorded: Values): string | undefined {
  if (recorded[hiddenInput] === undefined) return undefined;
  const hidden = HiddenInput.safeParse(recorded[hiddenInput]);
  return hidden.success ? hidden.data.urn : undefined;
}

/** Tells the run that the program continues with an object which was recorded under another URN. */
export function continueWith(
  { claims, memory }: Ports,
  { hidden: { urn } }: Call,
  name: string,
  recorded: Values,
): void {
  const former = urnIn(recorded);
  if (memory.declared.has(urn) && former !== undefined) claims.inherit(urn, [{ urn: former, name }]);
}

/**
 * The call in the name of the declaration that continues with the object: engines delete what was renamed
 * under the URN that its outputs were recorded with.
 */
export function underCurrentUrn({ claims }: Ports, call: Call, name: string): Call {
  const current = claims.currentUrnOf(call.hidden.urn, name);
  return current === undefined ? call : { ...call, hidden: { ...call.hidden, urn: current } };
}

/** Whether the program has said that it declares this URN; before that, a diff belongs to a refresh. */
export const isDeclared = ({ memory }: Ports, { hidden }: Call): boolean => memory.declared.has(hidden.urn);

/**
 * Whether the engine, which compares inputs, has to learn of a change: where an input is another one, it names that
 * itself, and applies the program's `replaceOnChanges` to it.
 */
export const asEngineSees = (
  { memory }: Ports,
  { hidden }: Call,
  { beneathInputs, ...change }: FieldChange,
): FieldChange =>
  beneathInputs && !memory.declared.get(hidden.urn)?.edited.has(change.property)
    ? { ...change, beneathInputs }
    : change;

/** Learns from a diff whether the declaration keeps its object; before the program's word it says nothing. */
export function learnFromDiff(ports: Ports, call: Call, name: string, inputs: Values, answer: DiffAnswer): void {
  const declared = ports.memory.declared.get(call.hidden.urn);
  if (!declared?.continues) return;
  if (answer.replaces.length === 0) return hold(ports, call, name, inputs);
  if (answer.deleteBeforeReplace) ports.memory.declared.set(call.hidden.urn, { ...declared, takesPlace: true });
}

/** This declaration has this object: a diff leaves it in place, or it is being updated or was created. */
export function hold({ claims, memory }: Ports, { hidden: { urn } }: Call, name: string, inputs: Values): void {
  memory.current.set(urn, { name, inputs });
  claims.hold(urn, name);
}

/** This declaration no longer has an object. */
export function release({ claims, memory }: Ports, { hidden: { urn } }: Call): void {
  memory.current.delete(urn);
  claims.hold(urn, undefined);
}

/**
 * What the program continues with in place of the object of that name; undefined
 * where that is the object itself, or not known.
 */
export function successorOf({ memory }: Ports, { hidden }: Call, name: string): CurrentObject | undefined {
  const current = memory.current.get(hidden.urn);
  return current?.name === name ? undefined : current;
}

/** Why a delete that the engine asks for is not carried out, although the engine may forget the entry. */
export interface DeleteObjection {
  because: string;
}

/**
 * Why a delete is not obeyed that the engine asks for as `given`; undefined where it is. An object that some
 * declaration of this run has stays: the engine asks for an older entry of it. One that a declaration claims and does
 * not have yet is an error: its entry in the state is all that holds it.
 */
export async function objectionTo(
  operation: ResourceOperation,
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
  const taker = await takerOf(operation, recordedIdentity(spec, name, recorded));
  return taker === undefined ? undefined : { because: `${title} was taken over by ${taker}` };
}

/** The object is another declaration's by the program, which does not have it yet. */
function claimedError({ ports, spec, call }: ResourceOperation, title: string, declarer: string): ModelPlatformError {
  const theirs = ports.memory.presented.get(declarer)?.["name"];
  const isSwap = typeof theirs === "string" && ports.claims.declarerOf([theirs], declarer) === call.hidden.urn;
  return new ModelPlatformError(
    `${title} is not deleted, because the program declares the same object as ${declarer}`,
    {
      advice: isSwap
        ? `The two resources exchange their ids: that one has ${spec.kind} ${theirs}. To exchange the names and keep both objects, give each the other's name as an alias (\`aliases\`). To make both anew, run \`up\` without one of the two, then \`up\` with both.`
        : "If the resource was renamed, give it an alias of its old name (`aliases`), and run `up` again. Otherwise leave one of the two out of the program for one `up`, or change its id.",
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
      advice: `Give this resource another id; or remove the object from that stack with \`state delete\`, remove \`${markers.carriesOwner!.stack}\` from its \`${name}\`, and run this again.`,
    },
  );
}

/** Whether the live object is another one than was last accepted, made since under the same name. */
export const isRecreated = (spec: ResourceSpec, recorded: Values, live: LiveObject): boolean =>
  deviations(spec, recorded, live).some(({ path }) => isOwnMark(spec, path[0]));

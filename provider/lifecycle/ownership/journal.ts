import type { RecordedUrn } from "../../../io/text/urns";
import type { OtherEntry } from "../../../protocol/engine-state";
import { acceptedOf } from "../../core/comparison/accepted";
import { recordsIn } from "../../core/declaration/own-fields";
import type { ResourceSpec } from "../../core/declaration/resource";
import { phaseOf } from "../../core/declaration/states";
import { messageOf } from "../../core/errors";
import { dynamicUrn } from "../../core/pulumi-names";
import { accountOf, lastSegment } from "../../core/values/names";
import { importing, objectCommand } from "../commands";
import {
  byLastHold,
  type CreateAttempt,
  type Event,
  type Fact,
  historyOf,
  nameOfAttempt,
  type ObjectHistory,
  type ObjectIdentity,
  type OwnershipJournal,
  objectKey,
  type Slot,
} from "../memory/history";
import {
  canonicalBaseUrl,
  chosenId,
  digestNaturalKey,
  hasChosenId,
  isAutomatic,
  naturalKey,
  underEachName,
  urnWithoutStack,
} from "../memory/identity";
import type { ResourceView } from "../memory/run";
import type { Operation } from "../operation";
import type { LiveObject } from "../ports";
import type { Values } from "../types";

/** Digest of the natural key of an object, or of what a program declares; undefined if a part of it is missing. */
export function keyDigestOf(
  { spec, objects }: Pick<Operation, "spec" | "objects">,
  object: Values,
): string | undefined {
  const key = naturalKey(spec, object);
  return key === undefined ? undefined : digestNaturalKey(spec.kind, objects.account, key);
}

export const identityOf = ({ name, createTime }: LiveObject): ObjectIdentity => ({
  name,
  createTime: typeof createTime === "string" ? createTime : undefined,
});

/** The recorded object. A read may show another one that has not been accepted. */
export function recordedIdentity(spec: ResourceSpec | undefined, name: string, outputs: Values): ObjectIdentity {
  const accepted = spec ? acceptedOf(spec, outputs) : recordsIn(outputs).accepted;
  const createTime = accepted?.["createTime"] ?? recordsIn(outputs).accepted?.["createTime"] ?? outputs["createTime"];
  return { name, createTime: typeof createTime === "string" ? createTime : undefined };
}

/** The URNs under which this declaration's object may be recorded: its own, former ones, and all that have held it. */
export function declarationUrns(
  { call, resource }: Pick<Operation, "call" | "resource">,
  recorded?: ObjectHistory,
): Set<RecordedUrn> {
  const { urn, aliases = [] } = call.hidden;
  return new Set([urn, ...aliases.filter((alias) => !resource.of(alias).isDeclared), ...(recorded?.holders ?? [])]);
}

/** Ends the creates that were rejected because of this object, whose relation to them is decided. */
export async function endRefused(operation: Operation, existing: LiveObject): Promise<void> {
  const own = declarationUrns(operation);
  const open = (await operation.history()).openAt(slotOf(operation, existing));
  for (const { id, isRefused, urn } of open)
    if (isRefused && own.has(urn)) await writeCompletedFact(operation, { fact: "void", id });
}

/** Unfinished creates of this declaration. */
export const openAttempts = async (operation: Operation): Promise<CreateAttempt[]> =>
  (await operation.history()).open(declarationUrns(operation));

/** Records what happened: durable when it resolves. */
export const writeFact = ({ ports, spec, objects, call }: Operation, event: Event): Promise<void> =>
  ports.journal.append({
    ...event,
    kind: spec.kind,
    urn: call.hidden.urn,
    origin: canonicalBaseUrl(objects.origin),
    account: objects.account,
    at: ports.clock.now(),
  });

/** Records what the service has already done, which cannot be undone if the journal cannot be written. */
export const writeCompletedFact = (operation: Operation, event: Event): Promise<void> =>
  writeFact(operation, event).catch((cause: unknown) =>
    operation.call.reporter.warn(
      `${messageOf(cause)}. What was done is done; an interrupted run would be harder to resume.`,
    ),
  );

/** Records that this declaration's request created the object, or that it was adopted. */
export function writeObjectFact(operation: Operation, what: "made" | "adopted", live: LiveObject): Promise<void> {
  const about = { object: identityOf(live), keyDigest: keyDigestOf(operation, live) };
  return writeCompletedFact(
    operation,
    what === "adopted" ? { fact: "held", ...about, adopted: true } : { fact: "made", ...about },
  );
}

/** Whether an earlier run of this stack began to change a recorded object, with an outcome still unknown. */
export async function mayBeChanged(operation: Operation, object: ObjectIdentity): Promise<boolean> {
  if ((await operation.history()).openWrites(object).length > 0) return true;
  return operation.ports.state?.mayBeChanged(isAmong(declarationUrns(operation))) === true;
}

/**
 * Whether an engine's URN is one of these. An engine has the resources of one stack, which outputs may still name as it
 * was called before.
 */
export function isAmong(urns: ReadonlySet<RecordedUrn>): (urn: RecordedUrn) => boolean {
  const tails = new Set([...urns].map(urnWithoutStack));
  return (urn) => tails.has(urnWithoutStack(dynamicUrn(urn)));
}

/**
 * Writes down that a recorded object is about to be changed. Resolves to the function that writes down that the outcome
 * is known. Until then, the next diff makes the change again. If the journal cannot be written, one warning is enough.
 */
export async function beginWrite(operation: Operation, object: ObjectIdentity): Promise<() => Promise<void>> {
  const earlier = (await operation.history()).openWrites(object);
  const id = operation.ports.randomHex(8);
  const isNoted = await writeFact(operation, { fact: "writing", id, object }).then(
    () => true,
    (cause: unknown) => {
      operation.call.reporter.warn(
        `${messageOf(cause)}. The update goes on; an interrupted run would be harder to resume.`,
      );
      return false;
    },
  );
  return async () => (isNoted ? endWrites(operation, [...earlier, id]) : undefined);
}

/**
 * Writes down that a delete of a recorded object is about to be sent: with a read that does not show it, that proves
 * the deletion, however young the object is. Resolves to the function that takes it back where the delete was refused.
 * Nobody is told if the journal cannot be written: the proof is then the object's age, as of any other object.
 */
export async function beginDelete(operation: Operation, name: string, recorded: Values): Promise<() => Promise<void>> {
  const id = operation.ports.randomHex(8);
  const about = {
    object: recordedIdentity(operation.spec, name, recorded),
    keyDigest: keyDigestOf(operation, recorded),
  };
  const isNoted = await writeFact(operation, { fact: "deleting", id, ...about }).then(
    () => true,
    () => false,
  );
  return async () => (isNoted ? endWrites(operation, [id]) : undefined);
}

/** The outcome of these changes is known, from a response or the object. */
export async function endWrites(operation: Operation, ids: readonly string[]): Promise<void> {
  for (const id of ids) await writeCompletedFact(operation, { fact: "written", id });
}

/** What only one object can have, live or declared. */
export function slotOf(operation: Operation, live: LiveObject): Slot {
  const keyDigest = keyDigestOf(operation, live);
  return { name: live.name, keyDigest };
}

/** Whether a create was about what the program declares: the id that the program sets, its key, or an own id. */
export function matchesDeclared(
  operation: Operation,
  inputs: Values,
  { place }: Pick<CreateAttempt, "place">,
): boolean {
  const { spec, objects } = operation;
  const id = chosenId(spec, inputs);
  const name = id === undefined ? automaticNameIn(operation, place) : objects.nameOf(id);
  const hasName = name !== undefined && place.name === name;
  const digest = keyDigestOf(operation, inputs);
  if (digest === undefined || place.keyDigest === undefined || (hasName && hasChosenId(spec, inputs))) return hasName;
  return place.keyDigest === digest;
}

/** The name of a slot if it is an automatic one of this declaration, which is proof enough. */
export const automaticNameIn = ({ call, objects }: Operation, { name }: Slot): string | undefined =>
  name !== undefined && underEachName(call.hidden).some((each) => isAutomatic(each, objects.account, lastSegment(name)))
    ? name
    : undefined;

/** What a state holds under a URN. */
interface RecordedObject extends Pick<Fact, "kind" | "urn" | "at"> {
  spec: ResourceSpec | undefined;
  id: string;
  outputs: Values;
  /**
   * The outputs do not show which object was accepted: one that this stack has neither created nor held may have the
   * recorded name.
   */
  isUnaccepted?: true;
}

/** What a create has begun that no state holds; it may be somebody else's where the create was refused. */
export interface Orphan {
  name: string;
  isRefused: true | undefined;
}

/**
 * A state holds this object under that URN, which is recorded if it is news. Resolves to another object that was
 * begun under the URN, and that no state holds.
 */
export async function recordHeld(
  journal: OwnershipJournal,
  { kind, urn, spec, id, outputs, at, isUnaccepted }: RecordedObject,
): Promise<Orphan | undefined> {
  const { endpoint: origin, accountId, adopted } = recordsIn(outputs);
  if (origin === undefined) return undefined;
  const account = accountId ?? accountOf(id) ?? "";
  const history = await historyOf(journal, origin, account, urn);
  const object = recordedIdentity(spec, id, outputs);
  const known = history.object(object);
  const key = spec && naturalKey(spec, outputs);
  const keyDigest = key === undefined ? undefined : digestNaturalKey(kind, account, key);
  const about = { object, keyDigest };
  const isStrange = isUnaccepted && object.createTime !== undefined && !known?.createdBy && !known?.holder;
  const isNews =
    known?.holder !== urn ||
    (known.adopted === true) !== (adopted === true) ||
    history.attemptsClosedBy(about).length > 0;
  const fact: Fact = {
    fact: "held",
    ...about,
    adopted: adopted ? true : undefined,
    kind,
    urn,
    origin: canonicalBaseUrl(origin),
    account,
    at,
  };
  // The state holds it even if the journal cannot be written.
  if (isNews && !isStrange) await journal.append(fact).catch(() => undefined);
  for (const attempt of history.open(new Set([urn]))) {
    const name = nameOfAttempt(attempt);
    if (name !== undefined && name !== id) return { name, isRefused: attempt.isRefused };
  }
  return undefined;
}

/** The live object that a state held last for this declaration, and that the state at hand does not show. */
export interface FormerObject {
  live: LiveObject;
  known: ObjectHistory;
  /** Another declaration of this run continues with it. */
  isContinued: boolean;
  /** Another stack has it. */
  elsewhere: OtherEntry | undefined;
}

/**
 * The former object of this declaration. The state is older than it or has lost it, or the engine is about to replace
 * it: `up --replace` and a taint show nothing of what they replace. Costs one read where the journal tells of one, and
 * another one where `recover` is to take back what was held before that.
 */
export async function findFormer(operation: Operation): Promise<FormerObject | undefined> {
  const { ports, resource } = operation;
  const [last, ...earlier] = (await operation.history()).lastsHeld(declarationUrns(operation));
  if (!last || isRecordedByEngine(operation, last.identity)) return undefined;
  let known = last;
  let live = await findSame(operation, known);
  // Whoever says so has deleted by hand what was created beside the former object.
  if (!live && ports.settings.recover === "take" && earlier[0]) {
    known = earlier[0];
    live = await findSame(operation, known);
  }
  if (!live) return undefined;
  const elsewhere = await otherStackWith(operation, identityOf(live));
  return { live, known, isContinued: isContinued(resource, live.name), elsewhere };
}

const isContinued = (resource: ResourceView, name: string): boolean =>
  resource.otherHolderOf(name) !== undefined ||
  resource.otherDeclarerOf([name]) !== undefined ||
  resource.currentUrnOf(name) !== undefined;

/** Reports what was held last under each name of this declaration: what one of them had later hides the others'. */
export async function nameHiddenFormers(operation: Operation): Promise<void> {
  const history = await operation.history();
  const own = declarationUrns(operation);
  const [, ...hidden] = [...own].flatMap((urn) => history.lastHeld(new Set([urn])) ?? []).sort(byLastHold);
  for (const known of hidden) {
    const { name } = known.identity;
    if (isRecordedByEngine(operation, known.identity) || isInState(operation, name)) continue;
    const live = isContinued(operation.resource, name) ? undefined : await findSame(operation, known);
    if (!live || (await otherStackWith(operation, identityOf(live)))) continue;
    operation.call.reporter.warn(
      `${operation.title(name)} is live, was ${known.holder} before, and no state has it: look at it with ${objectCommand("get", operation.spec, name)}. To have it back, import it with ${importing(operation, operation.spec, name)} under a name of its own.`,
    );
  }
}

/** The known object, if it is live. */
async function findSame(operation: Operation, { identity }: ObjectHistory): Promise<LiveObject | undefined> {
  const live = await operation.objects.find(identity.name);
  const isThere = live && phaseOf(operation.spec.lifecycle, live) !== "gone";
  return isThere && objectKey(identityOf(live)) === objectKey(identity) ? live : undefined;
}

/** Whether an entry of the state manages the object of that name at this service; undefined if no engine says so. */
export const isInState = ({ ports, objects }: Operation, name: string): boolean | undefined =>
  ports.state && ports.state.holderOf(name, isAt(objects)) !== undefined;

const isAt =
  ({ origin }: Operation["objects"]) =>
  ({ endpoint }: Values): boolean =>
    typeof endpoint !== "string" || canonicalBaseUrl(endpoint) === canonicalBaseUrl(origin);

/**
 * The URN of another declaration whose record of the very object the state at hand has. Not of an adopted one, which
 * stays where its record is deleted.
 */
export const otherRecordOf = (
  operation: Operation,
  object: ObjectIdentity,
  mine: ReadonlySet<string>,
): string | undefined =>
  recorderOf(operation, object, (outputs, urn) => recordsIn(outputs).adopted !== true && !isAmong(mine)(urn));

/** The URN of a matching record of the very object in the state at hand; undefined if no engine tells. */
export const recorderOf = (
  operation: Operation,
  object: ObjectIdentity,
  matches: (outputs: Values, urn: RecordedUrn) => boolean,
): string | undefined =>
  operation.ports.state?.holderOf(
    object.name,
    (outputs, urn) => records(operation, object)(outputs) && matches(outputs, urn),
  );

const records =
  ({ objects, spec }: Operation, object: ObjectIdentity) =>
  (outputs: Values): boolean =>
    isAt(objects)(outputs) && objectKey(recordedIdentity(spec, object.name, outputs)) === objectKey(object);

/** The entry of another stack of the backend that has the very object; undefined if no engine can be asked. */
export async function otherStackWith(operation: Operation, object: ObjectIdentity): Promise<OtherEntry | undefined> {
  const { ports, call } = operation;
  const found = await ports.state?.heldElsewhere(object.name, records(operation, object));
  for (const why of found?.unread ?? [])
    call.reporter.warn(`Whether another stack has ${operation.title(object.name)} is not known of all: ${why}`);
  return found?.holder;
}

/** Whether the journal, this run's engine or its state knows the very object. */
export const isKnown = async (operation: Operation, object: ObjectIdentity): Promise<boolean> =>
  (await operation.history()).object(object) !== undefined ||
  isRecordedByEngine(operation, object) ||
  recorderOf(operation, object, () => true) !== undefined;

/** Whether this run's engine has reported that its state holds the object for this declaration. */
export const isRecordedByEngine = (operation: Operation, object: ObjectIdentity): boolean =>
  operation.resource
    .recordedUnder(declarationUrns(operation))
    .some((recorded) => objectKey(recorded) === objectKey(object));

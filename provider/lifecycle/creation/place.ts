import { hasIdentityField } from "../../core/comparison/accepted";
import { phaseOf } from "../../core/declaration/states";
import {
  isAborted,
  isAlreadyExists,
  isAmbiguousOutcome,
  isConcurrentChange,
  isConflict,
  isForbidden,
  isUnsupportedOperation,
  ModelPlatformError,
  mayHaveCreated,
} from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import { coCreatedHost } from "../changes/hosting";
import { type CreateAttempt, nameOfAttempt } from "../memory/history";
import { attemptNumbers, automaticId, chosenId, hasChosenId, idSourceOf, naturalKey } from "../memory/identity";
import type { CreateOperation, Operation } from "../operation";
import { automaticNameIn, declarationUrns, matchesDeclared } from "../ownership/journal";
import { classifyOwnership, type OwnershipMatch } from "../ownership/relation";
import { isUnrecorded } from "../ownership/verdicts";
import type { LiveObject, ObjectCollection } from "../ports";
import type { Values } from "../types";
import { type ConflictContext, resolveConflict } from "./conflict";
import { CreateRetry, pollUntilVisible, rejectUnseen, send } from "./send";
import { mayAdopt, type Placement, takeOver } from "./take-over";

/** Where a create may put its object. */
interface Slot {
  /** The id to request; undefined if the service chooses it. */
  id: string | undefined;
  /** A create of an interrupted run was sent here. */
  isBegun: boolean;
  /** The service was asked, and nothing is here. */
  isAbsent?: boolean | undefined;
}

/**
 * Finds the place of a declared object: in each slot in turn, looks at what is there or sends the create, and decides
 * on what it meets. The one way in which a create gets an object.
 */
export async function findPlace(
  operation: CreateOperation,
  inputs: Values,
  open: readonly CreateAttempt[],
): Promise<Placement> {
  const left = await findElsewhere(operation, inputs, open);
  const resumed = left && (await resolveConflict(operation, left.live, inputs, left));
  if (resumed) return resumed;
  for await (const slot of slotsOf(operation, inputs, open)) {
    const seen = await lookAt(operation, inputs, slot);
    const placed = seen.live
      ? await settle(operation, seen.live, inputs, seen)
      : await createAt(operation, inputs, { ...slot, isAbsent: seen.isAbsent });
    if (placed) return placed;
  }
  const { kind, fields } = operation.spec;
  throw new ModelPlatformError(`${kind} was not created: every automatic id of ${operation.call.hidden.urn} is taken`, {
    code: "no-free-id",
    advice: `Choose an id with \`${fields.resourceId?.name}\`.`,
  });
}

/** The slots of a declaration: one by a chosen id or a key; otherwise begun automatic ids, then all others in turn. */
async function* slotsOf(operation: Operation, inputs: Values, open: readonly CreateAttempt[]): AsyncGenerator<Slot> {
  const { spec, call, objects } = operation;
  if (idSourceOf(spec, inputs) !== "automatic") {
    const isBegun = open.some((each) => matchesDeclared(operation, inputs, each));
    yield { id: await firstId(operation, inputs), isBegun };
    return;
  }
  const begun = new Set(automaticIdsIn(operation, open));
  for (const id of begun) yield { id, isBegun: true };
  for (const attempt of attemptNumbers()) {
    const id = automaticId(call.hidden, objects.account, attempt);
    if (!begun.has(id)) yield { id, isBegun: false };
  }
}

const automaticIdsIn = (operation: Operation, open: readonly CreateAttempt[]): string[] =>
  open.flatMap(({ place }) => automaticNameIn(operation, place) ?? []).map(lastSegment);

/** The object of an attempt at an id that the program has since dropped, if it is certainly ours. */
async function findElsewhere(
  operation: Operation,
  inputs: Values,
  open: readonly CreateAttempt[],
): Promise<{ live: LiveObject; related: OwnershipMatch } | undefined> {
  if (idSourceOf(operation.spec, inputs) !== "automatic" || automaticIdsIn(operation, open).length > 0)
    return undefined;
  for (const attempt of open) {
    const name = nameOfAttempt(attempt);
    if (name === undefined || automaticNameIn(operation, { name }) !== undefined) continue;
    const live = await operation.objects.find(name);
    const related = live && (await classifyOwnership(operation, live, inputs));
    if (related && isUnrecorded(related.relation)) return { live, related };
  }
  return undefined;
}

/**
 * What is in the slot before anything is sent. The answer of the create itself shows what has an automatic id. With a
 * key, takes over what is there only after an interrupted run, or with the program's `adopt`.
 */
async function lookAt(operation: Operation, inputs: Values, { isBegun }: Slot): Promise<Sight> {
  if (idSourceOf(operation.spec, inputs) === "automatic") return {};
  if (!isBegun && !mayAdopt(inputs)) return { ...(await lookFirst(operation, inputs)), isUnexpected: true };
  const live = await findExisting(operation, inputs);
  return { live, isAbsent: live === undefined };
}

/** What was seen in a slot, if anything; or that the service was asked and nothing is there. */
type Sight = Omit<Meeting, "live"> & Pick<Slot, "isAbsent"> & { live?: LiveObject | undefined };

/** Longest time that a look delays a create, in milliseconds. */
const lookMs = 5_000;

/**
 * The live object that a create at a chosen id or natural key would meet: afterwards is too late if the service
 * overwrites objects. One look at the whole collection is enough for all creates; a larger one is asked for each name.
 * A look that fails changes nothing.
 */
async function lookFirst(operation: Operation, inputs: Values): Promise<Sight> {
  const { spec, ports, call } = operation;
  const { account } = operation.objects;
  await ports.verifyKey(account, call.signal);
  const deadline = Math.min(operation.deadline, ports.clock.now() + lookMs);
  const objects = operation.objectsOf(spec, account, { once: true, deadline });
  const { name, hasName, isIt } = declaredOf(operation, inputs);
  const { objects: listed, isWhole } = await objects.seenFirst();
  const seen = listed.find(isIt);
  if (!seen && isWhole) return { isAbsent: true };
  // What is listed may have been deleted since.
  const asked = seen?.name ?? name;
  if (asked === undefined) return {};
  if (askedByList.has(objects.shared)) return lookInList(operation, objects, isIt);
  try {
    const existing = await objects.find(asked, { absent: true });
    if (existing && isIt(existing)) return { live: existing };
    return { isAbsent: !existing && hasName };
  } catch (error) {
    // The create itself shows what fails; an interrupt is no failure.
    if (isAborted(error)) throw error;
    return isForbidden(error) || isUnsupportedOperation(error) ? lookInList(operation, objects, isIt) : {};
  }
}

/** Collections with a message that their objects cannot be asked about by name. */
const askedByList = new WeakSet<ObjectCollection>();

/** The list decides where the service answers no question by name. */
async function lookInList(
  { spec, call }: Operation,
  objects: Operation["objects"],
  isIt: (object: LiveObject) => boolean,
): Promise<Sight> {
  const listed = await objects.recent();
  if (!listed) return {};
  if (!askedByList.has(objects.shared))
    call.reporter.info(`${spec.kind}: the service answers no read by name, so its list shows whether an id is free.`);
  askedByList.add(objects.shared);
  const live = [...listed].find(isIt);
  return { live, isAbsent: !live };
}

/** An object in a slot, and how the create came to meet it. */
interface Meeting extends ConflictContext {
  live: LiveObject;
  /** Nothing but the create itself, or the look that it begins with, has shown it. */
  isUnexpected?: boolean;
}

/**
 * Sends the create to a slot until an object is in it or time is up. With a key, looks it up before each further
 * request (A092); an id without one is known to count, so that the client repeats the request itself.
 */
async function createAt(operation: CreateOperation, inputs: Values, slot: Slot): Promise<Placement | undefined> {
  const repetition = new CreateRetry(operation);
  let { id, isBegun: maySucceedLate } = slot;
  for (;;) {
    try {
      return { object: await send(operation, inputs, id, slot.isAbsent), adopted: false };
    } catch (error) {
      const isRefused = isInTheWay(error);
      if (!isRefused && !isAmbiguousOutcome(error)) throw error;
      const look = (): Promise<LiveObject | undefined> => findMet(operation, inputs, id);
      const isLate = maySucceedLate && isRefused;
      const live = await (isLate ? pollUntilVisible(operation, look) : look()).catch(rejectUnseen(operation, error));
      const isResponseLost = !slot.isBegun && (maySucceedLate || mayHaveCreated(error));
      if (live) return settle(operation, live, inputs, { error, isResponseLost, isUnexpected: isAlreadyExists(error) });
      if (idSourceOf(operation.spec, inputs) !== "key") throw error;
      if (isRefused) {
        const next = await chooseOtherId(operation, inputs, id);
        if (next === id) throw error;
        id = next;
      } else {
        await repetition.pause(error);
        maySucceedLate = true;
      }
    }
  }
}

/** Whether an object may be in the way. A change under way is not, unless an earlier request may have made it. */
const isInTheWay = (error: unknown): boolean =>
  isConflict(error) && (!isConcurrentChange(error) || mayHaveCreated(error));

/** What a create has met: by its key, or at its id, where a tombstone counts, too. */
const findMet = (operation: Operation, inputs: Values, id: string | undefined) =>
  idSourceOf(operation.spec, inputs) === "key" || id === undefined
    ? findExisting(operation, inputs)
    : operation.objects.find(operation.objects.nameOf(id));

/**
 * Decides on an object in a slot. Takes over what the service has created along with its host. Undefined: the create
 * goes on at the next id.
 */
async function settle(
  operation: CreateOperation,
  live: LiveObject,
  inputs: Values,
  { isUnexpected, ...conflict }: Omit<Meeting, "live">,
): Promise<Placement | undefined> {
  if (isUnexpected && (await coCreatedHost(operation, live, inputs))) return takeOver(operation, live, inputs);
  return resolveConflict(operation, live, inputs, conflict);
}

/**
 * The id that the program sets or that the key implies. Without a creation time, an id that another declaration has or
 * had is never reused: both would hold the new object.
 */
async function firstId(operation: Operation, inputs: Values): Promise<string | undefined> {
  const { spec, objects, call, resource } = operation;
  const id = chosenId(spec, inputs);
  if (id === undefined || hasChosenId(spec, inputs) || hasIdentityField(spec)) return id;
  const name = objects.nameOf(id);
  const history = await operation.history();
  const mine = declarationUrns(operation);
  const isForeign = (urn: string | undefined): boolean => urn !== undefined && !mine.has(urn);
  const isHeld =
    resource.otherHolderOf(name) !== undefined ||
    history.named(name).some(({ holder, createdBy }) => isForeign(holder ?? createdBy)) ||
    history.openAt({ name }).some(({ urn, isRefused }) => !isRefused && isForeign(urn));
  return isHeld ? automaticId(call.hidden, objects.account, 0) : id;
}

/** The id to use if an object with another natural key already has the one that this key implies. */
async function chooseOtherId(
  operation: Operation,
  inputs: Values,
  id: string | undefined,
): Promise<string | undefined> {
  const { objects, spec, call } = operation;
  if (id === undefined || hasChosenId(spec, inputs)) return id;
  const occupant = await objects.find(objects.nameOf(id));
  return occupant && naturalKey(spec, occupant) !== naturalKey(spec, inputs)
    ? automaticId(call.hidden, objects.account, 0)
    : id;
}

/** The live object with the id that the program sets, or with its natural key. */
export async function findExisting(operation: Operation, inputs: Values): Promise<LiveObject | undefined> {
  const { objects } = operation;
  const { name, key, isIt } = declaredOf(operation, inputs);
  const named = name === undefined ? undefined : await objects.find(name);
  if (named && isIt(named)) return named;
  if (key === undefined) return undefined;
  for await (const object of objects.list()) if (isIt(object)) return object;
  return undefined;
}

/** What these inputs declare: its name and natural key, and whether a live object is it. */
function declaredOf({ spec, objects }: Operation, inputs: Values) {
  const id = chosenId(spec, inputs);
  const name = id === undefined ? undefined : objects.nameOf(id);
  const key = naturalKey(spec, inputs);
  const hasName = key === undefined || hasChosenId(spec, inputs);
  const isIt = (object: LiveObject): boolean =>
    ((hasName && object.name === name) || (key !== undefined && naturalKey(spec, object) === key)) &&
    phaseOf(spec.lifecycle, object) !== "gone";
  return { name, key, hasName, isIt };
}

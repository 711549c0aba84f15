import { hasIdentityField } from "../../core/comparison/accepted";
import { phaseOf } from "../../core/declaration/states";
import { isAlreadyExists, isAmbiguousOutcome, ModelPlatformError, mayHaveCreated } from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import { attemptNumbers, automaticId, chosenId, hasChosenId, type IdSource, naturalKey } from "../identity";
import { type CreateAttempt, nameOfAttempt } from "../journal/history";
import { type CreateOperation, type ResourceOperation, requestOptions } from "../operation/operation";
import { automaticNameIn, declarationUrns, historyFor, matchesDeclared } from "../ownership/facts";
import { classifyOwnership, type OwnershipMatch } from "../ownership/relation";
import { isUnrecorded } from "../ownership/verdicts";
import { coCreatedHost } from "../patching/guests";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { lookFirst } from "./first-look";
import { findConflicting, pollUntilVisible, rejectUnseen } from "./recovery";
import { CreateRetry, send } from "./send";
import { resolveConflict } from "./settle";
import { mayAdopt, type Placement, takeOver } from "./take-over";

/** Sends the create for an object, and settles with another one that is in its place. */
type CreateStrategy = (
  operation: CreateOperation,
  inputs: Values,
  open: readonly CreateAttempt[],
) => Promise<Placement>;

/** How the object gets its name. */
export const createStrategies: Readonly<Record<IdSource, CreateStrategy>> = {
  automatic: createWithAutomaticId,
  chosen: createWithChosenId,
  key: createByNaturalKey,
};

async function createWithChosenId(
  operation: CreateOperation,
  inputs: Values,
  open: readonly CreateAttempt[],
): Promise<Placement> {
  const id = chosenId(operation.spec, inputs)!;
  const name = operation.objects.nameOf(id);
  const isBegun = open.some((each) => matchesDeclared(operation, inputs, each));
  const existing =
    isBegun || mayAdopt(inputs)
      ? await operation.objects.find(name, requestOptions(operation))
      : await lookFirst(operation, inputs);
  if (existing && phaseOf(operation.spec.lifecycle, existing) !== "gone")
    return (await resolveConflict(operation, existing, inputs))!;
  try {
    return { object: await send(operation, inputs, id), adopted: false };
  } catch (error) {
    const conflicting = await findConflicting(operation, name, error);
    const isResponseLost = !isBegun && mayHaveCreated(error);
    return (await resolveConflict(operation, conflicting, inputs, { error, isResponseLost }))!;
  }
}

/**
 * Creates an object at the first free automatic id of this declaration, or finds the one that an interrupted run
 * created.
 */
async function createWithAutomaticId(
  operation: CreateOperation,
  inputs: Values,
  open: readonly CreateAttempt[],
): Promise<Placement> {
  const { call, objects } = operation;
  const begunIds = open.flatMap(({ place }) => automaticNameIn(operation, place) ?? []).map(lastSegment);
  const elsewhere = begunIds.length > 0 ? undefined : await findElsewhere(operation, inputs, open);
  const resumed = elsewhere && (await resolveConflict(operation, elsewhere.live, inputs, elsewhere));
  if (resumed) return resumed;
  for (const id of idsToTry(operation, begunIds)) {
    try {
      return { object: await send(operation, inputs, id), adopted: false };
    } catch (error) {
      const existing = await findConflicting(operation, objects.nameOf(id), error);
      const isResponseLost = mayHaveCreated(error) && !begunIds.includes(id);
      const placed = await resolveConflict(operation, existing, inputs, { error, isResponseLost });
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
): Promise<{ live: LiveObject; related: OwnershipMatch } | undefined> {
  for (const attempt of open) {
    const name = nameOfAttempt(attempt);
    if (name === undefined || automaticNameIn(operation, { name }) !== undefined) continue;
    const live = await operation.objects.find(name, requestOptions(operation));
    const related = live && (await classifyOwnership(operation, live, inputs));
    if (related && isUnrecorded(related.relation)) return { live, related };
  }
  return undefined;
}

function* idsToTry({ call, objects }: ResourceOperation, begun: readonly string[]): Generator<string> {
  const first = new Set(begun);
  yield* first;
  for (const attempt of attemptNumbers()) {
    const id = automaticId(call.hidden, objects.account, attempt);
    if (!first.has(id)) yield id;
  }
}

/**
 * Creates an object whose natural key is unique in the account. An existing one is taken over where an interrupted run
 * created it, or with the program's `adopt`, never otherwise.
 */
async function createByNaturalKey(
  operation: CreateOperation,
  inputs: Values,
  open: readonly CreateAttempt[],
): Promise<Placement> {
  const key = naturalKey(operation.spec, inputs);
  const isBegun = open.some((each) => matchesDeclared(operation, inputs, each));
  const mustLook = isBegun || mayAdopt(inputs) || (await keyWasListedRecently(operation, key));
  const existing = mustLook ? await findExisting(operation, inputs) : undefined;
  if (existing) return (await resolveConflict(operation, existing, inputs))!;
  const standing = mustLook ? undefined : await lookFirst(operation, inputs);
  if (standing) return settleAtKey(operation, standing, inputs);
  return createUntilResolved(operation, inputs, {
    id: await firstId(operation, inputs),
    lost: isBegun ? "before" : undefined,
  });
}

/**
 * The id that the program gives or that the key implies. Objects without a creation time never get the id
 * that another declaration has or had: where that one's object is gone, the two would hold the same one from then on.
 */
async function firstId(operation: ResourceOperation, inputs: Values): Promise<string | undefined> {
  const { spec, objects, call, ports } = operation;
  const id = chosenId(spec, inputs);
  if (id === undefined || hasChosenId(spec, inputs) || hasIdentityField(spec)) return id;
  const name = objects.nameOf(id);
  const history = await historyFor(operation);
  const mine = declarationUrns(operation);
  const isForeign = (urn: string | undefined): boolean => urn !== undefined && !mine.has(urn);
  const isHeld =
    ports.claims.otherHolderOf(name, call.hidden.urn) !== undefined ||
    history.named(name).some(({ holder, createdBy }) => isForeign(holder ?? createdBy)) ||
    history.openAt({ name }).some(({ urn, isRefused }) => !isRefused && isForeign(urn));
  return isHeld ? automaticId(call.hidden, objects.account, 0) : id;
}

/**
 * Whether an object of that key was there a moment ago. Only for kinds without a creation time:
 * of these, one that stood before the create would pass for its result where the answer is lost.
 */
async function keyWasListedRecently(operation: ResourceOperation, key: string | undefined): Promise<boolean> {
  const { spec, objects } = operation;
  if (hasIdentityField(spec)) return false;
  for (const object of (await objects.recent(requestOptions(operation))) ?? [])
    if (naturalKey(spec, object) === key) return true;
  return false;
}

interface CreateTry {
  id: string | undefined;
  /** An earlier request may have been carried out: of an interrupted run before, or of this one. */
  lost: "before" | "now" | undefined;
}

/** Sends the create until an object has its key or its time is over, each time after looking the key up (A092). */
async function createUntilResolved(operation: CreateOperation, inputs: Values, first: CreateTry): Promise<Placement> {
  const repetition = new CreateRetry(operation);
  for (let { id, lost } = first; ; ) {
    try {
      return { object: await send(operation, inputs, id), adopted: false };
    } catch (error) {
      const isRefused = isAlreadyExists(error);
      if (!isRefused && !isAmbiguousOutcome(error)) throw error;
      const poll = () => findExisting(operation, inputs);
      const isLate = lost !== undefined && isRefused;
      const existing = await (isLate ? pollUntilVisible(operation, poll) : poll()).catch(
        rejectUnseen(operation, error),
      );
      if (existing) return decideOn(operation, existing, inputs, { error, lost });
      if (isRefused) {
        const next = await chooseOtherId(operation, inputs, id);
        if (next === id) throw error;
        id = next;
      } else {
        await repetition.pause(error);
        lost ??= "now";
      }
    }
  }
}

/** What happens to the object that a create has met. */
async function decideOn(
  operation: CreateOperation,
  existing: LiveObject,
  inputs: Values,
  { error, lost }: { error: unknown; lost: CreateTry["lost"] },
): Promise<Placement> {
  const isResponseLost = lost === "now" || (lost === undefined && mayHaveCreated(error));
  if (isAlreadyExists(error)) return settleAtKey(operation, existing, inputs, { error, isAnswerLost: isResponseLost });
  return (await resolveConflict(operation, existing, inputs, { error, isResponseLost }))!;
}

/** What the service has created along with its host is taken over. */
async function settleAtKey(
  operation: CreateOperation,
  found: LiveObject,
  inputs: Values,
  met?: { error: unknown; isAnswerLost: boolean },
): Promise<Placement> {
  if (await coCreatedHost(operation, found, inputs)) return takeOver(operation, found, inputs);
  return (await resolveConflict(operation, found, inputs, met))!;
}

/** The id to use if an object with another natural key already has the one that this key implies. */
async function chooseOtherId(
  operation: ResourceOperation,
  inputs: Values,
  id: string | undefined,
): Promise<string | undefined> {
  const { objects, spec, call } = operation;
  if (id === undefined || hasChosenId(spec, inputs)) return id;
  const occupant = await objects.find(objects.nameOf(id), requestOptions(operation));
  return occupant && naturalKey(spec, occupant) !== naturalKey(spec, inputs)
    ? automaticId(call.hidden, objects.account, 0)
    : id;
}

/** The live object with the id that the program gives, or with its natural key. */
export async function findExisting(operation: ResourceOperation, inputs: Values): Promise<LiveObject | undefined> {
  const { objects, spec } = operation;
  const id = chosenId(spec, inputs);
  const named = id === undefined ? undefined : await objects.find(objects.nameOf(id), requestOptions(operation));
  const key = naturalKey(spec, inputs);
  const isIt = named && (key === undefined || hasChosenId(spec, inputs) || naturalKey(spec, named) === key);
  if (isIt && phaseOf(spec.lifecycle, named) !== "gone") return named;
  if (key === undefined) return undefined;
  for await (const object of objects.list(requestOptions(operation))) {
    if (naturalKey(spec, object) === key && phaseOf(spec.lifecycle, object) !== "gone") return object;
  }
  return undefined;
}

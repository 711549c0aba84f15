import { hasIdentityField } from "../../core/comparison/accepted";
import { optionsIn } from "../../core/declaration/own-fields";
import { phaseOf } from "../../core/declaration/states";
import { isAlreadyExists, isAmbiguousOutcome, ModelPlatformError, mayHaveCreated } from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import { coCreatedHost } from "../changes/hosting";
import { importing, objectCommand, recoveringUp, replacing, stackCommand } from "../commands";
import { type CreateAttempt, nameOfAttempt } from "../memory/history";
import {
  aliasText,
  attemptNumbers,
  automaticId,
  chosenId,
  hasChosenId,
  type IdSource,
  idSourceOf,
  naturalKey,
} from "../memory/identity";
import { type CreateOperation, describeObject, type ResourceOperation, requestOptions } from "../operation";
import {
  automaticNameIn,
  declarationUrns,
  endRefused,
  historyFor,
  isInState,
  matchesDeclared,
  writeObjectFact,
} from "../ownership/journal";
import { assertNotForeign } from "../ownership/owner";
import { classifyOwnership, type OwnershipMatch } from "../ownership/relation";
import { decideCreate, isUnrecorded } from "../ownership/verdicts";
import type { LiveObject } from "../ports";
import type { Values } from "../types";
import { lookFirst } from "./first-look";
import { CreateRetry, findConflicting, orphanText, pollUntilVisible, rejectUnseen, send } from "./send";
import { adopt, assertNotHeld, mayAdopt, orDelete, type Placement, replaceTombstone, takeOver } from "./take-over";

/** How a create came to meet an existing object. */
interface ConflictContext {
  error?: unknown;
  /** The relation, if it is already known. */
  related?: OwnershipMatch;
  /** This request, or an earlier one of this create, may have created the object. */
  isResponseLost?: boolean;
}

/**
 * Resolves the conflict of a create with a live object, for every source of ids: the only place that carries out
 * `createRules`. Undefined: the object is left, and the create goes on at the next id.
 */
async function resolveConflict(
  operation: CreateOperation,
  live: LiveObject,
  inputs: Values,
  { error, isResponseLost = false, related: known }: ConflictContext = {},
): Promise<Placement | undefined> {
  const related = known ?? (await classifyOwnership(operation, live, inputs, { isResponseLost }));
  const { adopt: mode = "never" } = optionsIn(inputs);
  const { recover } = operation.ports.settings;
  const id = idSourceOf(operation.spec, inputs);
  const verdict = decideCreate(related.relation, { id, adopt: mode, recover });
  if (verdict !== "ask") await endRefused(operation, live);
  switch (verdict) {
    case "next":
      return undefined;
    case "nameAndNext":
      return void nameLeft(operation, live, related);
    case "keep":
      await writeObjectFact(operation, "made", live);
      return { object: live, adopted: false };
    case "takeOver":
      return takeOverAttempted(operation, live, inputs);
    case "takeBack":
      return reclaimObject(operation, live, inputs, related);
    case "adopt":
      return adopt(operation, live, inputs, { mode });
    case "retake":
      return adopt(operation, live, inputs, { mode, isOwn: !related.object?.adopted });
    case "revive":
      return replaceTombstone(operation, live, inputs);
    case "ask":
      throw questionAbout(operation, live, { id, because: related.because, cause: error });
    case "refuse":
      return throwConflict(operation, live, related);
  }
}

/** Reports an object that `recover` leaves. */
function nameLeft(operation: CreateOperation, live: LiveObject, { relation }: OwnershipMatch): void {
  const { call } = operation;
  if (isUnrecorded(relation)) return call.reporter.warn(orphanText(operation, live.name, live));
  call.reporter.info(
    `${describeObject(operation, live.name)} has the automatic id of this declaration; it is left as it is, and another is created.`,
  );
}

/** Takes over the result of an interrupted run. Records it first, so that a failed take-over is continued. */
async function takeOverAttempted(operation: CreateOperation, live: LiveObject, inputs: Values): Promise<Placement> {
  await writeObjectFact(operation, "made", live);
  const placement = await takeOver(operation, live, inputs);
  operation.call.reporter.warn(
    `${describeObject(operation, live.name)} was left by an interrupted run and is taken over.`,
  );
  return placement;
}

/** Reclaims an object that a state held for this declaration, or for the declaration of that URN. */
export async function reclaimObject(
  operation: CreateOperation,
  live: LiveObject,
  inputs: Values,
  { urn, object }: Pick<OwnershipMatch, "urn" | "object">,
): Promise<Placement> {
  const was =
    urn === undefined ? "was this resource before, and is so again" : `was ${urn} before, and is this resource now`;
  const placement = await takeOver(operation, live, inputs);
  operation.call.reporter.warn(`${describeObject(operation, live.name)} ${was}.`);
  return { ...placement, adopted: object?.adopted === true };
}

type ConflictError = (operation: ResourceOperation, live: LiveObject, related: OwnershipMatch) => ModelPlatformError;

/** The object exists, and no record ties it to this stack. */
export const existsError = (operation: ResourceOperation, { name }: LiveObject): ModelPlatformError =>
  new ModelPlatformError(
    `${describeObject(operation, name)} already exists, and nothing shows that this declaration created it`,
    {
      advice: `Look at it with ${objectCommand("get", operation.spec, name)}. If this program is to manage it, set \`adopt: "ifEqual"\`, which takes it over as it is, or \`adopt: "overwrite"\`, which changes it; otherwise choose another id. Then run ${stackCommand(operation, "up")}.`,
      topic: "the-object-already-exists",
    },
  );

const leftError: ConflictError = (operation, { name }) =>
  new ModelPlatformError(
    `${describeObject(operation, name)} was left by an interrupted run of this declaration, and \`recover: new\` leaves it at its id`,
    {
      advice: `To take it over, run ${recoveringUp(operation, "take")}. Otherwise choose another id${orDelete(operation.spec, name)}.`,
      topic: "an-interrupted-run-left-an-object",
    },
  );

const createdError: ConflictError = (operation, live, related) =>
  related.object?.adopted
    ? existsError(operation, live)
    : new ModelPlatformError(
        `${describeObject(operation, live.name)} was already created by this declaration, and only one such object can exist at a time`,
        {
          advice: `${waysOfReplacing(operation, live.name)}, or choose another id.`,
          topic: "the-object-already-exists",
        },
      );

/** What the state has is to be replaced, and what it has lost comes back; an engine that can be asked tells which. */
function waysOfReplacing(operation: ResourceOperation, name: string): string {
  const isHeld = isInState(operation, name);
  const replace = `set \`deleteBeforeReplace: true\` and run ${stackCommand(operation, "up", ...replacing(operation))}`;
  const back = `run ${recoveringUp(operation, "take")}`;
  if (isHeld === undefined) return `To replace it, ${replace}. If the state has lost it, ${back}`;
  return isHeld
    ? `To replace it, ${replace}`
    : `The state has lost it. To have it back, ${back}, or import it with ${importing(operation, operation.spec, name)}`;
}

function siblingError(otherwise: string): ConflictError {
  return (operation, { name }, { urn = "" }) =>
    new ModelPlatformError(`${describeObject(operation, name)} already exists: this stack created it as ${urn}`, {
      advice: `If it was renamed, give it \`${aliasText(urn, operation.call.hidden.urn)}\`; otherwise ${otherwise}. Then run ${stackCommand(operation, "up")}.`,
      topic: "another-declaration-has-the-object",
    });
}

const conflictErrors: Partial<Record<OwnershipMatch["relation"], ConflictError>> = {
  begun: leftError,
  likely: leftError,
  recorded: createdError,
  former: createdError,
  siblingHeld: siblingError("choose another id"),
  siblingBegun: siblingError('set `adopt: "overwrite"`'),
};

/** Rejects: the object stays as it is, and only the program or a person can change that. */
function throwConflict(operation: ResourceOperation, live: LiveObject, related: OwnershipMatch): never {
  assertNotForeign(operation, live);
  assertNotHeld(operation, live.name);
  throw (conflictErrors[related.relation] ?? existsError)(operation, live, related);
}

/** The error for an object that may be this declaration's: the user decides. */
function questionAbout(
  operation: ResourceOperation,
  live: LiveObject,
  { id, because, cause }: { id: IdSource; because: OwnershipMatch["because"]; cause: unknown },
): ModelPlatformError {
  const title = describeObject(operation, live.name);
  const topic = "an-interrupted-run-left-an-object";
  if (because === "refused")
    return new ModelPlatformError(
      `${title} was created while this create was under way and shows exactly what was sent, and the service refused the create because it exists`,
      {
        advice: answersTo(operation, id),
        topic,
        cause,
      },
    );
  if (because === "state")
    return new ModelPlatformError(
      `${title} exists. An interrupted run of this stack began to create it, and nothing shows whether this is the object of that run`,
      { advice: answersTo(operation, id), topic, cause },
    );
  return id === "automatic"
    ? new ModelPlatformError(
        `${title}, created at ${String(live["createTime"])}, was not taken over: it has the automatic id of this declaration, but nothing shows that this declaration created it`,
        {
          advice: answersTo(operation, id),
          topic,
          cause,
        },
      )
    : new ModelPlatformError(
        `${title} was created while this declaration's create was under way, and does not show exactly what was sent`,
        {
          advice: answersTo(operation, id),
          topic,
          cause,
        },
      );
}

/** What a person answers to the question whether an object is this declaration's. */
const answersTo = (operation: ResourceOperation, id: IdSource): string =>
  `If it is yours, take it over with ${recoveringUp(operation, "take")}; if not, ${id === "automatic" ? `leave it and create another with ${recoveringUp(operation, "new")}` : "choose another id"}.`;

/** Sends the create, and resolves a conflict with an existing object. */
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
 * Creates an object at the first free automatic id of this declaration, or takes over the result of an interrupted run.
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

/** The object of an attempt at an id that the program has since dropped, if it is certainly ours. */
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
 * Creates an object whose natural key is unique in the account. Takes over an existing one only after an interrupted
 * run, or with the program's `adopt`.
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
 * The id that the program sets or that the key implies. Without a creation time, an id that another declaration has or
 * had is never reused: both would hold the new object.
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
 * Whether a list showed an object of that key a moment ago. Only for kinds without a creation time: an older object
 * would pass for the result of a create whose response is lost.
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
  /** An earlier request may have succeeded: one of an interrupted run, or of this one. */
  lost: "before" | "now" | undefined;
}

/** Sends the create until an object has its key or time is up. Looks up the key before each request (A092). */
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

/** Decides what happens to an existing object. */
async function decideOn(
  operation: CreateOperation,
  existing: LiveObject,
  inputs: Values,
  { error, lost }: { error: unknown; lost: CreateTry["lost"] },
): Promise<Placement> {
  const isResponseLost = lost === "now" || (lost === undefined && mayHaveCreated(error));
  if (isAlreadyExists(error)) return settleAtKey(operation, existing, inputs, { error, isResponseLost });
  return (await resolveConflict(operation, existing, inputs, { error, isResponseLost }))!;
}

/** Takes over what the service created along with its host; resolves any other conflict. */
async function settleAtKey(
  operation: CreateOperation,
  live: LiveObject,
  inputs: Values,
  conflict?: ConflictContext,
): Promise<Placement> {
  if (await coCreatedHost(operation, live, inputs)) return takeOver(operation, live, inputs);
  return (await resolveConflict(operation, live, inputs, conflict))!;
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

/** The live object with the id that the program sets, or with its natural key. */
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

import { optionsIn } from "../../core/declaration/own-fields";
import type { ErrorCode } from "../../core/error-codes";
import { ModelPlatformError } from "../../core/errors";
import { importing, objectCommand, recoveringUp, replacing, stackCommand } from "../commands";
import { aliasText, type IdSource, idSourceOf } from "../memory/identity";
import type { CreateOperation, Operation } from "../operation";
import { endRefused, isInState, writeObjectFact } from "../ownership/journal";
import { assertNotForeign } from "../ownership/owner";
import { classifyOwnership, type OwnershipMatch } from "../ownership/relation";
import { decideCreate, isUnrecorded } from "../ownership/verdicts";
import type { LiveObject } from "../ports";
import type { Values } from "../types";
import { orphanText } from "./orphans";
import { adopt, assertNotHeld, orDelete, type Placement, replaceTombstone, takeOver } from "./take-over";

/** How a create came to meet an existing object. */
export interface ConflictContext {
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
export async function resolveConflict(
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
  if (isUnrecorded(relation)) return call.reporter.warn(orphanText(operation, live.name, { live }));
  call.reporter.info(
    `${operation.title(live.name)} has the automatic id of this declaration; it is left as it is, and another is created.`,
  );
}

/** Takes over the result of an interrupted run. Records it first, so that a failed take-over is continued. */
async function takeOverAttempted(operation: CreateOperation, live: LiveObject, inputs: Values): Promise<Placement> {
  await writeObjectFact(operation, "made", live);
  const placement = await takeOver(operation, live, inputs);
  operation.call.reporter.warn(`${operation.title(live.name)} was left by an interrupted run and is taken over.`);
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
  operation.call.reporter.warn(`${operation.title(live.name)} ${was}.`);
  return { ...placement, adopted: object?.adopted === true };
}

type ConflictError = (operation: Operation, live: LiveObject, related: OwnershipMatch) => ModelPlatformError;

/** The object exists, and no record ties it to this stack. */
export const existsError = (operation: Operation, { name }: LiveObject): ModelPlatformError =>
  new ModelPlatformError(
    `${operation.title(name)} already exists, and nothing shows that this declaration created it`,
    {
      code: "already-exists",
      about: { object: name },
      answers: operation.spec.singleton
        ? { adopt: ["ifEqual", "overwrite"] }
        : { adopt: ["ifEqual", "overwrite"], otherId: true },
      advice: `Look at it with ${objectCommand("get", operation.spec, name)}. If this program is to manage it, set \`adopt: "ifEqual"\`, which takes it over as it is, or \`adopt: "overwrite"\`, which changes it; otherwise choose another id. Then run ${stackCommand(operation, "up")}.`,
      topic: "the-object-already-exists",
    },
  );

const leftError: ConflictError = (operation, { name }) =>
  new ModelPlatformError(
    `${operation.title(name)} was left by an interrupted run of this declaration, and \`recover: new\` leaves it at its id`,
    {
      code: "left-at-its-id",
      about: { object: name },
      answers: { recover: ["take"], otherId: true, delete: true },
      advice: `To take it over, run ${recoveringUp(operation, "take")}. Otherwise choose another id${orDelete(operation.spec, name)}.`,
      topic: "an-interrupted-run-left-an-object",
    },
  );

const createdError: ConflictError = (operation, live, related) =>
  related.object?.adopted
    ? existsError(operation, live)
    : new ModelPlatformError(
        `${operation.title(live.name)} was already created by this declaration, and only one such object can exist at a time`,
        {
          code: "already-created",
          about: { object: live.name },
          answers: {
            ...(isInState(operation, live.name) !== true && { recover: ["take"] }),
            deleteBeforeReplace: true,
            otherId: true,
          },
          advice: `${waysOfReplacing(operation, live.name)}, or choose another id.`,
          topic: "the-object-already-exists",
        },
      );

/** What the state has is to be replaced, and what it has lost comes back; an engine that can be asked tells which. */
function waysOfReplacing(operation: Operation, name: string): string {
  const isHeld = isInState(operation, name);
  const replace = `set \`deleteBeforeReplace: true\` and run ${stackCommand(operation, "up", ...replacing(operation))}`;
  const back = `run ${recoveringUp(operation, "take")}`;
  if (isHeld === undefined) return `To replace it, ${replace}. If the state has lost it, ${back}`;
  return isHeld
    ? `To replace it, ${replace}`
    : `The state has lost it. To have it back, ${back}, or import it with ${importing(operation, operation.spec, name)}`;
}

/** What ends a conflict with an object of another resource that keeps it. */
const words = { otherId: "choose another id", adopt: 'set `adopt: "overwrite"`' } as const;

function siblingError(way: keyof typeof words): ConflictError {
  const otherwise = way === "adopt" ? { adopt: ["overwrite"] as const } : { otherId: true as const };
  return (operation, { name }, { urn = "" }) =>
    new ModelPlatformError(`${operation.title(name)} already exists: this stack created it as ${urn}`, {
      code: "created-as-another",
      about: { object: name, resource: urn },
      answers: { alias: urn, ...otherwise },
      advice: `If it was renamed, give it \`${aliasText(urn, operation.call.hidden.urn)}\`; otherwise ${words[way]}. Then run ${stackCommand(operation, "up")}.`,
      topic: "another-declaration-has-the-object",
    });
}

const conflictErrors: Partial<Record<OwnershipMatch["relation"], ConflictError>> = {
  begun: leftError,
  likely: leftError,
  recorded: createdError,
  former: createdError,
  siblingNow: siblingError("otherId"),
  siblingHeld: siblingError("otherId"),
  siblingBegun: siblingError("adopt"),
};

/** Rejects: the object stays as it is, and only the program or a person can change that. */
function throwConflict(operation: Operation, live: LiveObject, related: OwnershipMatch): never {
  assertNotForeign(operation, live);
  assertNotHeld(operation, live.name);
  throw (conflictErrors[related.relation] ?? existsError)(operation, live, related);
}

/** The error for an object that may be this declaration's: the user decides. */
const questionAbout = (
  operation: Operation,
  live: LiveObject,
  { id, because, cause }: { id: IdSource; because: OwnershipMatch["because"]; cause: unknown },
): ModelPlatformError =>
  new ModelPlatformError(`${operation.title(live.name)}${doubtAbout(live, id, because)}`, {
    code: doubtCode(id, because),
    about: { object: live.name },
    answers: id === "automatic" ? { recover: ["take", "new"] } : { recover: ["take"], otherId: true },
    advice: answersTo(operation, id),
    topic: "an-interrupted-run-left-an-object",
    cause,
  });

function doubtCode(id: IdSource, because: OwnershipMatch["because"]): ErrorCode {
  if (because === "refused") return "refused-because-of";
  if (because === "state") return "begun-by-state";
  return id === "automatic" ? "automatic-id-exists" : "created-meanwhile";
}

/** What is known of the object, and what is not. */
function doubtAbout({ createTime }: LiveObject, id: IdSource, because: OwnershipMatch["because"]): string {
  if (because === "refused")
    return " was created while this create was under way and shows exactly what was sent, and the service refused the create because it exists";
  if (because === "state")
    return " exists. An interrupted run of this stack began to create it, and nothing shows whether this is the object of that run";
  return id === "automatic"
    ? `, created at ${String(createTime)}, was not taken over: it has the automatic id of this declaration, but nothing shows that this declaration created it`
    : " was created while this declaration's create was under way, and does not show exactly what was sent";
}

/** What a person answers to the question whether an object is this declaration's. */
const answersTo = (operation: Operation, id: IdSource): string =>
  `If it is yours, take it over with ${recoveringUp(operation, "take")}; if not, ${id === "automatic" ? `leave it and create another with ${recoveringUp(operation, "new")}` : "choose another id"}.`;

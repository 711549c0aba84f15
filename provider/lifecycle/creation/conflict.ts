import { optionsIn } from "../../core/declaration/own-fields";
import type { ErrorAnswers, ErrorCode } from "../../core/error-codes";
import { ModelPlatformError } from "../../core/errors";
import { importing, objectCommand, recoveringUp, replacing, stackCommand } from "../commands";
import { aliasText, type IdSource, idSourceOf } from "../memory/identity";
import type { CreateOperation, Operation } from "../operation";
import { endRefused, identityOf, isInState, otherStackWith, writeObjectFact } from "../ownership/journal";
import { assertNotElsewhere, laterHolderOf, laterHolderText, warnOfLaterHolder } from "../ownership/other-stacks";
import { assertNotForeign } from "../ownership/owner";
import { classifyOwnership, type OwnershipMatch } from "../ownership/relation";
import { answersTo, type CreateVerdict, decideCreate, isUnrecorded, type Situation } from "../ownership/verdicts";
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
  const situation = { id, adopt: mode, recover };
  const verdict = decideCreate(related.relation, situation);
  const isAsked = mayBeElsewhere(related, verdict);
  if (isAsked) {
    if (id === "automatic" && (await otherStackWith(operation, identityOf(live)))) return undefined;
    await assertNotElsewhere(operation, identityOf(live), "taken", { otherId: true });
  }
  const later = isAsked ? await laterHolderOf(operation, live) : undefined;
  const placement = await carryOut(operation, live, inputs, { ...related, situation, verdict, cause: error, later });
  if (placement && later !== undefined) warnOfLaterHolder(operation, live, later);
  // Only an answer that was carried out decides what a refused create has left open.
  await endRefused(operation, live);
  // A resource that the program registers later may be recorded with it: its diff has to know.
  if (placement && related.urn !== undefined) operation.resource.noteTaken(identityOf(placement.object));
  return placement;
}

/** Whether another stack may have it: not what the state at hand records, nor what the create leaves alone. */
const mayBeElsewhere = ({ relation }: OwnershipMatch, verdict: CreateVerdict): boolean =>
  verdict !== "keep" && verdict !== "next" && relation !== "recorded" && relation !== "siblingNow";

async function carryOut(
  operation: CreateOperation,
  live: LiveObject,
  inputs: Values,
  related: Refusal & { verdict: CreateVerdict; cause: unknown },
): Promise<Placement | undefined> {
  const { situation, verdict, cause } = related;
  const { adopt: mode } = situation;
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
      // What may be another stack's is retained when the declaration goes.
      return adopt(operation, live, inputs, { mode, isOwn: !related.object?.adopted && related.later === undefined });
    case "revive":
      return replaceTombstone(operation, live, inputs);
    case "ask":
      throw questionAbout(operation, live, { ...related, cause });
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

/** What a refused create has met, and what its answer depended on. */
interface Refusal extends OwnershipMatch {
  situation: Situation;
  /** The resource of another stack that has held it since. */
  later: string | undefined;
}

type ConflictError = (operation: Operation, live: LiveObject, refusal: Refusal) => ModelPlatformError;

const anyAdopt: ErrorAnswers = { adopt: ["ifEqual", "overwrite"] };

/** The object exists, and no record ties it to this stack. */
export const existsError = (
  operation: Operation,
  { name }: LiveObject,
  answers: ErrorAnswers = operation.spec.singleton ? anyAdopt : { ...anyAdopt, otherId: true },
): ModelPlatformError =>
  new ModelPlatformError(
    `${operation.title(name)} already exists, and nothing shows that this declaration created it`,
    {
      code: "already-exists",
      about: { object: name },
      answers,
      advice: `Look at it with ${objectCommand("get", operation.spec, name)}. ${oneOf(waysOf(operation, answers))}. Then run ${stackCommand(operation, "up")}.`,
      topic: "the-object-already-exists",
    },
  );

const unknownError: ConflictError = (operation, live, { relation, situation }) =>
  existsError(operation, live, answersTo(relation, situation));

const adoptText = 'set `adopt: "ifEqual"` to manage it as it is, or `adopt: "overwrite"` to change it';

/** What to do for each of these answers, in the order in which a person tries them, as parts of a sentence. */
function waysOf(operation: Operation, { adopt, recover, otherId }: ErrorAnswers): string[] {
  return [
    ...(adopt ? [adoptText] : []),
    ...(recover?.includes("take") ? [`if nobody else has it, ${recoveringUp(operation, "take")} takes it over`] : []),
    ...(otherId ? ["choose another id"] : []),
  ];
}

const oneOf = (ways: readonly string[]): string => {
  const text = ways.length < 2 ? ways.join("") : `${ways.slice(0, -1).join("; ")}; or ${ways.at(-1)}`;
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
};

const leftError: ConflictError = (operation, { name }, { relation, situation }) => {
  const answers = answersTo(relation, situation);
  return new ModelPlatformError(
    `${operation.title(name)} was left by an interrupted run of this declaration, and \`recover: new\` leaves it at its id`,
    {
      code: "left-at-its-id",
      about: { object: name },
      answers: { ...answers, delete: true },
      advice: `${oneOf(waysOf(operation, answers))}${orDelete(operation.spec, name)}.`,
      topic: "an-interrupted-run-left-an-object",
    },
  );
};

const createdError: ConflictError = (operation, live, refusal) => {
  if (refusal.object?.adopted) return unknownError(operation, live, refusal);
  const answers = answersTo(refusal.relation, refusal.situation);
  const isLost = isInState(operation, live.name) === false;
  return new ModelPlatformError(
    `${operation.title(live.name)} was already created by this declaration, and only one such object can exist at a time${laterHolderText(refusal.later)}`,
    {
      code: "already-created",
      about: { object: live.name },
      answers: { ...answers, ...(!isLost && { deleteBeforeReplace: true }) },
      advice: `${wayOfReplacing(operation, live.name, isLost)}. ${oneOf(waysOf(operation, answers))}.`,
      topic: "the-object-already-exists",
    },
  );
};

/** What the state has is to be replaced, and what it has lost comes back; an engine that can be asked tells which. */
function wayOfReplacing(operation: Operation, name: string, isLost: boolean): string {
  return isLost
    ? `The state has lost it. To have it back, import it with ${importing(operation, operation.spec, name)}`
    : `To replace it, set \`deleteBeforeReplace: true\` and run ${stackCommand(operation, "up", ...replacing(operation))}`;
}

const siblingError: ConflictError = (operation, { name }, { urn = "", relation, situation }) => {
  const answers = answersTo(relation, situation);
  return new ModelPlatformError(`${operation.title(name)} already exists: this stack created it as ${urn}`, {
    code: "created-as-another",
    about: { object: name, resource: urn },
    answers: { ...answers, alias: urn },
    advice: `If it was renamed, give it \`${aliasText(urn, operation.call.hidden.urn)}\`. ${oneOf(waysOf(operation, answers))}. Then run ${stackCommand(operation, "up")}.`,
    topic: "another-declaration-has-the-object",
  });
};

const conflictErrors: Partial<Record<OwnershipMatch["relation"], ConflictError>> = {
  begun: leftError,
  likely: leftError,
  recorded: createdError,
  former: createdError,
  siblingNow: siblingError,
  siblingHeld: siblingError,
  siblingBegun: siblingError,
};

/** Rejects: the object stays as it is, and only the program or a person can change that. */
function throwConflict(operation: Operation, live: LiveObject, refusal: Refusal): never {
  assertNotForeign(operation, live);
  assertNotHeld(operation, live.name);
  throw (conflictErrors[refusal.relation] ?? unknownError)(operation, live, refusal);
}

/** The error for an object that may be this declaration's: the user decides. */
function questionAbout(
  operation: Operation,
  live: LiveObject,
  { relation, situation, because, cause }: Refusal & { cause: unknown },
): ModelPlatformError {
  const { id } = situation;
  const answers = answersTo(relation, situation);
  return new ModelPlatformError(`${operation.title(live.name)}${doubtAbout(live, id, because)}`, {
    code: doubtCode(id, because),
    about: { object: live.name },
    answers,
    advice: answerText(operation, answers),
    topic: "an-interrupted-run-left-an-object",
    cause,
  });
}

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
function answerText(operation: Operation, { adopt, otherId }: ErrorAnswers): string {
  const another = otherId ? "choose another id" : `leave it and create another with ${recoveringUp(operation, "new")}`;
  const adopting = adopt ? `, or ${adoptText}` : "";
  return `If it is yours, take it over with ${recoveringUp(operation, "take")}${adopting}; if not, ${another}.`;
}

import { optionsIn } from "../../core/declaration/own-fields";
import { phaseOf } from "../../core/declaration/states";
import type { ErrorAnswers } from "../../core/error-codes";
import { ModelPlatformError } from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import { forgetting, objectCommand, recoveringUp, stackCommand } from "../commands";
import { type CreateAttempt, historyOf, type OwnershipHistory } from "../memory/history";
import { chosenId, hasChosenId, idSourceOf, stackNameOf, stackOf, urnWithoutStack } from "../memory/identity";
import type { CreateOperation, Operation } from "../operation";
import {
  declarationUrns,
  type FormerObject,
  findFormer,
  isInState,
  keyDigestOf,
  nameHiddenFormers,
  openAttempts,
  writeFact,
  writeObjectFact,
} from "../ownership/journal";
import { elsewhereError, laterHolderOf, laterHolderText, warnOfLaterHolder } from "../ownership/other-stacks";
import { foreignOwnerOf } from "../ownership/owner";
import { classifyOwnership } from "../ownership/relation";
import { answersToFormer, decideFormer, type FormerSituation, isUnrecorded } from "../ownership/verdicts";
import type { LiveObject } from "../ports";
import type { Values } from "../types";
import { reclaimObject } from "./conflict";
import { findAttempted, warnOfOpenAttempts } from "./orphans";
import { findExisting } from "./place";
import { type Placement, unchangeableFields } from "./take-over";

/** What earlier runs have left for a declaration. */
interface EarlierRuns extends SettledFormer {
  /** Creates of which no result is recorded yet. */
  open: readonly CreateAttempt[];
  /** The name of the object that a state held last. */
  before: string | undefined;
}

/**
 * Settles, before anything is created, what earlier runs have left: creates of a stack that was renamed since, objects
 * under another id, and the last object of the declaration.
 */
export async function settleEarlierRuns(operation: CreateOperation, inputs: Values): Promise<EarlierRuns> {
  await recoverFromRenamedStack(operation, inputs);
  const open = await openAttempts(operation);
  await warnOfOpenAttempts(operation, open, inputs);
  await nameHiddenFormers(operation);
  const before = (await operation.history()).lastHeld(declarationUrns(operation))?.identity.name;
  return { open, before, ...(await reclaimFormer(operation, inputs)) };
}

/**
 * Before anything is created, asks about the last object of this declaration if the current state lacks it: a second
 * one would serve, and cost, beside it. An engine's state distinguishes a lost entry from `up --replace`. Without it,
 * only a run that has read its state can ask; any other names the object. Resolves to the former object if `recover`
 * takes it back.
 */
async function reclaimFormer(operation: CreateOperation, inputs: Values): Promise<SettledFormer> {
  const former = await findFormer(operation);
  if (!former || foreignOwnerOf(operation, former.live)) return {};
  const { ports } = operation;
  const isHeld = isInState(operation, former.live.name);
  // The engine is about to replace it.
  if (isHeld) return {};
  const { recover } = ports.settings;
  const isHere = occupiesTargetSlot(operation, former.live, inputs);
  if (former.elsewhere) {
    const isClear = !isHere && idSourceOf(operation.spec, inputs) !== "automatic";
    if (recover === "new" || isClear) return {};
    const answers: ErrorAnswers = isHere ? { otherId: true } : { recover: ["new"] };
    throw elsewhereError(operation, former.live, former.elsewhere, { what: "taken", answers });
  }
  const later = await laterHolderOf(operation, former.live);
  const isLost = (isHeld === false || operation.resource.isRunRefreshed) && !former.isContinued;
  const isAtStake = recover === "take" ? !former.isContinued : isLost;
  const situation: FormerSituation = {
    place: isHere ? "same" : "other",
    adopt: optionsIn(inputs).adopt ?? "never",
    recover,
    isLost,
    fits: isAtStake && (await mayTake(operation, former.live, inputs)),
  };
  switch (decideFormer(situation)) {
    case "pass":
      return {};
    case "takeBack": {
      const placement = await reclaimObject(operation, former.live, inputs, { object: former.known });
      if (later !== undefined) warnOfLaterHolder(operation, former.live, later);
      return { placement };
    }
    case "ask":
      throw recover === "take"
        ? notTaken(operation, former.live, situation)
        : question(operation, former, situation, later);
    case "name":
      return { report: (created) => warnOfFormer(operation, former.live, created, later) };
  }
}

/** How a create deals with the last object of its declaration. */
interface SettledFormer {
  /** The former object itself. */
  placement?: Placement;
  /** Reports that it is live beside the created object. */
  report?: (created: string) => void;
}

/** The engine does not report its state, or the user wants a new object. */
function warnOfFormer(operation: CreateOperation, live: LiveObject, created: string, later: string | undefined): void {
  const { call, spec, ports } = operation;
  const former = live.name;
  const [before, now] = [former, created].map(lastSegment);
  const early = ports.state
    ? ""
    : ` ${stackCommand(operation, "up", "--refresh")} asks before it creates, unless the state is empty.`;
  call.reporter.warn(
    `${operation.title(former)} was this resource before and is live, and ${now} was created beside it${laterHolderText(later)}. If this was no replacement, the state has lost ${before}. To have ${before} back in place of ${now}, run ${forgetting(operation)}, then ${objectCommand("delete", spec, created)}, then ${recoveringUp(operation, "take")}.${early}`,
  );
}

/**
 * Whether the object is where the create would be sent, by its key or at its chosen id. A create passes over an object
 * at an id that its key implies once that object has another key.
 */
function occupiesTargetSlot(operation: Operation, live: LiveObject, inputs: Values): boolean {
  const { spec, objects } = operation;
  const digest = keyDigestOf(operation, inputs);
  if (digest !== undefined && digest === keyDigestOf(operation, live)) return true;
  const id = digest === undefined || hasChosenId(spec, inputs) ? chosenId(spec, inputs) : undefined;
  return id !== undefined && objects.nameOf(id) === live.name;
}

/**
 * Whether it can become what the program declares: the id that a program chooses is part of that, and no other object
 * has the natural key.
 */
async function mayTake(operation: Operation, live: LiveObject, inputs: Values): Promise<boolean> {
  const { spec } = operation;
  if (unchangeableFields(operation, live, inputs).length > 0) return false;
  if (hasChosenId(spec, inputs) && chosenId(spec, inputs) !== lastSegment(live.name)) return false;
  const key = keyDigestOf(operation, inputs);
  if (key === undefined || key === keyDigestOf(operation, live)) return true;
  const holder = await findExisting(operation, inputs);
  return holder === undefined || holder.name === live.name;
}

/** At its own place, no other object can stand beside it. */
const orAnother = (operation: Operation, { place }: Pick<FormerSituation, "place">): string =>
  `To leave it and create another, ${place === "same" ? "choose another id, and " : ""}run ${recoveringUp(operation, "new")}.`;

/** How to have an object back that cannot become what the program declares. */
const asItIs = (operation: Operation, { name }: LiveObject): string =>
  `declare it as it is, its id (\`${lastSegment(name)}\`) too, and run ${recoveringUp(operation, "take")}`;

const notTaken = (operation: Operation, live: LiveObject, situation: FormerSituation): ModelPlatformError =>
  new ModelPlatformError(
    `${operation.spec.kind} was not created: ${operation.title(live.name)} cannot be taken, because it cannot become what the program declares`,
    {
      code: "cannot-take",
      about: { object: live.name },
      answers: answersToFormer(situation),
      advice: `To have it back, ${asItIs(operation, live)}. ${orAnother(operation, situation)}`,
      topic: "an-interrupted-run-left-an-object",
    },
  );

function question(
  operation: CreateOperation,
  { live }: FormerObject,
  situation: FormerSituation,
  later: string | undefined,
): ModelPlatformError {
  const answers = answersToFormer(situation);
  const back = answers.recover?.includes("take")
    ? `run ${recoveringUp(operation, "take")}${answers.adopt ? ', or set `adopt: "ifEqual"` or `adopt: "overwrite"`' : ""}`
    : asItIs(operation, live);
  return new ModelPlatformError(
    `${operation.spec.kind} was not created: ${operation.title(live.name)}, created at ${String(live["createTime"] ?? "an unknown time")}, was this resource before, and the state no longer has it${laterHolderText(later)}`,
    {
      code: "lost-by-state",
      about: { object: live.name },
      answers,
      advice: `To have it back, ${back}. ${orAnother(operation, situation)}`,
      topic: "the-state-has-lost-the-object",
    },
  );
}

/**
 * A stack that was renamed since an interrupted create has another journal. The result of that create is this stack's
 * if both have held the same objects; without that evidence, the user is asked. A stack that existed before the create
 * was sent is another one. Programs of languages that write no `held` themselves get a message and no question: their
 * first `up` of a second stack would look the same.
 */
async function recoverFromRenamedStack(operation: Operation, inputs: Values): Promise<void> {
  const { ports, objects, call } = operation;
  const { origin, account } = objects;
  const { urn } = call.hidden;
  const left = await operation.resource.unfinishedBefore(ports.journal, origin, account);
  const tails = new Set([...declarationUrns(operation)].map(urnWithoutStack));
  const elsewhere = [...tails].flatMap((tail) => left.get(tail) ?? []).filter((each) => stackOf(each) !== stackOf(urn));
  const own = await operation.history();
  for (const other of elsewhere) {
    const history = await historyOf(ports.journal, origin, account, other);
    for (const attempt of history.open(new Set([other]))) {
      const live = await findCreated(operation, attempt, inputs);
      if (!live) continue;
      if (haveHeldTheSame(own, history)) await moveHere(operation, attempt, live);
      else if (ports.settings.recover === "take") {
        if (!(await mayTake(operation, live, inputs))) throw notTaken(operation, live, ofAnotherStack);
        await moveHere(operation, attempt, live);
      } else if (ports.settings.recover === "ask" && !own.isOlderThan(attempt.at)) ask(operation, attempt, live);
    }
  }
}

/** What `recover` is told to take and cannot become what is declared: another can stand beside it. */
const ofAnotherStack: FormerSituation = { place: "other", adopt: "never", recover: "take", isLost: true, fits: false };

const haveHeldTheSame = (own: OwnershipHistory, former: OwnershipHistory): boolean =>
  own.held().some(({ identity }) => identity.createTime !== undefined && former.object(identity)?.holder !== undefined);

/** The live result of the other stack's create, as far as that stack could know. */
async function findCreated(
  operation: Operation,
  attempt: CreateAttempt,
  inputs: Values,
): Promise<LiveObject | undefined> {
  const live = await findAttempted(operation, attempt);
  if (!live || phaseOf(operation.spec.lifecycle, live) === "gone") return undefined;
  return isUnrecorded((await classifyOwnership(operation.inNameOf(attempt.urn), live, inputs)).relation)
    ? live
    : undefined;
}

async function moveHere(operation: Operation, attempt: CreateAttempt, live: LiveObject): Promise<void> {
  const { id, place, digest, sent, clock, until, version, previous, absent, urn } = attempt;
  await writeFact(operation, { fact: "sent", id, place, digest, sent, clock, until, version, previous, absent });
  await writeObjectFact(operation, "made", live);
  await writeFact(operation.inNameOf(urn), { fact: "void", id });
}

function ask(operation: Operation, { urn }: CreateAttempt, live: LiveObject): void {
  const { call, spec } = operation;
  const stack = stackNameOf(urn);
  if (call.hidden.aliasesUnknown)
    return call.reporter.info(
      `${operation.title(live.name)} was created by the stack ${stack} for the like of this resource. If this is that stack (\`stack rename\`) after an interrupted run, run ${recoveringUp(operation, "take")}.`,
    );
  throw new ModelPlatformError(
    `${spec.kind} was not created: ${operation.title(live.name)} was created by an interrupted run of the stack ${stack} for this resource, and no state holds it`,
    {
      code: "begun-by-another-stack",
      about: { object: live.name, stack },
      answers: { recover: ["take", "new"] },
      advice: `If this is that stack under a new name (\`stack rename\`), run ${recoveringUp(operation, "take")}; if not, ${recoveringUp(operation, "new")}.`,
      topic: "an-interrupted-run-left-an-object",
    },
  );
}

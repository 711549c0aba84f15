import { optionsIn } from "../../core/declaration/options";
import { phaseOf } from "../../core/declaration/states";
import { ModelPlatformError } from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import { forgetting, objectCommand, recoveringUp, stackCommand } from "../commands";
import { chosenId, isFixed, projectOf, stackNameOf, stackOf, tailOf } from "../identity";
import { type CreateAttempt, historiesOf, type OwnershipHistory } from "../journal/history";
import { type CreateOperation, type ResourceOperation, titleOf } from "../operation/operation";
import {
  type FormerObject,
  findFormer,
  historyFor,
  isInState,
  keyDigestOf,
  writeFact,
  writeFactOf,
} from "../ownership/facts";
import { strangerOf } from "../ownership/ownership";
import { relationOf } from "../ownership/relation";
import { decideFormer, isUnrecorded } from "../ownership/verdicts";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { findExisting } from "./place";
import { findBegun } from "./recovery";
import { takeBack } from "./settle";
import { type Placement, unchangeable } from "./take-over";

/**
 * Asks, before anything is created, about the object that this declaration had last and that the state at hand does not
 * have: a second one would serve, and cost, beside it. An engine that can be asked tells a lost state from `up
 * --replace`. Otherwise only a run that has read its state can ask, and any other names the object. Resolves to the
 * former object where `recover` takes it back.
 */
export async function settleFormer(operation: CreateOperation, inputs: Values): Promise<SettledFormer> {
  const former = await findFormer(operation);
  if (!former || strangerOf(operation, former.live)) return {};
  const { ports } = operation;
  const isHeld = isInState(operation, former.live.name);
  // The engine is about to replace it.
  if (isHeld) return {};
  const { recover } = ports.settings;
  const isInPlace = standsInPlace(operation, former.live, inputs);
  switch (
    decideFormer({
      place: isInPlace ? "same" : "other",
      adopt: optionsIn(inputs).adopt ?? "never",
      recover,
      isLost: (isHeld === false || ports.claims.hasRead()) && !former.isContinued,
      fits: recover === "take" && !former.isContinued && (await mayTake(operation, former.live, inputs)),
    })
  ) {
    case "pass":
      return {};
    case "takeBack":
      return { placement: await takeBack(operation, former.live, inputs, { object: former.known }) };
    case "ask":
      throw recover === "take" ? notTaken(operation, former.live) : question(operation, former, isInPlace);
    case "name":
      return { report: (created) => warnOfFormer(operation, former.live.name, created) };
  }
}

/** What becomes of a create for the object that its declaration had last. */
interface SettledFormer {
  /** The former object itself. */
  placement?: Placement;
  /** Reports that it is live beside the created object. */
  report?: (created: string) => void;
}

/** The engine says nothing of its state, or the user wants a new object. */
function warnOfFormer(operation: CreateOperation, former: string, created: string): void {
  const { call, spec, ports } = operation;
  const [before, now] = [former, created].map(lastSegment);
  const early = ports.state
    ? ""
    : ` ${stackCommand(operation, "up", "--refresh")} asks before it creates, unless the state is empty.`;
  call.reporter.warn(
    `${titleOf(operation, former)} was this resource before and is live, and ${now} was created beside it. If this was no replacement, the state has lost ${before}. To have ${before} back in place of ${now}, run ${forgetting(operation)}, then ${objectCommand("delete", spec, created)}, then ${recoveringUp(operation, "take")}.${early}`,
  );
}

/**
 * Whether the object is where the create would be sent, by its key or at its chosen id. A create passes over an object
 * at an id that its key implies once that object has another key.
 */
function standsInPlace(operation: ResourceOperation, live: LiveObject, inputs: Values): boolean {
  const { spec, objects } = operation;
  const digest = keyDigestOf(operation, inputs);
  if (digest !== undefined && digest === keyDigestOf(operation, live)) return true;
  const id = digest === undefined || isFixed(spec, inputs) ? chosenId(spec, inputs) : undefined;
  return id !== undefined && objects.nameOf(id) === live.name;
}

/**
 * Whether it can become what the program declares: the id that a program chooses is part of that, and no other object
 * has the natural key.
 */
async function mayTake(operation: ResourceOperation, live: LiveObject, inputs: Values): Promise<boolean> {
  const { spec } = operation;
  if (unchangeable(operation, live, inputs).length > 0) return false;
  if (isFixed(spec, inputs) && chosenId(spec, inputs) !== lastSegment(live.name)) return false;
  const key = keyDigestOf(operation, inputs);
  if (key === undefined || key === keyDigestOf(operation, live)) return true;
  const holder = await findExisting(operation, inputs);
  return holder === undefined || holder.name === live.name;
}

const notTaken = (operation: ResourceOperation, { name }: LiveObject): ModelPlatformError =>
  new ModelPlatformError(
    `${operation.spec.kind} was not created: ${titleOf(operation, name)} cannot be taken, because it cannot become what the program declares`,
    {
      advice: `Declare it as it is, with the id \`${lastSegment(name)}\` or without one, run ${recoveringUp(operation, "take")}, and change it afterwards. To leave it and create another, run ${recoveringUp(operation, "new")}.`,
      topic: "an-interrupted-run-left-an-object",
    },
  );

const question = (operation: CreateOperation, { live }: FormerObject, isInPlace: boolean): ModelPlatformError =>
  new ModelPlatformError(
    `${operation.spec.kind} was not created: ${titleOf(operation, live.name)}, created at ${String(live["createTime"] ?? "an unknown time")}, was this resource before, and the state no longer has it`,
    {
      advice: `To have it back, run ${recoveringUp(operation, "take")}.${isInPlace ? "" : ` To leave it and create another, run ${recoveringUp(operation, "new")}.`}`,
      topic: "the-state-has-lost-the-object",
    },
  );

/**
 * A stack that was renamed since an interrupted create has another journal. What that create has created is this
 * stack's where the two have held the same objects; where nothing says so, the user is asked. A stack that was there
 * before the create was sent is another one. Programs of languages that write no `held` themselves get a message and no
 * question: their first `up` of a second stack would look the same.
 */
export async function resumeFormerStack(operation: ResourceOperation, inputs: Values): Promise<void> {
  const { ports, objects, call } = operation;
  const own = await historyFor(operation);
  for (const history of await historiesOf(ports.journal, objects.origin, objects.account))
    for (const attempt of history.open()) {
      if (!isOfSameResource(attempt.urn, call.hidden.urn)) continue;
      const found = await findCreated(operation, attempt, inputs);
      if (!found) continue;
      if (haveHeldTheSame(own, history)) await moveHere(operation, attempt, found);
      else if (ports.settings.recover === "take") {
        if (!(await mayTake(operation, found, inputs))) throw notTaken(operation, found);
        await moveHere(operation, attempt, found);
      } else if (ports.settings.recover === "ask" && !own.isOlderThan(attempt.at)) ask(operation, attempt, found);
    }
}

const isOfSameResource = (urn: string, own: string): boolean =>
  stackOf(urn) !== stackOf(own) && projectOf(urn) === projectOf(own) && tailOf(urn) === tailOf(own);

const haveHeldTheSame = (own: OwnershipHistory, former: OwnershipHistory): boolean =>
  own.held().some(({ identity }) => identity.createTime !== undefined && former.object(identity)?.holder !== undefined);

/** The live object that the other stack's create has created, as far as that stack could tell. */
async function findCreated(
  operation: ResourceOperation,
  attempt: CreateAttempt,
  inputs: Values,
): Promise<LiveObject | undefined> {
  const found = await findBegun(operation, attempt);
  if (!found || phaseOf(operation.spec.lifecycle, found) === "gone") return undefined;
  return isUnrecorded((await relationOf(inNameOf(operation, attempt.urn), found, inputs)).relation) ? found : undefined;
}

/** The same operation, of the resource of that URN. */
function inNameOf(operation: ResourceOperation, urn: string): ResourceOperation {
  const { call } = operation;
  return { ...operation, call: { ...call, hidden: { ...call.hidden, urn, stack: stackNameOf(urn) } } };
}

async function moveHere(operation: ResourceOperation, attempt: CreateAttempt, found: LiveObject): Promise<void> {
  const { id, place, digest, sent, clock, until, version, urn } = attempt;
  await writeFact(operation, { fact: "sent", id, place, digest, sent, clock, until, version });
  await writeFactOf(operation, "made", found);
  await writeFact(inNameOf(operation, urn), { fact: "void", id });
}

function ask(operation: ResourceOperation, { urn }: CreateAttempt, found: LiveObject): void {
  const { call, spec } = operation;
  const stack = stackNameOf(urn);
  if (call.hidden.aliasesUnknown)
    return call.reporter.info(
      `${titleOf(operation, found.name)} was created by the stack ${stack} for the like of this resource. If this is that stack (\`stack rename\`) after an interrupted run, run ${recoveringUp(operation, "take")}.`,
    );
  throw new ModelPlatformError(
    `${spec.kind} was not created: ${titleOf(operation, found.name)} was created by an interrupted run of the stack ${stack} for this resource, and no state holds it`,
    {
      advice: `If this is that stack under a new name (\`stack rename\`), run ${recoveringUp(operation, "take")}; if not, ${recoveringUp(operation, "new")}.`,
      topic: "an-interrupted-run-left-an-object",
    },
  );
}

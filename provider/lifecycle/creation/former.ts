import { ModelPlatformError } from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import { chosenId, isFixed } from "../identity/ids";
import { type CreateOperation, type ResourceOperation, titleOf } from "../operation/operation";
import { keyDigestOf } from "../ownership/facts";
import { type FormerObject, findFormer } from "../ownership/former";
import { strangerOf } from "../ownership/ownership";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { mayAdopt, type Placement, takeOver, unchangeable } from "./take-over";

/**
 * Asks, before anything is created, about the object that this declaration had last and that the state at hand does not
 * show: a second one would serve, and cost, beside it. Only a run that has read its state can ask: without a refresh, a
 * state that has lost the object looks like `up --replace`, so that it is named. Resolves to the former object where
 * `recover` takes it back.
 */
export async function settleFormer(operation: CreateOperation, inputs: Values): Promise<Placement | undefined> {
  const former = await findFormer(operation);
  if (!former || strangerOf(operation, former.live)) return undefined;
  const { ports, call } = operation;
  const hasRead = ports.claims.hasRead();
  const isInPlace = standsInPlace(operation, former.live, inputs);
  // Whoever lets it exist has answered already; and there is room for one, so that the create is refused.
  if (isInPlace && (mayAdopt(inputs) || (ports.recover !== "take" && !(hasRead && ports.recover === "ask"))))
    return undefined;
  if (ports.recover === "take" && mayBecome(operation, former, inputs)) return takeBack(operation, former, inputs);
  if (hasRead && !former.isContinued && ports.recover !== "new") throw question(operation, former, isInPlace);
  call.reporter.info(
    `${titleOf(operation, former.live.name)} was this resource before, and another one is created. If the state has lost it, \`state delete\` the new one, and import it; \`up --refresh\` asks before.`,
  );
  return undefined;
}

/** Whether the object is where the create would be sent, at its chosen id or by its key. */
function standsInPlace(operation: ResourceOperation, live: LiveObject, inputs: Values): boolean {
  const { spec, objects } = operation;
  const digest = keyDigestOf(operation, inputs);
  const id = chosenId(spec, inputs);
  return (
    (id !== undefined && objects.nameOf(id) === live.name) ||
    (digest !== undefined && digest === keyDigestOf(operation, live))
  );
}

/** Whether it can become what the program declares; the id that a program chooses is part of that. */
const mayBecome = (operation: CreateOperation, { live, isContinued }: FormerObject, inputs: Values): boolean =>
  !isContinued &&
  unchangeable(operation, live, inputs).length === 0 &&
  (!isFixed(operation.spec, inputs) || chosenId(operation.spec, inputs) === lastSegment(live.name));

async function takeBack(operation: CreateOperation, { live, known }: FormerObject, inputs: Values): Promise<Placement> {
  operation.call.reporter.warn(`${titleOf(operation, live.name)} was this resource before, and is so again.`);
  return { ...(await takeOver(operation, live, inputs)), adopted: known.adopted === true };
}

const question = (operation: CreateOperation, { live }: FormerObject, isInPlace: boolean): ModelPlatformError =>
  new ModelPlatformError(
    `${operation.spec.kind} was not created: ${titleOf(operation, live.name)}, created at ${String(live["createTime"] ?? "an unknown time")}, was this resource before, and the state no longer has it`,
    {
      advice: `Import it, or set \`modelplatform:recover\` to \`take\`, which takes it back${isInPlace ? "" : ", or to `new`, which leaves it and creates another"}.`,
      topic: "the-state-has-lost-the-object",
    },
  );

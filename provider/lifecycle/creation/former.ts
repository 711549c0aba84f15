import { optionsIn } from "../../core/declaration/options";
import { ModelPlatformError } from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import { chosenId, isFixed } from "../identity/ids";
import { type CreateOperation, type ResourceOperation, titleOf } from "../operation/operation";
import { keyDigestOf } from "../ownership/facts";
import { type FormerObject, findFormer } from "../ownership/former";
import { strangerOf } from "../ownership/ownership";
import { decideFormer } from "../ownership/verdicts";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { takeBack } from "./settle";
import { type Placement, unchangeable } from "./take-over";

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
  const isInPlace = standsInPlace(operation, former.live, inputs);
  switch (
    decideFormer({
      place: isInPlace ? "same" : "other",
      adopt: optionsIn(inputs).adopt ?? "never",
      recover: ports.recover,
      isLost: ports.claims.hasRead() && !former.isContinued,
      fits: mayBecome(operation, former, inputs),
    })
  ) {
    case "pass":
      return undefined;
    case "takeBack":
      return takeBack(operation, former.live, inputs, { object: former.known });
    case "ask":
      throw question(operation, former, isInPlace);
    case "name":
      return void call.reporter.info(
        `${titleOf(operation, former.live.name)} was this resource before, and another one is created. If the state has lost it, \`state delete\` the new one, and import it; \`up --refresh\` asks before.`,
      );
  }
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

const question = (operation: CreateOperation, { live }: FormerObject, isInPlace: boolean): ModelPlatformError =>
  new ModelPlatformError(
    `${operation.spec.kind} was not created: ${titleOf(operation, live.name)}, created at ${String(live["createTime"] ?? "an unknown time")}, was this resource before, and the state no longer has it`,
    {
      advice: `Import it, or set \`modelplatform:recover\` to \`take\`, which takes it back${isInPlace ? "" : ", or to `new`, which leaves it and creates another"}.`,
      topic: "the-state-has-lost-the-object",
    },
  );

import { phaseOf } from "../../core/declaration/states";
import { type ObjectIdentity, objectKey } from "../identity/object";
import type { ObjectHistory } from "../journal/history";
import { type ResourceOperation, requestOptions } from "../operation/operation";
import type { LiveObject } from "../ports/objects";
import { historyFor, identityOf, ownUrns } from "./facts";

/** What a state held for this declaration last, which is live, and which the state at hand does not show. */
export interface FormerObject {
  live: LiveObject;
  known: ObjectHistory;
  /** Another declaration of this run continues with it. */
  isContinued: boolean;
}

/**
 * The former object of this declaration. The state is older than it or has lost it, or the engine is about to replace
 * it: `up --replace` and a taint show nothing of what they replace. Costs one read where the journal tells of one.
 */
export async function findFormer(operation: ResourceOperation): Promise<FormerObject | undefined> {
  const { ports, call, spec, objects } = operation;
  const known = (await historyFor(operation)).lastHeld(ownUrns(operation));
  if (!known || isShown(operation, known.identity)) return undefined;
  const { name } = known.identity;
  const live = await objects.find(name, requestOptions(operation));
  if (!live || phaseOf(spec.lifecycle, live) === "gone") return undefined;
  if (objectKey(identityOf(live)) !== objectKey(known.identity)) return undefined;
  const { urn } = call.hidden;
  const isContinued =
    ports.claims.holderOf(name, urn) !== undefined ||
    ports.claims.declarerOf([name], urn) !== undefined ||
    ports.claims.currentUrnOf(urn, name) !== undefined;
  return { live, known, isContinued };
}

/** Whether this run's engine has shown that its state holds the object for this declaration. */
export const isShown = (operation: ResourceOperation, object: ObjectIdentity): boolean =>
  operation.ports.claims.shownUnder(ownUrns(operation)).some((shown) => objectKey(shown) === objectKey(object));

import { phaseOf } from "../../core/declaration/states";
import { type ResourceOperation, requestOptions } from "../operation/operation";
import { historyFor, identityOf } from "../ownership/facts";
import { provenance } from "../ownership/relation";
import { isUnrecorded } from "../ownership/verdicts";
import type { LiveObject, LookAgain } from "../ports/objects";
import type { Values } from "../types";
import { lookUntilVisible, rejectUnseen } from "./lost-answer";

/**
 * Looks through the list for what a create has made whose answer was lost and whose id does not count: made since, just
 * as it was sent, and nobody's.
 */
export const lookingThroughList =
  (operation: ResourceOperation, inputs: Values, asked: string): LookAgain =>
  async (lost, isTaken) => {
    const look = () => findResult(operation, inputs, { asked, isTaken });
    const found = await lookUntilVisible(operation, look).catch(rejectUnseen(lost));
    if (found === undefined && operation.ports.clock.now() >= operation.deadline) throw lost;
    return found;
  };

interface Search {
  asked: string;
  isTaken: (name: string) => boolean;
}

async function findResult(
  operation: ResourceOperation,
  inputs: Values,
  { asked, isTaken }: Search,
): Promise<LiveObject | undefined> {
  const { spec, objects, ports, call } = operation;
  const history = await historyFor(operation);
  const attempt = history.openAt({ name: asked }).at(-1);
  if (!attempt) return undefined;
  for await (const object of objects.list(requestOptions(operation))) {
    const isHad =
      isTaken(object.name) ||
      history.object(identityOf(object)) !== undefined ||
      ports.claims.holderOf(object.name, call.hidden.urn) !== undefined;
    if (isHad || phaseOf(spec.lifecycle, object) === "gone") continue;
    const made = provenance(operation, object, inputs, attempt);
    if (made !== undefined && isUnrecorded(made)) return object;
  }
  return undefined;
}

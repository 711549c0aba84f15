import { optionsIn } from "../../core/declaration/options";
import { goalOf, hasReached } from "../../core/declaration/states";
import { beginOperation, type ResourceOperation, requestOptions } from "../operation/operation";
import type { Values } from "../types";
import { stateOf, type WaitEnd } from "../waiting/wait";

/** The program asks to delete an object that is late (`onTimeout`). */
export const isDeletedWhenLate = (inputs: Values, { how }: WaitEnd): boolean => {
  const { onTimeout, deletionProtection } = optionsIn(inputs);
  return how === "timeout" && onTimeout === "delete" && deletionProtection !== true;
};

/**
 * The last look may lie long before the deadline. What has reached the desired state since then is not late.
 */
export async function lookOnceMore(
  operation: ResourceOperation,
  inputs: Values,
  name: string,
  waited: WaitEnd,
): Promise<WaitEnd> {
  const { spec, objects } = operation;
  const looking = await beginOperation(operation, { account: objects.account, verb: "delete", values: inputs });
  const last = await objects.find(name, requestOptions(looking));
  if (last === undefined) return waited;
  const goal = spec.lifecycle && goalOf(spec.lifecycle, inputs);
  return hasReached(spec.lifecycle, last, goal) ? { how: "reached", last, detail: stateOf(last) } : { ...waited, last };
}

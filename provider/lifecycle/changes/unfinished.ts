import { costAboveLimit } from "../../core/declaration/billing";
import { optionsIn, takesOption } from "../../core/declaration/own-fields";
import { ModelPlatformError } from "../../core/errors";
import { replacing, stackCommand } from "../commands";
import type { Operation } from "../operation";
import type { LiveObject } from "../ports";
import type { Values } from "../types";
import { failureText } from "../waiting/wait";

/** The object never reached the desired state; it stays recorded as unfinished. */
export class UnfinishedError extends ModelPlatformError {}

/** What `up` says of an object that failed and is held; a preview says the same. */
export const heldError = (operation: Operation, inputs: Values, failed: LiveObject): UnfinishedError =>
  new UnfinishedError(`${operation.title(failed.name)} failed: ${failureText(operation.spec, failed)}`, {
    advice: onFailureAdvice(operation, inputs, failed),
    topic: "the-object-failed",
  });

export function onFailureAdvice(operation: Operation, inputs: Values, failed: LiveObject): string {
  const { spec } = operation;
  const overBudget = costAboveLimit(spec.costLimit, inputs, failed);
  if (overBudget !== undefined) return `Raise the limit or ask for less: ${overBudget}.`;
  if (!takesOption(spec, "onFailure"))
    return `Correct the program, or replace it with ${stackCommand(operation, "up", ...replacing(operation))}.`;
  return optionsIn(inputs).onFailure === "rerun"
    ? `Correct its inputs, or raise \`maxAttempts\`, which is ${String(optionsIn(inputs).maxAttempts)}; it is held at no cost.`
    : 'Correct its inputs, or set `onFailure: "rerun"` to start a new run; it is held at no cost.';
}

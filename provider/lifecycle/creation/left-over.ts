import type { ResourceSpec } from "../../core/declaration/resource";
import { standing } from "../../core/declaration/states";
import { type Operation, requestOptions } from "../operation/operation";
import { withdrawAll } from "./send";

export const leftOverText = (spec: ResourceSpec, name: string): string =>
  `${spec.kind} ${name} was created for this declaration by an interrupted run and is not recorded in any state. Delete it if you do not need it; a refresh clears this warning once it is gone.`;

/** Warns about an orphaned create until it is gone. */
export async function watchLeftOver(operation: Operation, name: string): Promise<void> {
  const { spec, call, objects } = operation;
  const found = await objects.find(name, requestOptions(operation));
  if (found && standing(spec.lifecycle, found) !== "gone") call.reporter.warn(leftOverText(spec, name));
  else await withdrawAll(operation);
}

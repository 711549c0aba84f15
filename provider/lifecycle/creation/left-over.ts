import type { ResourceSpec } from "../../core/declaration/resource";
import { phaseOf } from "../../core/declaration/states";
import { removalCommand } from "../deletion/removal-command";
import { type ResourceOperation, requestOptions, visibleAfterMs } from "../operation/operation";
import { openAttempts, writeAnswered } from "../ownership/facts";

export const leftOverText = (spec: ResourceSpec, name: string): string =>
  `${spec.kind} ${name} was created for this declaration by an interrupted run and is not recorded in any state. If you do not need it, delete it with ${removalCommand(spec, name)}; a refresh clears this warning once it is gone.`;

/** Warns about an orphaned create until it is gone. One that is not visible may only be too new (A093). */
export async function watchLeftOver(operation: ResourceOperation, name: string): Promise<void> {
  const { spec, call, objects, ports } = operation;
  const found = await objects.find(name, requestOptions(operation));
  if (found && phaseOf(spec.lifecycle, found) !== "gone") return call.reporter.warn(leftOverText(spec, name));
  for (const { id, at, made, place } of await openAttempts(operation))
    if ((made?.name ?? place.name) === name && ports.clock.now() >= at + visibleAfterMs)
      await writeAnswered(operation, { fact: "void", id });
}

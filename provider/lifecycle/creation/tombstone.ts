import { optionsIn } from "../../core/declaration/options";
import { phaseOf } from "../../core/declaration/states";
import { ModelPlatformError } from "../../core/errors";
import { lastSegment } from "../../core/values/names";
import {
  type CreateOperation,
  outputsOf,
  type ResourceOperation,
  requestOptions,
  titleOf,
} from "../operation/operation";
import { refuseStranger } from "../ownership/ownership";
import { initFailure } from "../patching/apply";
import type { LiveObject } from "../ports/objects";
import { InitFailedError, type Values } from "../types";
import { mayHaveBeenMade } from "./lost-answer";
import { send } from "./send";
import { type Placement, refuseUnlike, takeOver } from "./take-over";

/** Makes room for an object whose id a deleted one has, or brings that one back, as the program says. */
export async function replaceTombstone(
  operation: CreateOperation,
  tombstone: LiveObject,
  inputs: Values,
): Promise<Placement> {
  const { spec, objects } = operation;
  const { name } = tombstone;
  const id = lastSegment(name);
  if (spec.deletion === "forever")
    throw new ModelPlatformError(`the id \`${id}\` belongs to a deleted ${spec.kind} and can never be reused`, {
      advice: `Give another \`${spec.fields.resourceId?.name}\`, or drop it for an automatic one.`,
    });
  const mode = optionsIn(inputs).onSoftDeletedConflict;
  if (mode === "hardDelete" || mode === "undelete") refuseStranger(operation, tombstone);
  switch (mode) {
    case "hardDelete":
      await objects.remove(name, { hard: true }, requestOptions(operation));
      return { object: await send(operation, inputs, id), adopted: false };
    case "undelete":
      return bringBack(operation, tombstone, inputs);
    default:
      throw new ModelPlatformError(
        `${titleOf(operation, name)} is soft-deleted until ${String(tombstone["purgeTime"] ?? "it is purged")}, and its id is taken until then`,
        {
          advice:
            'Set `onSoftDeletedConflict: "undelete"` to bring it back, `"hardDelete"` to remove it for good, or choose another id.',
        },
      );
  }
}

/**
 * Undeletes a tombstone that can become what the program declares. Whatever fails after that is recorded with the
 * object, so that it is not orphaned.
 */
async function bringBack(operation: CreateOperation, tombstone: LiveObject, inputs: Values): Promise<Placement> {
  const { name } = tombstone;
  refuseUnlike(operation, tombstone, inputs);
  const live = await undelete(operation, name);
  operation.resource.hold(name, inputs);
  try {
    return await takeOver(operation, live, inputs);
  } catch (error) {
    throw error instanceof InitFailedError
      ? error
      : initFailure(name, await outputsOf(operation, inputs, live, {}), error);
  }
}

/** The object that is there again, also where the answer that says so was lost. */
async function undelete(operation: ResourceOperation, name: string): Promise<LiveObject> {
  const { objects, spec } = operation;
  try {
    return { ...(await objects.verb(name, "undelete", {}, requestOptions(operation))), name };
  } catch (error) {
    const found = mayHaveBeenMade(error) ? await objects.find(name, requestOptions(operation)) : undefined;
    if (!found || phaseOf(spec.lifecycle, found) === "gone") throw error;
    return found;
  }
}

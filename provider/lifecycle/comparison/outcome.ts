import type { FieldChange } from "../../core/comparison/diff";
import { optionsIn } from "../../core/declaration/options";
import { recordsIn } from "../../core/declaration/own-records";
import type { ResourceSpec } from "../../core/declaration/resource";
import { hasFailed, phaseOf } from "../../core/declaration/states";
import { isUnprotectedByFailure } from "../deletion/protection";
import { type ComparedResource, describeObject, type ResourceOperation, requestOptions } from "../operation/operation";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";

/** What a comparison goes on with: what a read has shown takes the place of what was recorded. */
interface Seen {
  changes: FieldChange[];
  outputs: Values;
}

/**
 * An object that is recorded as failed or as purged is replaced only if a read confirms the record. One that is well is
 * updated instead, which records what it is. That another change replaces it is a matter of the record as well if it is
 * protected, because what failed is not.
 */
export async function withSeenOutcome(
  { spec, call: { reporter }, id, outputs }: Pick<ComparedResource, "spec" | "call" | "id" | "outputs">,
  changes: FieldChange[],
  begin: () => ResourceOperation,
): Promise<Seen> {
  const replacing = changes.filter(({ effect }) => effect === "replace");
  const isReplacedForIt = replacing.length > 0 && replacing.every(({ ofOutcome }) => ofOutcome);
  const isAtStake = isReplacedForIt || (replacing.length > 0 && isUnprotectedByFailure(spec, outputs));
  const operation = isAtStake ? begin() : undefined;
  const live = operation && (await readWell(operation, id));
  if (!operation || !live) return { changes, outputs };
  const record = recordsIn(outputs).retired ? "gone" : String(outputs["state"]);
  if (isReplacedForIt)
    reporter.info(
      `${describeObject(operation, id)} is recorded as ${record}, and is ${stateText(live)} now: it is not replaced.`,
    );
  return {
    changes: changes.map((change) => (change.ofOutcome ? { ...change, effect: "update" } : change)),
    outputs: { ...outputs, state: live["state"], status: live["status"] },
  };
}

const stateText = ({ state }: LiveObject): string => (typeof state === "string" && state !== "" ? state : "there");

/** The object, if a read shows that it exists and has not failed. Rejects if the service cannot tell. */
async function readWell({ objects, ...operation }: ResourceOperation, name: string): Promise<LiveObject | undefined> {
  if (!objects.isReadable) return undefined;
  const live = await objects.poll(name, requestOptions({ objects, ...operation }));
  return live && isWell(operation.spec, live) ? live : undefined;
}

const isWell = ({ lifecycle }: ResourceSpec, live: Values): boolean =>
  phaseOf(lifecycle, live) !== "gone" && !(lifecycle && hasFailed(lifecycle, live));

/** Whether a program that replaces what was purged has nothing to replace: the record of the object is there. */
export const hasReturned = async (operation: ResourceOperation, id: string, inputs: Values): Promise<boolean> =>
  optionsIn(inputs).recreateIfPurged === true && (await readWell(operation, id)) !== undefined;

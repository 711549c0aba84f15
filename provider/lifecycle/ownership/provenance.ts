import { isDeepStrictEqual } from "node:util";
import { standing } from "../../core/declaration/states";
import { isAmbiguousOutcome, isModelPlatformError, ModelPlatformError } from "../../core/errors";
import { ownerIn } from "../../core/fields/owner";
import { inputsDigest, underEachName } from "../identity/ids";
import { precedes } from "../identity/notes";
import { type Operation, titleOf } from "../operation/operation";
import type { Intent } from "../ports/intents";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { showsInputs, showsSent } from "./evidence";
import { ownerBy } from "./marks";

/**
 * Who has made an object that stands where a create of this declaration was to put one: its own request, whose answer
 * was lost; somebody else; or nobody can tell, because it was made in time and does not show what was sent.
 */
export type Provenance = "ours" | "unproven" | "foreign";

/**
 * Judges by the note written before the request, which names an object that an earlier run has proven to be its
 * result. One that is older than the request, or belongs to another declaration, is not; one made since is, if it shows
 * every field that was sent. Marks are proof, and so is an automatic id, because it follows from the URN.
 */
export function provenanceOf(
  { spec, objects, call, ports }: Operation,
  found: LiveObject,
  inputs: Values,
  intent: Intent | undefined,
  hasOwnId: boolean,
): Provenance {
  if (!intent || intent.taken || standing(spec.lifecycle, found) === "gone") return "foreign";
  if (ports.claims.holderOf(found.name, call.hidden.urn) !== undefined) return "foreign";
  if (intent.made !== undefined && intent.name === found.name && intent.made === found["createTime"]) return "ours";
  if (precedes(found, intent)) return "foreign";
  const owner = ownerIn(spec, found);
  if (owner)
    return underEachName(call.hidden).some((each) => isDeepStrictEqual(owner, ownerBy(each))) ? "ours" : "foreign";
  if (hasOwnId) return "ours";
  const isRepeated = intent.digest === inputsDigest(spec, inputs);
  if (isRepeated && showsInputs(spec, objects.account, found, inputs)) return "ours";
  return intent.sent && showsSent(spec, found, intent.sent) ? "ours" : "unproven";
}

/**
 * Whether the request may have been carried out although it failed: never after an answer that says that it was not.
 */
export const mayHaveBeenMade = (error: unknown): boolean =>
  isAmbiguousOutcome(error) || (isModelPlatformError(error) && error.outcome === "unknown");

/** The error about an object that may be this declaration's, which only the user can decide. */
export function unprovenError(operation: Operation, found: LiveObject, cause?: unknown): ModelPlatformError {
  const title = titleOf(operation, found.name);
  return new ModelPlatformError(
    `${title} was made while this declaration's create was under way, and does not show what was sent`,
    {
      advice:
        "It may be left from an interrupted run, or be somebody else's. Set `modelplatform:recover` to `take` to make it this resource, or choose another id.",
      ...(cause !== undefined && { cause }),
    },
  );
}

import { isAborted, isAmbiguousOutcome, isModelPlatformError, ModelPlatformError, problemOf } from "../../core/errors";
import { type ResourceOperation, visibleAfterMs } from "../operation/operation";
import type { LiveObject } from "../ports/objects";

/**
 * Whether the request may have been carried out although it failed: never after an answer that says that it was not.
 */
export const mayHaveBeenMade = (error: unknown): boolean =>
  isAmbiguousOutcome(error) || (isModelPlatformError(error) && error.outcome === "unknown");

/** Pause between looks for what is not visible yet. */
const lookAgainMs = 2000;

/** Looks for what an earlier request may have made, which is not visible to reads at once (A093). */
export async function lookUntilVisible(
  { ports, deadline, call }: ResourceOperation,
  look: () => Promise<LiveObject | undefined>,
): Promise<LiveObject | undefined> {
  const { clock } = ports;
  const until = Math.min(clock.now() + visibleAfterMs, deadline);
  for (;;) {
    const found = await look();
    if (found || clock.now() >= until) return found;
    await clock.sleep(lookAgainMs, call.signal);
  }
}

const isUnusable = (error: unknown): boolean => isModelPlatformError(error) && error.answerAt !== undefined;

/** The error where a create may have made its object, and a look at it failed as well; a stop stays one. */
export const rejectUnseen =
  (lost: unknown) =>
  (cause: unknown): never => {
    if (isAborted(cause) || !isModelPlatformError(cause)) throw cause;
    // Answers in a form of the service's own: the first error says all that there is to say.
    if (isUnusable(lost) && isUnusable(cause)) throw lost;
    throw new ModelPlatformError(`${problemOf(lost)}, and looking for the object failed, too: ${problemOf(cause)}`, {
      advice: "Run `up` again: it looks first, and takes over what this create has made.",
      topic: "the-outcome-is-unknown",
      cause,
    });
  };

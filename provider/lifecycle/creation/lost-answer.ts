import { isAborted, isAmbiguousOutcome, isModelPlatformError, ModelPlatformError, problemOf } from "../../core/errors";

/**
 * Whether the request may have been carried out although it failed: never after an answer that says that it was not.
 */
export const mayHaveBeenMade = (error: unknown): boolean =>
  isAmbiguousOutcome(error) || (isModelPlatformError(error) && error.outcome === "unknown");

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

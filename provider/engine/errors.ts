/** Something a Pulumi program may use and this engine does not have. */
export function unsupported(feature: string): Error {
  return new Error(
    `${feature} is not supported by the built-in engine. Run this project with the Pulumi CLI (\`pulumi up\`): both share the stack's state.`,
  );
}

/**
 * The operation is over, or ending: whoever waits gets no answer any longer. What ended it has been reported elsewhere.
 */
export class Stopped extends Error {
  override readonly name = "Stopped";
  constructor() {
    super("the operation was stopped");
  }
}

/** A failure that events have already reported; whoever catches it reports nothing. */
export class Reported extends Error {
  override readonly name = "Reported";
}

/** The object exists, but did not become what it should. Its state is recorded, and the next operation tries again. */
export class InitError extends Error {
  override readonly name = "InitError";
  constructor(readonly reasons: readonly string[]) {
    super(
      reasons.length === 1
        ? String(reasons[0])
        : ["the resource exists but did not become ready", ...reasons.map((reason) => `  * ${reason}`)].join("\n"),
    );
  }
}

/** The provider vanished before it answered: whether the object was made, changed or deleted is unknown. */
export class OutcomeUnknown extends Error {
  override readonly name = "OutcomeUnknown";
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A Pulumi feature that this engine does not support. */
export function unsupportedError(feature: string): Error {
  return new Error(
    `${feature} is not supported by the built-in engine. Run this project with the Pulumi CLI (\`pulumi up\`): both share the stack's state.`,
  );
}

/** The operation is over or ending, so waiters get no result. The reason has been reported elsewhere. */
export class StoppedError extends Error {
  override readonly name = "Stopped";
  constructor() {
    super("the operation was stopped");
  }
}

/** A failure that events have already reported; code that catches it reports nothing. */
export class AlreadyReportedError extends Error {
  override readonly name: string = "Reported";
}

/** Inputs that a provider's check has rejected; other resources can still be planned. */
export class InvalidInputs extends AlreadyReportedError {
  override readonly name = "InvalidInputs";
}

/** The object exists but is not ready. Its state is recorded, and the next operation tries again. */
export class InitError extends Error {
  override readonly name = "InitError";
  constructor(
    readonly reasons: readonly string[],
    readonly code: string | undefined,
  ) {
    super(
      reasons.length === 1
        ? String(reasons[0])
        : ["the resource exists, but the operation on it failed", ...reasons.map((reason) => `  * ${reason}`)].join(
            "\n",
          ),
    );
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

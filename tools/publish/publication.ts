import type { Presence, Registry, Target } from "./registry";
import { ToolError } from "./tool";

/** How a publication ended. A conflict: the version is there, and not with this content. */
export type PublicationOutcome = { is: "published" } | { is: "unchanged" } | { is: "conflict"; what: string };

/** A step that failed, with what it was about to do. */
export class StepError extends Error {
  override readonly name = "StepError";

  constructor(
    readonly step: string,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

async function inStep<T>(step: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new StepError(step, error);
  }
}

/** What the tools print when a registry refuses a version that it has, or had. */
const isTaken = (error: unknown): boolean =>
  error instanceof StepError &&
  error.cause instanceof ToolError &&
  /\b(E409|EPUBLISHCONFLICT)\b|\b409 \(?Conflict|HTTP 409|already exists?\b|previously published/i.test(
    error.cause.output,
  );

const outcomeOf = (presence: Exclude<Presence, { is: "absent" }>): PublicationOutcome =>
  presence.is === "same" ? { is: "unchanged" } : { is: "conflict", what: presence.what };

/** Publishes a version unless the registry has it. A second call changes nothing. */
export async function publish({ lookUp, push }: Registry, target: Target): Promise<PublicationOutcome> {
  const before = await inStep("look up the version", () => lookUp(target));
  if (before.is !== "absent") return outcomeOf(before);
  try {
    await inStep("send the files", () => push(target));
  } catch (error) {
    if (!isTaken(error)) throw error;
    // Another run was faster, or the registry hides the version.
    const after = await inStep("look up the version again", () => lookUp(target));
    if (after.is !== "absent") return outcomeOf(after);
    return { is: "conflict", what: `it refuses the version, and does not show it: ${(error as StepError).message}` };
  }
  return { is: "published" };
}

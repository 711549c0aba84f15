import { type Tool, ToolError } from "./tool";

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

/** A built release: what `npm run release -- --dry-run` leaves in `.release`. */
export interface Release {
  /** The folder of its files, relative to the working folder, which begins with `./`. */
  folder: string;
  version: string;
}

/** Everything that a publication needs from outside. */
export interface PublishContext {
  env: Readonly<Record<string, string | undefined>>;
  fetch: typeof fetch;
  out(line: string): void;
  err(line: string): void;
}

/** One publication to one address. */
export interface Target extends PublishContext {
  release: Release;
  address: string;
  tool: Tool;
}

/** What a registry has of the version. */
export type Presence =
  | { is: "absent" }
  | { is: "same" }
  /** A version is never replaced: `what` names the difference. */
  | { is: "other"; what: string };

export interface Registry {
  title: string;
  /** What it gets, as a reader recognizes it. */
  subject(version: string): string;
  lookUp(target: Target): Promise<Presence>;
  /** Sends what is absent. */
  push(target: Target): Promise<void>;
}

export const absent: Presence = { is: "absent" };
export const same: Presence = { is: "same" };

/** One presence of several files: a different file counts first, then a missing one. */
export function combined(presences: readonly Presence[]): Presence {
  const others = presences.flatMap((each) => (each.is === "other" ? [each.what] : []));
  if (others.length > 0) return { is: "other", what: others.join("; ") };
  return presences.find(({ is }) => is === "absent") ?? same;
}

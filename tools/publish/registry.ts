import type { Tool } from "./tool";

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

import type { EngineEvent } from "../events";
import type { Providers } from "../providers/providers";
import type { KnownSecrets } from "../values/known-secrets";
import type { Decisions } from "./decisions";
import type { Ledger } from "./ledger";
import type { Targets } from "./targets";

export type Severity = "debug" | "info" | "warning" | "error";

/** What the parts of one operation share. */
export interface World {
  readonly project: string;
  readonly stack: string;
  readonly preview: boolean;
  readonly targets: Targets;
  /** Resources that the user wants replaced. Unlike `targets`, nothing given means none. */
  readonly replacements: Targets;
  readonly ledger: Ledger;
  readonly decisions: Decisions;
  readonly providers: Providers;
  /** Whoever comes across properties tells them here before anybody can speak of them. */
  readonly secrets: KnownSecrets;
  readonly emit: (event: EngineEvent) => void;
  readonly clock: () => Date;
  /** Whether the operation is ending early: what fails from now on is its consequence, and not told. */
  readonly isEnding: () => boolean;
  /** Marks the operation as failed, whatever else succeeds. */
  readonly fail: () => void;
}

/** Tells the user something; about a resource when it has a URN. */
export function tell(world: Pick<World, "emit" | "clock">, severity: Severity, message: string, urn?: string): void {
  world.emit({
    kind: "diagnostic",
    severity,
    message,
    ...(urn === undefined ? {} : { urn }),
    ephemeral: false,
    time: world.clock().getTime(),
  });
}

/** Tells the user of an error; the operation counts as failed. */
export function complain(world: Pick<World, "emit" | "clock" | "fail">, message: string, urn?: string): void {
  world.fail();
  tell(world, "error", message, urn);
}

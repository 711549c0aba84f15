import type { ChangeSummary, EngineEvent } from "../../engine/events";
import type { ImportRequest } from "../../engine/program/imports";
import type { DestroySettings, PreviewSettings, RefreshSettings } from "../../engine/settings";
import type { TimeSpent } from "../../provider/api/trace/time-spent";

/** What the flags choose, by the names of the stack's settings. */
export type OperationChoices = Partial<
  Pick<
    PreviewSettings & RefreshSettings & DestroySettings,
    | ("target" | "targetDependents" | "exclude" | "excludeDependents" | "replace")
    | ("refresh" | "runProgram" | "continueOnError" | "plan" | "heldTo" | "excludeProtected" | "clearPendingCreates")
    | ("message" | "parallel")
  >
>;

/** What a command asks of the engine. */
export interface OperationRequest {
  kind: "up" | "refresh" | "destroy" | "import";
  /** For an import: the objects to add to the state. */
  imports?: ImportRequest | undefined;
  preview: boolean;
  choices: OperationChoices;
  onEvent(event: EngineEvent): void;
  /** Says what the operation has been waiting for, for some seconds. */
  onWaiting?: ((what: string) => void) | undefined;
  /** Aborted at the first ^C: started work is finished. */
  signal: AbortSignal;
  /** Aborted at the second ^C: everything ends immediately, and the call rejects. */
  killSignal: AbortSignal;
}

/** The outputs of the stack come with the event `summary`. */
export interface CommandResult {
  result: "succeeded" | "failed" | "interrupted";
  changes: ChangeSummary;
  /** What this package's resources waited for. */
  timeSpent?: TimeSpent;
}

/**
 * Runs one operation on an existing stack. `cwd` and `env` are the command's. Rejects only for what no event reported:
 * a missing passphrase, a locked stack, a second ^C.
 */
export type Engine = (
  place: { stack: string; cwd: string; env: { readonly [name: string]: string | undefined } },
  request: OperationRequest,
) => Promise<CommandResult>;

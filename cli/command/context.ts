import type { DisplayClock } from "../../engine/display/display";
import type { Canvas } from "../../engine/display/live";
import type { ChangeSummary, EngineEvent } from "../../engine/events";
import type { ImportRequest } from "../../engine/program/import-resources";
import type { DestroySettings, PreviewSettings, RefreshSettings } from "../../engine/settings";
import type { Time, TimeSpent } from "../../provider/api/time";
import type { Checkout } from "../checkout/checkout";

export interface Output {
  write(text: string): void;
  readonly isTTY: boolean;
  /** Width of the terminal. `Infinity` where there is none: nothing is wrapped in a pipe or a log. */
  readonly columns: number;
  /** Height of the terminal; 24 where there is none. */
  readonly rows: number;
}

/** Everything outside that a command uses. Commands MUST NOT reach for `process` themselves. */
export interface CliContext {
  stdout: Output;
  stderr: Output;
  env: { readonly [name: string]: string | undefined };
  /** The folder to work in: `--cwd`, else the process's. */
  cwd: string;
  /** What the command may take from the checkout in that folder: nothing, until the command is known. */
  checkout: Checkout;
  /** A person at a terminal can answer. */
  isTTY: boolean;
  /** `--non-interactive`: nothing is drawn over, as if there were no terminal. */
  nonInteractive?: boolean;
  /** `--color`: whether to use colours, for any output. */
  colour?: boolean | undefined;
  clock: DisplayClock;
  /** Clock for waits and requests. */
  time: Time;
  signals: {
    /**
     * Calls back for every SIGINT, SIGTERM or SIGHUP until the returned function is called. While nobody listens,
     * one ends the process with `exitCodes.interrupted`.
     */
    listen(callback: () => void): () => void;
    /**
     * Work that only reads, perhaps for long without a pause: unless somebody listens, SIGINT and SIGTERM are the
     * system's, which ends the process at once, and by the signal.
     */
    leave<T>(work: () => Promise<T>): Promise<T>;
  };
  /** Standard input, for a value that is not an argument. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /**
   * The answer typed at the terminal, unseen if `hidden`; undefined at the end of input. Throws `interruption()` on ^C.
   */
  prompt(question: string, options?: { hidden?: boolean }): Promise<string | undefined>;
  /** A part of the terminal to draw over. Default: on standard output. */
  openCanvas(on?: "stdout" | "stderr"): Promise<Canvas>;
  /** The engine, loaded when it is first needed. */
  loadEngine(): Promise<Engine>;
  /** The exit code. A command that succeeded but found something sets it. */
  exitCode: number;
  /** Ends the process now. */
  exit(code: number): never;
}

export const exitCodes = {
  done: 0,
  error: 1,
  drift: 2,
  aboveCeiling: 2,
  partial: 3,
  unexpectedChanges: 7,
  usage: 64,
  interrupted: 130,
} as const;

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
  /** Ids of objects that the state no longer has and that are still live. */
  left: readonly string[];
  /** What this package's resources waited for. */
  timeSpent?: TimeSpent;
}

/**
 * Runs one operation on an existing stack. `cwd` and `env` are the command's, and `isTrusted` its checkout's. Rejects
 * only for what no event reported: a missing passphrase, a locked stack, a second ^C.
 */
export type Engine = (
  place: {
    stack: string;
    cwd: string;
    env: { readonly [name: string]: string | undefined };
    isTrusted?: boolean;
  },
  request: OperationRequest,
) => Promise<CommandResult>;

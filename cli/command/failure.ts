import { CommanderError } from "commander";
import { describeSystemError, outOfFilesMessage, UnsafeFileError } from "../../io/files/disk-error";
import { messageOf } from "../../provider/core/errors";
import { type CliContext, exitCodes } from "./context";

/** A failure with an exit code. `message` says what is wrong and what to do. */
export class CommandError extends Error {
  override readonly name = "CommandFailure";
  constructor(
    message: string,
    readonly exitCode: number = exitCodes.error,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The command line does not make sense. */
export const usageError = (message: string): CommandError => new CommandError(message, exitCodes.usage);

/** A requested file that the system refuses to write. */
export function unwritableError(path: string, cause: unknown): CommandError {
  if (cause instanceof UnsafeFileError) return new CommandError(cause.message, undefined, { cause });
  const { reason, remedy } = describeSystemError(cause);
  const advice = remedy === undefined ? "" : ` ${remedy}, or name a file elsewhere.`;
  return new CommandError(`${path} cannot be written: ${reason}.${advice}`, undefined, { cause });
}

/** ^C while a question was open. */
export const interruptedError = (): CommandError => new CommandError("interrupted", exitCodes.interrupted);

/** Says what went wrong on stderr, without a stack unless MODELPLATFORM_DEBUG is set, and gives the exit code. */
export function reportFailure(error: unknown, context: CliContext): number {
  // Help and the version, which the library has written.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const message = systemLimitMessage(error) ?? messageOf(error);
  const text = `error: ${message.trim() || "unknown"}`;
  const { stderr } = context;
  stderr.write(`${text.length < stderr.columns ? text : wrapText(text, stderr.columns)}\n`);
  if (context.env["MODELPLATFORM_DEBUG"] && error instanceof Error) stderr.write(`${stackOf(error)}\n`);
  return error instanceof CommandError ? error.exitCode : exitCodes.error;
}

/** What to do about an error of the system that says only which limit was met. */
function systemLimitMessage(error: unknown): string | undefined {
  // What walks a value runs out of its stack.
  if (error instanceof RangeError && error.message === "Maximum call stack size exceeded")
    return "a file or an answer is nested too deeply to be read. Look for lists or objects within one another, thousands deep.";
  return outOfFilesMessage(error);
}

/** What knows the width of characters is read only where something has gone wrong. */
function wrapText(text: string, columns: number): string {
  const { wrap } = require("../../engine/display/text") as typeof import("../../engine/display/text");
  return wrap(text, columns).join("\n");
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by: ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}

/** What has not ended so long after the first signal is left behind, as a host of life cycles leaves it. */
const graceMs = 4000;

interface Work<T> {
  /** Begins nothing more once `signal` aborts. */
  run(signal: AbortSignal): Promise<T>;
  /** What the error says: what is left, and how to continue. */
  message: string;
  /** Takes back what must not stay half done, before the process ends without waiting for the work. */
  undo?: (() => void) | undefined;
}

/**
 * Work that waits for others. The first signal aborts it; what has not ended after four seconds, or by the second
 * signal, ends with the process.
 */
export async function interruptible<T>(context: CliContext, { run, message, undo }: Work<T>): Promise<T> {
  const [abort, over] = [new AbortController(), new AbortController()];
  const failure = (): CommandError => new CommandError(message, exitCodes.interrupted);
  const leave = (): void => {
    undo?.();
    context.exit(reportFailure(failure(), context));
  };
  const silence = context.signals.listen(() => {
    if (abort.signal.aborted) return leave();
    abort.abort();
    context.time.sleep(graceMs, over.signal).then(leave, () => undefined);
  });
  try {
    return await run(abort.signal);
  } catch (error) {
    throw abort.signal.aborted ? failure() : error;
  } finally {
    over.abort();
    silence();
  }
}

import { type CliContext, exitCodes } from "./context";
import { CommandError, reportFailure } from "./failure";

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

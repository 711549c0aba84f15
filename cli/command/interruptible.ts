import { type CliContext, exitCodes } from "./context";
import { CommandFailure } from "./failure";

/**
 * Work that waits for others, which a signal interrupts: `message` then says how to continue. Once it has called
 * `settled`, a signal ends the process as the system does, so that no computation holds it up.
 */
export async function interruptible<T>(
  { signals }: Pick<CliContext, "signals">,
  message: string,
  work: (signal: AbortSignal, settled: () => void) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const silence = signals.listen(() => abort.abort());
  try {
    return await work(abort.signal, silence);
  } catch (error) {
    throw abort.signal.aborted ? new CommandFailure(message, exitCodes.interrupted) : error;
  } finally {
    silence();
  }
}

import { type ProgramRunOptions, programFailure, startProgram } from "./program";

/** Reasons to end a program early. */
export interface ProgramInterruption {
  /** Resolves when the operation must end early. */
  halted: Promise<void>;
  /** Resolves when no step is running. */
  settled: () => Promise<void>;
  killSignal: AbortSignal | undefined;
}

/** How long a program may take to end once the monitor is closed. */
const shutdownGraceMs = 5000;

/**
 * Runs the program to its end. Undefined if it succeeded; else the message for the user, which is absent if the program
 * has reported it. After a halt, the program ends once the running steps are done.
 */
export async function runProgram(
  options: ProgramRunOptions,
  monitor: { readonly busy: boolean; shutdown(): void },
  interruption: ProgramInterruption,
): Promise<{ message: string | undefined } | undefined> {
  let halted = false;
  const program = startProgram({
    ...options,
    onLine: (line, stream) => (halted ? undefined : options.onLine(line, stream)),
  });
  const kill = () => program.signal("SIGKILL");
  interruption.killSignal?.addEventListener("abort", kill, { once: true });
  try {
    const exit = await Promise.race([program.exited, interruption.halted.then(() => undefined)]);
    if (exit !== undefined) {
      const failure = programFailure(exit);
      if (failure !== undefined || !monitor.busy) return failure;
      return {
        message: "The program ended while resources were still being registered: it calls `process.exit` too early.",
      };
    }
    halted = true;
    await interruption.settled();
    monitor.shutdown();
    await program.end(shutdownGraceMs);
    return undefined;
  } finally {
    interruption.killSignal?.removeEventListener("abort", kill);
  }
}

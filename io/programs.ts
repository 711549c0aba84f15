import { execFile } from "node:child_process";

interface ProgramOptions {
  /** Ends the program at once, with what it may do about it. */
  signal: AbortSignal;
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Bytes of each stream. Default: 1 MB. */
  maxBuffer?: number;
}

/**
 * Runs a program without a shell, and resolves to what it prints. Rejects as soon as the signal aborts: a program that
 * ignores signals, or whose own children hold its output, would not end by itself.
 */
export const runProgram = (file: string, args: readonly string[], options: ProgramOptions): Promise<string> =>
  new Promise((resolve, reject) => {
    const { signal, ...rest } = options;
    const running = execFile(file, [...args], { ...rest, windowsHide: true }, (error, stdout, stderr) => {
      signal.removeEventListener("abort", end);
      if (error) reject(Object.assign(error, { stderr }));
      else resolve(stdout);
    });
    function end(): void {
      reject(signal.reason as Error);
      running.stdout?.destroy();
      running.stderr?.destroy();
      running.kill("SIGKILL");
    }
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });

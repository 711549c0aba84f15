import { closeSync, openSync, rmSync, statSync } from "node:fs";

/** A lock older than this, in milliseconds, is left over from a killed process. */
const stale = 2000;
const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs a short piece of work while no other process works on the same file. Two processes that find a killed process's
 * lock at once may both continue: the file must tolerate the loss of one change.
 */
export function underLock<T>(path: string, work: () => T): T {
  const lock = `${path}.lock`;
  acquire(lock);
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function acquire(lock: string): void {
  for (;;) {
    try {
      return closeSync(openSync(lock, "wx", 0o600));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
      if (since !== undefined && Date.now() - since > stale) rmSync(lock, { force: true });
      Atomics.wait(pause, 0, 0, 5);
    }
  }
}

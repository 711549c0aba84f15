import { closeSync, openSync, rmSync, statSync } from "node:fs";

/** A lock this old, in milliseconds, is left from a process that was killed while it held it. */
const stale = 2000;
const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Does what takes a moment while no other process does it to the same file. Two that find the lock of a killed process
 * at once may both continue: the file must bear the loss of one change then.
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

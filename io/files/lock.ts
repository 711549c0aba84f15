import { randomUUID } from "node:crypto";
import { closeSync, lstatSync, openSync, renameSync, rmSync } from "node:fs";
import { UnsafeFileError } from "./disk-error";
import { exclusively, ownerOnly } from "./write";

/** Age in milliseconds, in either direction, from which a lock is a killed process's or dated by another clock. */
const staleAfterMs = 2000;
/** Maximum wait for a lock in milliseconds, which also bounds the response to a signal. */
const fullTimeoutMs = 1000;
const pauseMs = 5;
/** After a timeout, the wait for other locks is this short, so that many do not add up. */
const shortTimeoutMs = 20;
const timeoutMemoryMs = 60_000;
const cell = new Int32Array(new SharedArrayBuffer(4));

export interface LockTime {
  now(): number;
  pause(ms: number): void;
}

const systemLockTime: LockTime = { now: Date.now, pause: (ms) => void Atomics.wait(cell, 0, 0, ms) };

/**
 * Runs a short piece of work while no other process works on the same file. Throws if the lock is not a regular file,
 * or is still held after a second. Two processes that break a killed process's lock at once may both continue: the file
 * must tolerate the loss of one change.
 */
export function underLock<T>(path: string, work: () => T, time: LockTime = systemLockTime): T {
  const lock = `${path}.lock`;
  acquire(lock, time);
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** The last timeout, per clock. */
const lastTimeout = new WeakMap<LockTime, number>();

function acquire(lock: string, time: LockTime): void {
  const { now, pause } = time;
  const last = lastTimeout.get(time);
  const timeout = last !== undefined && Math.abs(now() - last) < timeoutMemoryMs ? shortTimeoutMs : fullTimeoutMs;
  for (let waited = 0; ; waited += pauseMs) {
    try {
      return closeSync(openSync(lock, exclusively, ownerOnly));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const stats = lstatSync(lock, { throwIfNoEntry: false });
    if (stats && !stats.isFile())
      throw new UnsafeFileError(lock, "it is in the place of a lock and is not a regular file");
    if (stats && Math.abs(now() - stats.mtimeMs) > staleAfterMs) putAside(lock);
    else if (waited >= timeout) {
      lastTimeout.set(time, now());
      throw new UnsafeFileError(lock, "another process holds this lock");
    } else pause(pauseMs);
  }
}

/** Another process may have put the stale lock aside before. */
function putAside(lock: string): void {
  const aside = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  rmSync(aside, { force: true });
}

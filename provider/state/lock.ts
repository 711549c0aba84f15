/** Who holds a lock, as the lock file says. */
export interface LockHolder {
  pid: number;
  username: string;
  hostname: string;
  timestamp: string;
}

export interface StackLock {
  /** Resolves with the locks of dead processes that it broke. Rejects when another lock is there. */
  acquire(): Promise<LockHolder[]>;
  release(): Promise<void>;
  /** `cancel`: removes every lock of the stack, and says whose they were. */
  breakAll(): Promise<LockHolder[]>;
}

import { setTimeout as pause } from "node:timers/promises";

/** What this layer needs from outside besides the network. Tests pass their own. */
export interface Time {
  /** Milliseconds since 1970. */
  now(): number;
  /** Ends after `ms`, or rejects as soon as `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** At least 0, below 1. */
  random(): number;
}

export const systemTime: Time = {
  now: () => Date.now(),
  sleep: (ms, signal) => pause(ms, undefined, signal && { signal }),
  random: () => Math.random(),
};

import type { Time } from "../../../provider/api/time";

/**
 * A clock for tests with a real network: pauses take no time but move the clock; waits of at least `deadline` are for
 * one, and never end.
 */
export interface InstantTime extends Time {
  readonly pauses: readonly number[];
}

export function instantTime(
  start = Date.UTC(2026, 0, 1),
  random: () => number = () => 0.5,
  deadline = 50_000,
): InstantTime {
  let now = start;
  const pauses: number[] = [];
  return {
    pauses,
    random,
    now: () => now,
    sleep: (ms, signal) => {
      if (ms >= deadline)
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
      pauses.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}

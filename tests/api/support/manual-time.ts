import type { Time } from "../../../provider/api/time";

/** A clock that stands still until everything waits for it, and then jumps to whoever waits the shortest. */
export interface ManualTime extends Time {
  /** Moves on until `work` is settled, and gives its value. */
  run<T>(work: Promise<T>): Promise<T>;
  /** Every pause that was asked for, in milliseconds. */
  readonly pauses: readonly number[];
}

export function manualTime(start = Date.UTC(2026, 0, 1), random: () => number = () => 0.5): ManualTime {
  let now = start;
  const sleepers: { at: number; wake: () => void }[] = [];
  const pauses: number[] = [];

  const wakeNext = (): boolean => {
    const next = sleepers.reduce<(typeof sleepers)[number] | undefined>(
      (first, sleeper) => (first === undefined || sleeper.at < first.at ? sleeper : first),
      undefined,
    );
    if (!next) return false;
    sleepers.splice(sleepers.indexOf(next), 1);
    now = Math.max(now, next.at);
    next.wake();
    return true;
  };
  const settleOthers = () => new Promise<void>((resolve) => setImmediate(resolve));

  return {
    pauses,
    random,
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        pauses.push(ms);
        const sleeper = { at: now + ms, wake: resolve };
        sleepers.push(sleeper);
        signal?.addEventListener("abort", () => {
          const index = sleepers.indexOf(sleeper);
          if (index >= 0) sleepers.splice(index, 1);
          reject(signal.reason);
        });
      }),
    run: async (work) => {
      let settled = false;
      const done = (): void => void (settled = true);
      work.then(done, done);
      for (let idle = 0; !settled && idle < 10_000; ) {
        await settleOthers();
        if (settled) break;
        idle = wakeNext() ? 0 : idle + 1;
      }
      return work;
    },
  };
}

/** Numbers that look random, and are the same in every run. */
export function drawn(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

import type { Time } from "../../provider/api/time";

/** Time that passes only while everyone sleeps: the earliest sleeper wakes once nothing else is going on. */
export interface VirtualClock extends Time {
  /** Requests under way: time stands still until they are answered. */
  busy: number;
  /** Called with every advance, so that an emulator's manual clock moves along. */
  onAdvance(listener: (ms: number) => void): void;
  /** So much time passes at once, as on a machine that was suspended. */
  jump(ms: number): void;
}

interface Sleeper {
  due: number;
  wake(): void;
}

export function virtualClock(start = Date.parse("2026-01-01T00:00:00Z")): VirtualClock {
  let now = start;
  const sleepers = new Set<Sleeper>();
  const listeners: ((ms: number) => void)[] = [];
  let ticking = false;

  const isBusy = (): boolean =>
    clock.busy > 0 || process.getActiveResourcesInfo().some((each) => /^FSReq|^FileHandleCloseReq|Job$/.test(each));

  /**
   * Whoever has been answered, by a service, a disk or a cipher, gets some turns of the event loop to continue; only
   * then does time pass.
   */
  async function tick(): Promise<void> {
    if (ticking) return;
    ticking = true;
    while (sleepers.size > 0) {
      for (let quiet = 0; quiet < 20; quiet = isBusy() ? 0 : quiet + 1)
        await new Promise((resolve) => setImmediate(resolve));
      let next: Sleeper | undefined;
      for (const sleeper of sleepers) if (!next || sleeper.due < next.due) next = sleeper;
      if (!next) break;
      const ms = Math.max(0, next.due - now);
      now += ms;
      listeners.forEach((listener) => listener(ms));
      sleepers.delete(next);
      next.wake();
    }
    ticking = false;
  }

  const clock: VirtualClock = {
    busy: 0,
    now: () => now,
    random: () => 0.5,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const sleeper = { due: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => sleepers.delete(sleeper) && reject(signal.reason), { once: true });
        void tick();
      }),
    onAdvance: (listener) => void listeners.push(listener),
    jump(ms) {
      now += ms;
      for (const listener of listeners) listener(ms);
    },
  };
  return clock;
}

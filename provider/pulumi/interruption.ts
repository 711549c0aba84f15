import { setMaxListeners } from "node:events";

/** Ends the process when it is told to or has nobody left to answer to. */
export interface Interruption {
  /** Aborts the waits and requests of what is under way. */
  readonly signal: AbortSignal;
  /** Does `work` and counts as under way until it is done. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Aborts, and leaves it to the caller to end the process. */
  abort(): void;
  /** Aborts, lets what is under way come to its end, and exits with `code`. The second call exits at once. */
  interrupt(code: number): void;
}

interface InterruptionDeps {
  exit(code: number): void;
  sleep(ms: number): Promise<void>;
}

/**
 * What does not end by itself after an abort is left behind after this time:
 * the user who interrupts will not wait much longer.
 */
const abortGraceMs = 4000;

/** Answers that were just given are on their way out for about this long. */
const shutdownGraceMs = 200;

export function createInterruption({ exit, sleep }: InterruptionDeps): Interruption {
  const controller = new AbortController();
  // As many waits listen as an engine asks for at once; Node.js would warn of a leak.
  setMaxListeners(0, controller.signal);
  const underWay = new Set<Promise<unknown>>();
  let isEnding = false;

  async function windDown(): Promise<void> {
    if (underWay.size === 0) return;
    await Promise.race([Promise.allSettled(underWay), sleep(abortGraceMs)]);
    await sleep(shutdownGraceMs);
  }

  return {
    signal: controller.signal,
    async during(work) {
      const working = work();
      underWay.add(working);
      try {
        return await working;
      } finally {
        underWay.delete(working);
      }
    },
    abort: () => controller.abort(),
    interrupt(code) {
      if (isEnding) return exit(code);
      isEnding = true;
      controller.abort();
      void windDown().then(() => exit(code));
    },
  };
}

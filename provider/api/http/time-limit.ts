import type { Time } from "../time";

/** Longer timers overflow. */
const longestTimer = 2 ** 31 - 1;

/** Clears the timer of a finished call. Created once: creating an error per call takes longer than everything else. */
const over = new Error("the call is over");

/** A signal that aborts with the caller's, or at the deadline. */
export function timeLimit(
  time: Time,
  deadline: number,
  signal: AbortSignal | undefined,
): { signal: AbortSignal; late(): boolean; end(): void } {
  const expired = new AbortController();
  const ended = new AbortController();
  time.sleep(Math.min(Math.max(0, deadline - time.now()), longestTimer), ended.signal).then(
    () => expired.abort(new Error("the deadline passed")),
    () => {},
  );
  return {
    signal: signal ? AbortSignal.any([signal, expired.signal]) : expired.signal,
    late: () => expired.signal.aborted && !signal?.aborted,
    end: () => ended.abort(over),
  };
}

import { Stopped } from "./errors";

/** Waits for the work, or for the signal that ends everything immediately. */
export async function unlessKilled(
  signal: AbortSignal | undefined,
  kill: () => void,
  work: Promise<void>,
): Promise<void> {
  if (signal === undefined) return work;
  let onAbort: (() => void) | undefined;
  const killed = new Promise<never>((_, reject) => {
    onAbort = () => reject(new Stopped());
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    await Promise.race([work, killed]);
  } catch (error) {
    kill();
    throw error;
  } finally {
    if (onAbort) signal.removeEventListener("abort", onAbort);
  }
}

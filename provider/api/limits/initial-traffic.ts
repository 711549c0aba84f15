/** Successful requests before there was anything to learn. */
export interface InitialTraffic {
  through: number;
  /** When the first was sent, and when the last one arrived at the latest. */
  since: number;
  until: number;
  /** Duration of the fastest answer, in milliseconds. */
  quickest: number;
}

/** Milliseconds. */
const longestAnswer = 60_000;

export const nothingYet = (): InitialTraffic => ({ through: 0, since: Infinity, until: 0, quickest: longestAnswer });

/** A request succeeded. */
export function wentWell(beginning: InitialTraffic, startedAt: number, now: number): void {
  const took = Math.max(0, now - startedAt);
  beginning.through += 1;
  beginning.quickest = Math.min(took, beginning.quickest);
  beginning.since = Math.min(startedAt, beginning.since);
  beginning.until = Math.max(beginning.until, startedAt + took - beginning.quickest);
}

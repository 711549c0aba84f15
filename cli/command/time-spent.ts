import { formatDuration, wrap } from "../../engine/display/text";
import type { Stopwatch, TimeSpent } from "../../provider/api/trace/time-spent";
import type { CliContext } from "./context";

/** Shorter times, in milliseconds, are none that anybody asks about. */
const leastTime = 1000;

/** Where the time went, in one line; undefined where none went. */
export function timeSpentLine({ sent, requests, limit, states }: TimeSpent): string | undefined {
  const parts: [time: number, words: string][] = [
    [requests, `in ${sent} ${sent === 1 ? "request" : "requests"}`],
    [limit, "waiting for the service's limit"],
    [states, "waiting for states"],
  ];
  const waits = parts.flatMap(([time, words]) => (time < leastTime ? [] : [`${formatDuration(time)} ${words}`]));
  if (waits.length === 0) return undefined;
  return `Time: ${waits.join(", ")}.`;
}

/** Beside what a command has to say, so that a report stays as it is. */
export function tellTimeSpent(stopwatch: Stopwatch, { stderr }: Pick<CliContext, "stderr">): void {
  const line = timeSpentLine(stopwatch.read());
  if (line === undefined) return;
  stderr.write(`${wrap(line, stderr.columns).join("\n")}\n`);
}

import { formatDuration } from "../../engine/display/duration";
import { wrap } from "../../engine/display/text";
import type { Stopwatch, TimeSpent } from "../../provider/api/trace/time-spent";
import type { CliContext } from "./context";

/** Where the time went, in one line; undefined if nothing was sent. */
export function timeSpentLine({ sent, requests, limit, states }: TimeSpent): string | undefined {
  if (sent === 0) return undefined;
  const waits = [
    `${formatDuration(requests)} in ${sent} ${sent === 1 ? "request" : "requests"}`,
    `${formatDuration(limit)} waiting for the service's limit`,
    `${formatDuration(states)} waiting for states`,
  ];
  return `Time: ${waits.join(", ")}.`;
}

/** Beside what a command has to say, so that a report stays as it is. */
export function tellTimeSpent(stopwatch: Stopwatch, { stderr }: Pick<CliContext, "stderr">): void {
  const line = timeSpentLine(stopwatch.read());
  if (line === undefined) return;
  stderr.write(`${wrap(line, stderr.columns).join("\n")}\n`);
}

import type { Op } from "../events";
import { type BoardRow, isNotable } from "./board";
import { formatDuration, formatElapsed } from "./duration";
import { oneLine } from "./text";
import { opWords } from "./words";

const reading: ReadonlySet<Op> = new Set<Op>(["refresh", "read"]);
const namesPaths: ReadonlySet<Op> = new Set<Op>(["update", "replace", "refresh"]);

export const symbolOf = (row: BoardRow): string => {
  if (!isNotable(row)) return "";
  if (row.gone && row.op === "refresh") return "-";
  if (row.op === "refresh" && row.state === "running") return opWords.read.symbol;
  return opWords[row.op].symbol;
};

/** Whether the row's step is happening now; in a preview only reads of the live world happen. */
export const isActive = (row: BoardRow, preview: boolean): boolean =>
  row.state === "running" && (!preview || reading.has(row.step));

/** The status of the resource in a few words: `creating: CREATING, 2 of 4 replicas`, `updated: role`. */
export function statusOf(row: BoardRow, preview: boolean): string {
  if (!isNotable(row)) return "";
  if (row.state === "failed") return `${opWords[row.step].running} ${row.interrupted ? "interrupted" : "failed"}`;
  if (isActive(row, preview)) {
    const { running } = opWords[row.step];
    return row.phase === undefined ? running : `${running}: ${oneLine(row.phase)}`;
  }
  if (row.gone && row.op === "refresh") return "gone";
  const { planned, done } = opWords[row.op];
  const word = preview ? planned : done;
  return row.paths.length > 0 && namesPaths.has(row.op) ? `${word}: ${oneLine(row.paths.join(", "))}` : word;
}

/** How long the resource took: whole seconds while it runs, empty if nothing was done. */
export function timeOf(row: BoardRow, preview: boolean, now: number): string {
  if (!isNotable(row)) return "";
  if (isActive(row, preview)) return formatElapsed(row.spent + now - row.since);
  return preview || row.state === "running" ? "" : formatDuration(row.spent);
}

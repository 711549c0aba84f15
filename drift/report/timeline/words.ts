import type { Render } from "../../../io/text/format";
import type { HistoryDay, HistoryFigures, RemedyFigures } from "../../history/index";
import type { DriftReport } from "../../scan/document";
import { count } from "../phrases";

/** A time in its two largest units: `3 d 4 h`, `7 h`, `45 min`; seconds below a minute. */
export function timeText(seconds: number | undefined): string {
  if (seconds === undefined) return "";
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  const parts = [
    [days, "d"],
    [hours, "h"],
    [minutes, "min"],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return `${Math.floor(seconds)} s`;
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(" ");
}

/** How long ago something was first seen. */
const ageText = (since: string | undefined, now: number): string =>
  since === undefined ? "" : timeText(Math.max(0, (now - Date.parse(since)) / 1000));

export const headline = ({ bySeverity }: HistoryFigures): string =>
  `${count(totalOf(bySeverity, "open"), "open finding")}, ${totalOf(bySeverity, "remedied")} remedied`;

const totalOf = (rows: readonly RemedyFigures[], what: "open" | "remedied"): number =>
  rows.reduce((total, row) => total + row[what], 0);

/** What the figures are of. */
export function scopeOf({ scans, from, to, accepted }: HistoryFigures): string {
  if (from === undefined || to === undefined) return "no scans";
  const parts = [`${count(scans, "scan")} from ${from.slice(0, 10)} to ${to.slice(0, 10)}`];
  if (accepted > 0) parts.push(`${accepted} accepted`);
  return parts.join(", ");
}

export const remedyHeads = ["open", "oldest", "remedied", "median", "longest"] as const;

/** The cells beside the key. */
export const remedyCells = ({ open, oldest, remedied, median, longest }: RemedyFigures, now: number): string[] => [
  String(open),
  ageText(oldest, now),
  String(remedied),
  timeText(median),
  timeText(longest),
];

export const sum = ({ open }: Pick<HistoryDay, "open">): number => open.error + open.warning + open.note;

/** Where the figures of a history are shown. */
export interface FiguresContext {
  /** Characters in a line. */
  columns: number;
  color: boolean;
  tool: DriftReport["tool"];
  /** Milliseconds since 1970: how old is what is open. */
  now: number;
}

export type FiguresWriter = Render<HistoryFigures, FiguresContext>;

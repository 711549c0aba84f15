import { createColors } from "picocolors";
import { printable, withoutCommands } from "../../io/text/printable";
import { columnsOf, fold, type Render } from "../../io/text/report-format";
import type { HistoryDay, HistoryFigures, RemedyFigures } from "../history/store";
import type { Severity } from "../scan/finding-document";
import { severities } from "../scan/verdicts";
import { count, shortName } from "./wording";

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

const headline = ({ bySeverity }: HistoryFigures): string =>
  `${count(totalOf(bySeverity, "open"), "open finding")}, ${totalOf(bySeverity, "remedied")} remedied`;

const totalOf = (rows: readonly RemedyFigures[], what: "open" | "remedied"): number =>
  rows.reduce((total, row) => total + row[what], 0);

function scopeOf({ scans, from, to, accepted }: HistoryFigures): string {
  if (from === undefined || to === undefined) return "no scans";
  const parts = [`${count(scans, "scan")} from ${from.slice(0, 10)} to ${to.slice(0, 10)}`];
  if (accepted > 0) parts.push(`${accepted} accepted`);
  return parts.join(", ");
}

const remedyHeads = ["open", "oldest", "remedied", "median", "longest"] as const;

/** The cells beside the key. */
const remedyCells = ({ open, oldest, remedied, median, longest }: RemedyFigures, now: number): string[] => [
  String(open),
  ageText(oldest, now),
  String(remedied),
  timeText(median),
  timeText(longest),
];

const sum = ({ open }: Pick<HistoryDay, "open">): number => open.error + open.warning + open.note;

/** Where the figures of a history are displayed. */
export interface FiguresContext {
  /** Characters in a line. */
  columns: number;
  color: boolean;
  /** Milliseconds since 1970: how old is what is open. */
  now: number;
}

export type FiguresWriter = Render<HistoryFigures, FiguresContext>;

type Paint = (text: string) => string;
interface Paints {
  title: Paint;
  faint: Paint;
  of: Readonly<Record<Severity, Paint>>;
}

/** For people at a terminal: a bar per day or week, then the times to remedy, then what comes back. */
export const text: FiguresWriter = (figures, context) => {
  const { bold, dim, red, yellow, cyan } = createColors(context.color);
  const paints: Paints = { title: bold, faint: dim, of: { error: red, warning: yellow, note: cyan } };
  const width = Math.min(widestChart, Math.max(40, context.columns));
  const blocks = [
    [bold(headline(figures)), scopeOf(figures)].join("\n"),
    chart(figures.timeline, width, paints),
    remedies("severity", figures.bySeverity, context, paints),
    remedies("account", figures.byAccount, context, paints),
    recurringLines(figures, width, paints),
  ];
  return `${blocks
    .filter((block) => block !== "")
    .map(withoutCommands)
    .join("\n\n")}\n`;
};

/** A bar longer than this says no more, wherever it is printed. */
const widestChart = 140;
/** More days than this make a bar per week. */
const mostBars = 31;
/** So that the severities differ without colours, too. */
const marks: Readonly<Record<Severity, string>> = { error: "█", warning: "▓", note: "░" };

function chart(days: readonly HistoryDay[], width: number, { title, faint, of }: Paints): string {
  if (days.length === 0) return "";
  const step = days.length > mostBars ? 7 : 1;
  // The last day of each week, counted from the end, so that the last bar is of now.
  const bars = days.filter((_, index) => (days.length - 1 - index) % step === 0);
  const moved = bars.map((_, index) => {
    const end = days.length - (bars.length - 1 - index) * step;
    const span = days.slice(Math.max(0, end - step), end);
    const [newCount, resolvedCount] = [
      span.reduce((all, day) => all + day.found, 0),
      span.reduce((all, day) => all + day.gone, 0),
    ];
    return `+${newCount} -${resolvedCount}`;
  });
  const most = Math.max(1, ...bars.map(sum));
  const room = Math.max(
    8,
    width - "2026-01-01  ".length - "  9999".length - Math.max(...moved.map(({ length }) => length)) - 2,
  );
  const rows = bars.map((day, index) => [day.day, barOf(day, most, room, of), String(sum(day)), faint(moved[index]!)]);
  const key = severities.map((severity) => `${of[severity](marks[severity])} ${severity}`).join("  ");
  return `${title(step === 1 ? "Open findings by day" : "Open findings by week")}\n${columnsOf(rows)}\n${key}  ${faint("+ found - gone")}`;
}

/** Whole characters whose number is the part of the largest bar; what is there has one at least. */
function barOf({ open }: HistoryDay, most: number, room: number, of: Paints["of"]): string {
  let total = 0;
  let drawn = 0;
  return severities
    .map((severity) => {
      total += open[severity];
      const end = Math.round((total / most) * room);
      const length = open[severity] === 0 ? 0 : Math.max(1, end - drawn);
      drawn += length;
      return length === 0 ? "" : of[severity](marks[severity].repeat(length));
    })
    .join("");
}

function remedies(
  what: string,
  rows: readonly RemedyFigures[],
  { now }: FiguresContext,
  { title, faint }: Paints,
): string {
  const visibleRows = rows.filter(({ open, remedied }) => open + remedied > 0);
  if (visibleRows.length === 0) return "";
  const heads = [what, ...remedyHeads].map((head) => faint(head.toUpperCase()));
  const lines = visibleRows.map((row) => [printable(row.key), ...remedyCells(row, now)]);
  return `${title(`Time to remedy, by ${what}`)}\n${columnsOf([heads, ...lines])}`;
}

function recurringLines(
  { recurring: recurrences }: HistoryFigures,
  width: number,
  { title, faint, of }: Paints,
): string {
  if (recurrences.length === 0) return "";
  const rows = recurrences.map((each) => [
    of[each.severity](`${each.times} times`),
    fold(printable(`${shortName(each)} in ${each.account}`), width - 40).join("\n"),
    each.open ? "open" : "gone",
    each.lastFound.slice(0, 10),
  ]);
  return `${title("What comes back")}\n${columnsOf([["FOUND", "OBJECT", "NOW", "LAST FOUND"].map(faint), ...rows])}`;
}

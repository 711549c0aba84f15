import type { Op } from "../events";
import { type Board, type BoardRow, isInternal, isNotable } from "./board";
import {
  columns,
  formatDuration,
  formatElapsed,
  oneLine,
  type Paint,
  type Palette,
  padEnd,
  padStart,
  paintOf,
  truncate,
} from "./text";
import { opWords, typeLabel, wordsOf } from "./wording";

/** Below this many columns the type is omitted and the tree is drawn at the name. */
const narrow = 60;
/** Below this many columns types are displayed without the package that they share. */
const roomy = 100;
const gap = 2;
const symbolWidth = 5;

interface Line {
  symbol: string;
  cells: string[];
  time: string;
  paints: { symbol: Paint; cells: Paint[]; time: Paint };
}

/** Widths of the columns as they were drawn last, so that the table does not jitter when it is redrawn. */
export interface ColumnMemory {
  widths: number[];
}

/** What the table is drawn on. */
interface Canvas {
  palette: Palette;
  width: number;
  now: number;
  memory?: ColumnMemory | undefined;
}

/** The rows as lines of at most `width` columns, below a line of headings. Empty without rows. */
export function table(branches: Branch[], board: Board, canvas: Canvas): string[] {
  if (branches.length === 0) return [];
  const { palette, width, memory = { widths: [] } } = canvas;
  const slim = width < narrow;
  const shared = width < roomy ? sharedPackage(branches) : "";
  const body = branches.map((branch) => line(branch, board, { ...canvas, slim, shared }));
  const headings = [...(slim ? [] : ["Type"]), "Name", outcomeHeading(board)];
  const timed = body.some(({ time }) => time !== "");
  const head: Line = {
    symbol: "",
    cells: headings,
    time: timed ? "Time" : "",
    paints: { symbol: palette.faint, cells: headings.map(() => palette.faint), time: palette.faint },
  };
  const lines = [head, ...body];
  const timeWidth = Math.max(...lines.map(({ time }) => columns(time)));
  const room = width - symbolWidth - gap * (headings.length - 1) - (timed ? gap + timeWidth : 0);
  const known = memory.widths.length === headings.length ? memory.widths : [];
  memory.widths = naturalWidths(lines).map((natural, index) => Math.max(natural, known[index] ?? 0));
  const widths = fit(memory.widths, room);
  return lines.map((each) => draw(each, widths, timeWidth));
}

/** `modelplatform:`, where all resources but the engine's own are of one package; otherwise empty. */
function sharedPackage(branches: readonly Branch[]): string {
  const labels = branches
    .map(({ row }) => typeLabel(row.type))
    .filter((label) => label.includes(":") && !/^(pulumi|provider):/.test(label));
  const packages = new Set(labels.map((label) => label.slice(0, label.indexOf(":") + 1)));
  const [only = ""] = packages;
  return packages.size === 1 ? only : "";
}

function outcomeHeading({ operation, preview }: Board): string {
  if (!preview) return "Status";
  return operation === "refresh" ? "Found" : "Plan";
}

function line(
  { row, prefix }: Branch,
  { preview }: Board,
  { palette, now, slim, shared }: Canvas & { slim: boolean; shared: string },
): Line {
  const name = oneLine(row.name);
  const paint = row.state === "failed" ? palette.error : paintOf(palette, row.op);
  const unchanged = !isNotable(row);
  const label = typeLabel(row.type);
  const type = `${prefix}${label.startsWith(shared) ? label.slice(shared.length) : label}`;
  const subject = unchanged ? palette.faint : palette.plain;
  const status = !unchanged && (isActive(row, preview) || row.state === "failed") ? paint : subject;
  return {
    symbol: symbolOf(row),
    cells: [...(slim ? [`${prefix}${name}`] : [type, name]), statusOf(row, preview)],
    time: timeOf(row, preview, now),
    paints: { symbol: paint, cells: [...(slim ? [] : [palette.faint]), subject, status], time: palette.faint },
  };
}

const naturalWidths = (lines: Line[]): number[] =>
  (lines[0]?.cells ?? []).map((_, index) => Math.max(...lines.map(({ cells }) => columns(cells[index] ?? ""))));

/** Shortens columns from the left, each down to a minimum width: the status, which is last, says the most. */
function fit(natural: number[], room: number): number[] {
  const widths = [...natural];
  let over = widths.reduce((sum, width) => sum + width, 0) - room;
  for (const least of [24, 14, 6, 1]) {
    for (const index of widths.keys()) {
      const width = widths[index] ?? 0;
      const cut = Math.max(0, Math.min(over, width - least));
      widths[index] = width - cut;
      over -= cut;
    }
  }
  return widths;
}

function draw({ symbol, cells, time, paints }: Line, widths: number[], timeWidth: number): string {
  const last = cells.length - 1;
  const drawn = cells.map((cell, index) => {
    const width = widths[index] ?? 0;
    const text = truncate(cell, width);
    const trailing = index === last && time === "" ? "" : " ".repeat(Math.max(0, width - columns(text)));
    return (paints.cells[index] ?? String)(text) + trailing;
  });
  const mark = padEnd(` ${symbol}`, symbolWidth);
  const clock = time === "" ? "" : " ".repeat(gap) + paints.time(padStart(time, timeWidth));
  return (paints.symbol(mark) + drawn.join(" ".repeat(gap)) + clock).trimEnd();
}

/** How many rows are in which state, for the line below the table and for rows that do not fit the screen. */
export function countByState(
  rows: Iterable<BoardRow>,
  preview: boolean,
): { active: number; done: number; failed: number; unchanged: number } {
  const counts = { active: 0, done: 0, failed: 0, unchanged: 0 };
  for (const row of rows) counts[stateOf(row, preview)] += 1;
  return counts;
}

function stateOf(row: BoardRow, preview: boolean): "active" | "done" | "failed" | "unchanged" {
  if (row.state === "failed") return "failed";
  if (isActive(row, preview)) return "active";
  return row.changed || row.state === "running" ? "done" : "unchanged";
}

const reading: ReadonlySet<Op> = new Set<Op>(["refresh", "read"]);
const namesPaths: ReadonlySet<Op> = new Set<Op>(["update", "replace", "refresh"]);

export const symbolOf = (row: BoardRow): string => {
  if (!isNotable(row)) return "";
  if (row.wasDeleted && row.op === "refresh") return "-";
  if (row.op === "refresh" && row.state === "running") return opWords.read.symbol;
  return opWords[row.op].symbol;
};

/** Whether the row's step is happening now; in a preview only reads of live state happen. */
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
  if (row.wasDeleted && row.op === "refresh") return "gone";
  const { planned, done } = wordsOf(row);
  const word = preview ? planned : done;
  return row.paths.length > 0 && namesPaths.has(row.op) ? `${word}: ${oneLine(row.paths.join(", "))}` : word;
}

/** How long the resource took: whole seconds while it runs, empty if nothing was done. */
function timeOf(row: BoardRow, preview: boolean, now: number): string {
  if (!isNotable(row)) return "";
  if (isActive(row, preview)) return formatElapsed(row.spent + now - row.since);
  return preview || row.state === "running" ? "" : formatDuration(row.spent);
}

export interface Branch {
  row: BoardRow;
  /** The lines that connect the row to its parent; empty at the root. */
  prefix: string;
}

/** The notable rows with their ancestors, children below their parents, in order of appearance. */
export function tree(board: Board): Branch[] {
  const visibleRows = new Set<BoardRow>();
  for (const row of board.rows.values()) {
    for (
      let at: BoardRow | undefined = isNotable(row) ? row : undefined;
      at && !visibleRows.has(at);
      at = parentOf(board, at)
    )
      visibleRows.add(at);
  }
  const children = new Map<BoardRow | undefined, BoardRow[]>();
  for (const row of board.rows.values()) {
    if (!visibleRows.has(row)) continue;
    const parent = parentOf(board, row);
    const siblings = children.get(parent);
    if (siblings) siblings.push(row);
    else children.set(parent, [row]);
  }
  return branches(children, undefined, "");
}

function parentOf(board: Board, row: BoardRow): BoardRow | undefined {
  const parent = row.parent === undefined ? undefined : board.rows.get(row.parent);
  return parent === undefined || isInternal(parent) ? undefined : parent;
}

function branches(
  children: Map<BoardRow | undefined, BoardRow[]>,
  parent: BoardRow | undefined,
  indent: string,
): Branch[] {
  const below = children.get(parent) ?? [];
  return below.flatMap((row, index) => {
    const last = index === below.length - 1;
    const prefix = parent === undefined ? "" : `${indent}${last ? "└─ " : "├─ "}`;
    const deeper = parent === undefined ? "" : `${indent}${last ? "   " : "│  "}`;
    return [{ row, prefix }, ...branches(children, row, deeper)];
  });
}

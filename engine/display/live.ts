import { Board, type BoardRow, isInternal, titleOf } from "./board";
import type { Display, DisplayOptions } from "./display";
import { report } from "./report";
import { type Branch, type ColumnMemory, countByState, isActive, table, tree } from "./table";
import { columns, formatElapsed, oneLine, type Palette, truncate } from "./text";

/** A part of the terminal that is redrawn in place. */
export interface Canvas {
  draw(text: string): void;
  /** Erases it and returns the cursor to its start. */
  erase(): void;
}

/** Milliseconds between two frames. When nothing happens, a frame is due when the elapsed seconds change. */
const interval = 100;

/** A table that is updated in place, then the report. */
export function createLiveDisplay(options: DisplayOptions, canvas: Canvas): Display {
  const { clock, palette, size } = options;
  const board = new Board();
  const memory: ColumnMemory = { widths: [] };
  let notice: string | undefined;
  let waiting: string | undefined;
  let changed = false;
  let drawnSecond = -1;
  const second = () => Math.floor((clock.now() - (board.startedAt ?? clock.now())) / 1000);

  const draw = () => {
    const { width, height } = size();
    // The line below the frame is left to the cursor.
    canvas.draw(
      frame(board, {
        palette,
        width,
        height: Math.max(1, height - 1),
        now: clock.now(),
        notice: notice ?? waiting,
        columns: memory,
      }).join("\n"),
    );
    changed = false;
    drawnSecond = second();
  };
  const tick = () => {
    if (board.startedAt !== undefined && (changed || second() !== drawnSecond)) draw();
  };
  const stop = clock.every(interval, tick);

  return {
    onEvent(event) {
      board.apply(event);
      changed = true;
      // Before the prelude, there is only a wait to display.
      if (board.startedAt === undefined && event.kind === "diagnostic") waiting = event.message.split("\n")[0];
      if (event.kind === "prelude") waiting = undefined;
      if (event.kind === "prelude" || waiting !== undefined) draw();
    },
    notice(text) {
      notice = text;
      draw();
    },
    close() {
      stop();
      canvas.erase();
      if (board.startedAt === undefined) return;
      const { width } = size();
      const rows = table(tree(board), board, { palette, width, now: clock.now() });
      const lines = [palette.title(titleOf(board)), "", ...rows, ...(rows.length > 0 ? [""] : [])];
      options.write(`${[...lines, ...report(board, { ...options, width, quiet: false })].join("\n")}\n`);
    },
  };
}

interface Screen {
  palette: Palette;
  /** Columns and rows of the terminal. */
  width: number;
  height: number;
  /** Milliseconds since 1970, as the events count. */
  now: number;
  /** A message for the user, below everything else. */
  notice?: string | undefined;
  columns: ColumnMemory;
}

/** The running operation as at most `height` lines of at most `width` columns. */
function frame(board: Board, screen: Screen): string[] {
  const { palette, width, height, now, notice } = screen;
  const fixed = [heading(board, screen), "", "", palette.faint(truncate(footer(board), width))];
  if (notice !== undefined) fixed.push(palette.warning(truncate(notice, width)));
  const room = height - fixed.length;
  const whole = tree(board);
  const body =
    whole.length + 1 <= room
      ? table(whole, board, { palette, width, now, memory: screen.columns })
      : busiest(board, screen, room);
  const lines =
    body.length === 0 ? [fixed[0] ?? "", ...fixed.slice(2)] : [...fixed.slice(0, 2), ...body, ...fixed.slice(2)];
  return lines.slice(-height);
}

function heading(board: Board, { palette, width, now }: Screen): string {
  const elapsed = formatElapsed(now - (board.startedAt ?? now));
  const title = truncate(titleOf(board), width - columns(elapsed) - 2);
  return (
    palette.title(title) + " ".repeat(Math.max(2, width - columns(title) - columns(elapsed))) + palette.faint(elapsed)
  );
}

/** Rows that do not fit are omitted: failures stay, then the longest running. */
function busiest(board: Board, { palette, width, now, columns: memory }: Screen, room: number): string[] {
  const rows = [...board.rows.values()].filter((row) => !isInternal(row) || row.state === "failed");
  const failed = rows.filter((row) => row.state === "failed");
  const active = rows.filter((row) => isActive(row, board.preview)).sort((a, b) => a.since - b.since);
  const recent = rows.filter((row) => row.changed && row.state === "done").reverse();
  const lines = Math.max(0, room - 2);
  const kept = [...failed.slice(0, Math.max(1, Math.floor(lines / 4))), ...active, ...recent].slice(0, lines);
  const hidden = active.length - kept.filter((row) => active.includes(row)).length;
  const more = hidden > 0 ? `     … and ${hidden} more running` : "     … the latest; all of them at the end";
  const rest = palette.faint(truncate(more, width));
  return [...table(kept.map(withoutIndent), board, { palette, width, now, memory }), rest].slice(0, room);
}

const withoutIndent = (row: BoardRow): Branch => ({ row, prefix: "" });

function footer(board: Board): string {
  const rows = [...board.rows.values()].filter((row) => !isInternal(row) || row.state === "failed");
  const { active, done, failed, unchanged } = countByState(rows, board.preview);
  const change = board.preview ? "to change" : "done";
  const counts: [number, string][] = [
    [done, board.operation === "refresh" ? "changed" : change],
    [active, "running"],
    [failed, "failed"],
    [unchanged, "unchanged"],
  ];
  const parts = counts.flatMap(([count, word]) => (count > 0 ? [`${count} ${word}`] : []));
  const tally = parts.join(", ");
  if (active > 0 || board.phase === undefined) return tally || "running the program";
  return tally === "" ? oneLine(board.phase) : `${tally} · ${oneLine(board.phase)}`;
}

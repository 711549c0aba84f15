import { Board } from "./board";
import type { Display, DisplayOptions } from "./display";
import { frame, titleOf } from "./frame";
import { report } from "./report";
import { type ColumnMemory, table } from "./table";
import { tree } from "./tree";

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
    // The line below the frame, where the cursor waits, is not ours.
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
      // Before the prelude there is nothing to show but what it waits for.
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

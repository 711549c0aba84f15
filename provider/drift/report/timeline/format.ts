import type { DriftReport } from "../../document";
import type { HistoryFigures } from "../../history/index";

/** Where the figures of a history are shown. */
export interface FiguresContext {
  /** Characters in a line. */
  columns: number;
  color: boolean;
  tool: DriftReport["tool"];
  /** Milliseconds since 1970: how old is what is open. */
  now: number;
}

/** One format of the figures of a history. Pure. */
export interface FiguresFormat {
  render(figures: HistoryFigures, context: FiguresContext): string;
}

import type { Render } from "../../../io/text/format";
import type { HistoryFigures } from "../../history/index";
import type { DriftReport } from "../../scan/document";

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

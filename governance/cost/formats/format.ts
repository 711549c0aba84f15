import type { Render } from "../../../io/text/format";
import type { CostReport } from "../report";

/** Where a report is shown. */
export interface CostContext {
  /** Characters in a line. */
  columns: number;
}

export type CostWriter = Render<CostReport, CostContext>;

import type { CostReport } from "../report";

/** One format of the report. Pure: a report in, text with its last line break out. */
export interface CostFormat {
  render(report: CostReport, place: { columns: number }): string;
}

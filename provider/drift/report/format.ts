import type { DriftReport } from "../document";

/** Where a report is shown. */
export interface ReportContext {
  /** Characters in a line. */
  columns: number;
  /** Whether colours may be used. */
  color: boolean;
}

/** One format of the report. Pure: a report and where it is shown, in; text, with its last line break, out. */
export interface ReportFormat {
  /** Of the file `drift.<extension>`. */
  extension: string;
  render(report: DriftReport, context: ReportContext): string;
}

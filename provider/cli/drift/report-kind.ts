import type { ReportFormat } from "../../drift/report/format";
import { formats } from "../../drift/report/index";

/** What a command reports, and in which formats. */
export interface ReportKind {
  /** Of the files, where there are several: `drift.<extension>`. */
  stem: string;
  formats: Readonly<Record<string, ReportFormat>>;
}

export const driftReports: ReportKind = { stem: "drift", formats };

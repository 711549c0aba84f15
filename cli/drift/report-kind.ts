import { formats as driftFormats } from "../../drift/report/index";

/** What a command reports, and in which formats. */
export interface ReportKind {
  /** Of the files, where there are several: `drift.<extension>`. */
  stem: string;
  formats: typeof driftFormats;
}

export const driftReports: ReportKind = { stem: "drift", formats: driftFormats };

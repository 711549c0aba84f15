import { type Formats, format } from "../../io/text/format";
import type { DriftReport } from "../drift/document";
import type { ReportContext } from "../drift/report/format";
import { formats } from "../drift/report/index";

/** The formats of a scan, and a calendar. */
export const auditFormats: Formats<DriftReport, ReportContext> = {
  ...formats,
  ics: format(
    "ics",
    "calendars, with a day for each model that is taken down",
    () => (require("./ics") as typeof import("./ics")).ics,
  ),
};

import { type Formats, format } from "../../io/text/format";
import type { ReportContext } from "../report/format";
import { formats } from "../report/index";
import type { DriftReport } from "../scan/document";

/** The formats of a scan, and a calendar. */
export const auditFormats: Formats<DriftReport, ReportContext> = {
  ...formats,
  ics: format(
    "ics",
    "calendars, with a day for each model that is taken down",
    () => (require("./ics") as typeof import("./ics")).ics,
  ),
};

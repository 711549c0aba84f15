import { type Formats, format } from "../../io/text/format";
import { printable } from "../../io/text/printable";
import type { ReportContext, ReportWriter } from "../report/format";
import { formats } from "../report/index";
import type { DriftReport, Retirement } from "../scan/document";

/** The formats of a scan, and a calendar. */
export const auditFormats: Formats<DriftReport, ReportContext> = {
  ...formats,
  ics: format(
    "ics",
    "calendars, with a day for each model that is taken down",
    () => (require("./ics") as typeof import("./ics")).ics,
  ),
};

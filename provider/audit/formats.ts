import type { ReportFormat } from "../drift/report/format";
import { formats } from "../drift/report/index";

/** The formats of a scan, and a calendar; each is loaded when it is first asked for. */
export const auditFormats: Readonly<Record<string, ReportFormat>> = Object.defineProperties({} as typeof formats, {
  ...Object.getOwnPropertyDescriptors(formats),
  ics: { enumerable: true, get: () => (require("./ics") as typeof import("./ics")).ics },
});

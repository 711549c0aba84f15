import { printableJson } from "../../text/printable";
import type { ReportFormat } from "./format";
import { sealedReport } from "./values";

/** The document itself. */
export const json: ReportFormat = {
  extension: "json",
  render: (report) => `${printableJson(sealedReport(report), 2)}\n`,
};

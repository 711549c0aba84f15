import { printableJson } from "../../io/text/printable";
import type { ReportWriter } from "./format";
import { sealedReport } from "./values";

/** The document itself. */
export const json: ReportWriter = (report) => `${printableJson(sealedReport(report), 2)}\n`;

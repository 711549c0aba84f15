import { printableJson } from "../../io/text/printable";
import type { ReportWriter } from "./format";
import { sealedReport } from "./values";

/**
 * For programs that read a report as a stream. A line is one JSON object and says in `record` what it holds: first
 * `header` (version, tool, start, scope), then one `finding` per finding, last `summary` (everything that is known only
 * at the end). A reader that has seen no `summary` has not seen the whole report.
 */
export const ndjson: ReportWriter = (report) => {
  const { schemaVersion, tool, startedAt, scope, findings, ...rest } = sealedReport(report);
  const lines = [
    { record: "header", schemaVersion, tool, startedAt, scope },
    ...findings.map((finding) => ({ record: "finding", ...finding })),
    { record: "summary", ...rest },
  ];
  return lines.map((line) => `${printableJson(line)}\n`).join("");
};

import { printableJson } from "../../io/text/printable";
import type { DriftReport, Finding } from "../scan/document";
import { sealed } from "../scan/sealed";
import type { ReportHeader, ReportStream } from "../scan/stream";
import type { ReportWriter } from "./format";
import { sealedReport } from "./values";

/**
 * For programs that read a report as a stream. A line is one JSON object and says in `record` what it holds: first
 * `header` (version, tool, start, scope), then one `finding` per finding, last `summary` (everything that is known only
 * at the end). A reader that has seen no `summary` has not seen the whole report.
 */
export const ndjson: ReportWriter = (report) => {
  const { schemaVersion, tool, startedAt, scope, findings, ...rest } = sealedReport(report);
  return [
    lineOf("header", { schemaVersion, tool, startedAt, scope }),
    ...findings.map((finding) => lineOf("finding", finding)),
    lineOf("summary", rest),
  ].join("");
};

/** Writes the same lines while the report is made. */
export class NdjsonStream implements ReportStream {
  constructor(private readonly write: (text: string) => void) {}

  begin(header: ReportHeader): void {
    this.write(lineOf("header", sealed(header) as ReportHeader));
  }

  found(findings: readonly Finding[]): void {
    for (const finding of findings) this.write(lineOf("finding", sealed(finding) as Finding));
  }

  end(report: DriftReport): void {
    const { schemaVersion: _, tool: __, startedAt: ___, scope: ____, findings: _____, ...rest } = report;
    this.write(lineOf("summary", sealed(rest) as object));
  }
}

const lineOf = (record: "header" | "finding" | "summary", content: object): string =>
  `${printableJson({ record, ...content })}\n`;

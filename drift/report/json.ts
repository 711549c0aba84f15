import { printableJson } from "../../io/text/printable";
import type { ReportStream } from "../scan/detect";
import type { DriftReport } from "../scan/document";
import { type Finding, sealValue } from "../scan/finding-document";
import type { ReportHeader } from "../scan/result";
import type { ReportWriter } from "./context";
import { sealedReport } from "./values";

/** The document itself. */
export const json: ReportWriter = (report) => `${printableJson(sealedReport(report), 2)}\n`;

/**
 * For programs that read a report as a stream. A line is one JSON object and says in `record` what it holds: first
 * `header` (version, tool, start, scope), then one `finding` per finding, last `summary` (everything that is known only
 * at the end). A reader that has seen no `summary` has not seen the whole report.
 */
export const ndjson: ReportWriter = (report) => {
  const lines: string[] = [];
  const stream = new NdjsonStream((text) => lines.push(text));
  stream.begin(report);
  stream.found(report.findings);
  stream.end(report);
  return lines.join("");
};

/** Writes the lines while the report is made. */
export class NdjsonStream implements ReportStream {
  constructor(private readonly write: (text: string) => void) {}

  begin({ schemaVersion, tool, startedAt, scope }: ReportHeader): void {
    this.writeLine("header", { schemaVersion, tool, startedAt, scope });
  }

  found(findings: readonly Finding[]): void {
    for (const finding of findings) this.writeLine("finding", finding);
  }

  end(report: DriftReport): void {
    const { schemaVersion: _, tool: __, startedAt: ___, scope: ____, findings: _____, ...rest } = report;
    this.writeLine("summary", rest);
  }

  private writeLine(record: "header" | "finding" | "summary", content: object): void {
    this.write(`${printableJson({ record, ...(sealValue(content) as object) })}\n`);
  }
}

import type { ReportFormat } from "./format";

export const json: ReportFormat = {
  extension: "json",
  render: (report) => `${JSON.stringify(report, null, 2)}\n`,
};

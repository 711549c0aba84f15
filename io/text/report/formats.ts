import { printableJson } from "../printable";
import { type Formats, format } from "../report-format";
import type { Terminal } from "./text";
import type { ReportTree } from "./tree";

/** The formats of a report that says the same in all of them. `load` is called when one is written. */
export const treeFormats = <Report>(load: () => (report: Report) => ReportTree) =>
  ({
    text: format("txt", "people at a terminal", () => {
      const { textReport } = require("./text") as typeof import("./text");
      return (report, terminal) => textReport(load()(report), terminal);
    }),
    markdown: format("md", "pull requests and job summaries", () => {
      const { markdownReport } = require("./markdown") as typeof import("./markdown");
      return (report) => markdownReport(load()(report));
    }),
    json: format("json", "programs", () => (report) => `${printableJson(report, 2)}\n`),
    html: format("html", "people with a browser, offline", () => {
      const { htmlReport } = require("./html") as typeof import("./html");
      return (report) => htmlReport(load()(report));
    }),
  }) satisfies Formats<Report, Terminal>;

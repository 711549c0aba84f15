import { printableJson } from "../../io/text/printable";
import { type Formats, format } from "../../io/text/report-format";
import type { HistoryFigures } from "../history/store";
import type { DriftReport } from "../scan/document";
import type { ReportContext } from "./context";
import type { FiguresContext, FiguresWriter } from "./timeline-text";

/** The formats of a scan. */
export const formats: Formats<DriftReport, ReportContext> = {
  text: format("txt", "people at a terminal", () => (require("./text") as typeof import("./text")).text),
  json: format("json", "programs", () => (require("./json") as typeof import("./json")).json),
  ndjson: format("ndjson", "programs that read a stream", () => (require("./json") as typeof import("./json")).ndjson),
  markdown: format(
    "md",
    "pull requests and job summaries",
    () => (require("./markdown") as typeof import("./markdown")).markdown,
  ),
  sarif: format("sarif", "code scanning", () => (require("./sarif") as typeof import("./sarif")).sarif),
  junit: format("xml", "CI systems that show tests", () => (require("./junit") as typeof import("./junit")).junit),
  csv: format("csv", "spreadsheets", () => (require("./csv") as typeof import("./csv")).csv),
  openmetrics: format(
    "prom",
    "Prometheus",
    () => (require("./openmetrics") as typeof import("./openmetrics")).openmetrics,
  ),
  html: format("html", "people with a browser, offline", () => (require("./html") as typeof import("./html")).html),
};

/** Those of a scan, and a calendar. */
export const auditFormats: Formats<DriftReport, ReportContext> = {
  ...formats,
  ics: format(
    "ics",
    "calendars, with a day for each model that is taken down",
    () => (require("./calendar") as typeof import("./calendar")).ics,
  ),
};

export const figuresFormats: Formats<HistoryFigures, FiguresContext> = {
  text: format(
    "txt",
    "people at a terminal",
    () => (require("./timeline-text") as typeof import("./timeline-text")).text,
  ),
  json: format("json", "programs", () => json),
};

const json: FiguresWriter = (figures) => `${printableJson(figures, 2)}\n`;

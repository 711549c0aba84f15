import { type Formats, format } from "../../../io/text/format";
import type { CostReport } from "../report";
import type { CostContext } from "./format";

/** The formats of a report on costs. */
export const formats: Formats<CostReport, CostContext> = {
  text: format("txt", "people at a terminal", () => (require("./text") as typeof import("./text")).text),
  markdown: format(
    "md",
    "pull requests and job summaries",
    () => (require("./markdown") as typeof import("./markdown")).markdown,
  ),
  json: format("json", "programs", () => (require("./json") as typeof import("./json")).json),
  csv: format("csv", "spreadsheets", () => (require("./csv") as typeof import("./csv")).csv),
  html: format("html", "people with a browser, offline", () => (require("./html") as typeof import("./html")).html),
};

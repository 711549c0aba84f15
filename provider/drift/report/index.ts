import type { ReportFormat } from "./format";

/** By the name that `--format` takes; each is loaded when it is first asked for. */
export const formats: Readonly<Record<string, ReportFormat>> = {
  get text() {
    return (require("./text") as typeof import("./text")).text;
  },
  get json() {
    return (require("./json") as typeof import("./json")).json;
  },
  get ndjson() {
    return (require("./ndjson") as typeof import("./ndjson")).ndjson;
  },
  get markdown() {
    return (require("./markdown") as typeof import("./markdown")).markdown;
  },
  get sarif() {
    return (require("./sarif") as typeof import("./sarif")).sarif;
  },
  get junit() {
    return (require("./junit") as typeof import("./junit")).junit;
  },
  get csv() {
    return (require("./csv") as typeof import("./csv")).csv;
  },
  get openmetrics() {
    return (require("./openmetrics") as typeof import("./openmetrics")).openmetrics;
  },
  get html() {
    return (require("./html") as typeof import("./html")).html;
  },
};

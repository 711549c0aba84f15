import { csvText } from "../../io/text/markup";
import { printableJson } from "../../io/text/printable";
import { type Formats, format } from "../../io/text/report-format";
import type { CostedResource, CostReport } from "./report";
import type { CostContext, CostWriter } from "./words";

/** The formats of a report on costs. */
export const formats: Formats<CostReport, CostContext> = {
  text: format("txt", "people at a terminal", () => (require("./writers") as typeof import("./writers")).text),
  markdown: format(
    "md",
    "pull requests and job summaries",
    () => (require("./writers") as typeof import("./writers")).markdown,
  ),
  json: format("json", "programs", () => json),
  csv: format("csv", "spreadsheets", () => csv),
  html: format(
    "html",
    "people with a browser, offline",
    () => (require("./writers") as typeof import("./writers")).html,
  ),
};

/** The report as it is. */
const json: CostWriter = (report) => `${printableJson(report, 2)}\n`;

/** The columns. An amount that is not known is empty, and `unknown` says why. */
const columns: Readonly<Record<string, (resource: CostedResource) => string | number | undefined>> = {
  kind: ({ kind }) => kind,
  name: ({ name }) => name,
  urn: ({ urn }) => urn,
  stack: ({ stack }) => stack,
  account: ({ account }) => account,
  acceleratorType: ({ quantity }) => quantity?.acceleratorType,
  perReplica: ({ quantity }) => quantity?.perReplica,
  minReplicas: ({ quantity }) => quantity?.min,
  maxReplicas: ({ quantity }) => quantity?.max,
  revocableReplicas: ({ quantity }) => quantity?.revocable,
  replicasNow: ({ quantity }) => quantity?.now,
  hourlyMin: ({ hourly }) => hourly.min,
  hourlyMax: ({ hourly }) => hourly.max,
  hourlyNow: ({ hourly }) => hourly.now,
  hourlyBefore: ({ hourly }) => hourly.before,
  once: ({ once }) => once?.amount,
  unknown: ({ hourly, once }) => hourly.unknown ?? once?.unknown,
};

/** For spreadsheets: a row per resource, without totals, which a spreadsheet makes itself. */
const csv: CostWriter = ({ resources, currency }) =>
  csvText([
    [...Object.keys(columns), "currency"],
    ...resources.map((resource) => [...Object.values(columns).map((read) => String(read(resource) ?? "")), currency]),
  ]);

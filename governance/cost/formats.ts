import { type CsvColumns, csvText } from "../../io/text/markup";
import { treeFormats } from "../../io/text/report/formats";
import type { Terminal } from "../../io/text/report/text";
import { type Formats, format } from "../../io/text/report-format";
import type { CostedResource, CostReport } from "./report";

const { text, markdown, json, html } = treeFormats<CostReport>(
  () => (require("./tree") as typeof import("./tree")).treeOf,
);

/** For spreadsheets: a row per resource, without totals, which a spreadsheet makes itself. */
const csv = format<CostReport, Terminal>(
  "csv",
  "spreadsheets",
  () =>
    ({ resources, currency }) =>
      csvText(
        columns,
        resources.map((resource) => ({ ...resource, currency })),
      ),
);

/** The formats of a report on costs. */
export const formats: Formats<CostReport, Terminal> = { text, markdown, json, csv, html };

/** The columns. An amount that is not known is empty, and `unknown` says why. */
const columns: CsvColumns<CostedResource & Pick<CostReport, "currency">> = {
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
  currency: ({ currency }) => currency,
};

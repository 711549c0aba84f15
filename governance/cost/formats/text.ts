import { columnsOf, fold } from "../../../io/text/layout";
import { printable } from "../../../io/text/printable";
import type { CostReport } from "../report";
import type { CostWriter } from "./format";
import {
  amount,
  amountsOf,
  byTheHour,
  headline,
  hourlyColumns,
  onceOnly,
  perMonth,
  sectionsOf,
  titleOf,
  totalRow,
  unknowns,
} from "./words";

/** For a terminal: a line per resource, the totals, then what is not known. */
export const text: CostWriter = (report, { columns }) =>
  `${[headline(report), ...sections(report, Math.max(40, columns))].join("\n\n")}\n`;

const sections = (report: CostReport, columns: number): string[] =>
  [hours(report, columns), runs(report, columns), reasons(report, columns)].filter((section) => section !== "");

function hours(report: CostReport, columns: number): string {
  const resources = byTheHour(report);
  if (resources.length === 0) return "";
  const rows = [
    ...sectionsOf(report).flatMap(({ heading, rows: own }) =>
      heading ? [heading, ...own.map((row) => ({ ...row, title: `  ${row.title}` }))] : own,
    ),
    totalRow("total", report.total),
  ];
  const figures = [...hourlyColumns(report), perMonth].map((name) => name.toUpperCase());
  const isPlaced = rows.some(({ place }) => place !== "");
  const wide = columnsOf([
    ["", ...(isPlaced ? ["ACCOUNT, STACK"] : []), `${report.currency} PER HOUR`, ...figures],
    ...rows.map((row) => [
      ...[row.title, ...(isPlaced ? [row.place] : []), row.quantity].map(printable),
      ...amountsOf(report, row),
    ]),
  ]);
  if (wide.split("\n").every((line) => line.length <= columns)) return wide;
  // On a narrow terminal place and hardware stand below the name.
  return columnsOf([
    [`${report.currency} PER HOUR`, ...figures],
    ...rows.map((row) => [
      [row.title, ...[row.place, row.quantity].flatMap((part) => (part === "" ? [] : [`  ${part}`]))]
        .map(printable)
        .join("\n"),
      ...amountsOf(report, row),
    ]),
  ]);
}

function runs(report: CostReport, columns: number): string {
  const resources = onceOnly(report);
  if (resources.length === 0) return "";
  return columnsOf([
    ["", `${report.currency} ONCE`],
    ...resources.map((resource) => [
      fold(printable(titleOf(resource)), columns - 20).join("\n"),
      amount(resource.once!.amount),
    ]),
    ["total", amount(report.total.once)],
  ]);
}

const reasons = (report: CostReport, columns: number): string =>
  unknowns(report)
    .flatMap(({ title, reason }) => fold(printable(`${title}: not known, because ${reason}.`), columns))
    .join("\n");

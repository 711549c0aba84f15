import { code, prose, table } from "../../../io/text/markdown";
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
  type Row,
  sectionsOf,
  titleOf,
  totalRow,
  unknowns,
} from "./words";

/** The longest body that a comment on a pull request takes is 65,536 characters; what does not fit is counted. */
const mostRows = 100;

/** For pull requests, and for the summary of a CI job. */
export const markdown: CostWriter = (report) =>
  `${[`## ${prose(headline(report))}`, ...hours(report), ...runs(report), ...reasons(report)].join("\n\n")}\n`;

function hours(report: CostReport): string[] {
  const resources = byTheHour(report);
  if (resources.length === 0) return [];
  const heads = ["resource", "hardware", ...hourlyColumns(report).map((name) => `${name}, per hour`), perMonth];
  const cells = (row: Row, mark: (text: string) => string) => [
    [mark(row.title), ...(row.place === "" ? [] : [prose(row.place)])].join("<br>"),
    row.quantity === "" ? "" : code(row.quantity),
    ...amountsOf(report, row),
  ];
  const bold = (title: string): string => `**${prose(title)}**`;
  let room = mostRows;
  const rows = sectionsOf(report).flatMap(({ heading, rows: own }) => {
    const shown = own.slice(0, room);
    room -= shown.length;
    return [...(heading ? [cells(heading, bold)] : []), ...shown.map((row) => cells(row, code))];
  });
  const more = resources.length - (mostRows - room);
  return [
    table(heads, [...rows, cells(totalRow("total", report.total), bold)]),
    ...(more > 0 ? [`**${more} more** not shown here: the other formats have every one.`] : []),
    `Amounts are in ${prose(report.currency)}, at the prices of ${prose(report.day)}; a month has 730 hours.`,
  ];
}

function runs(report: CostReport): string[] {
  const resources = onceOnly(report).slice(0, mostRows);
  if (resources.length === 0) return [];
  const rows = resources.map((resource) => [code(titleOf(resource)), amount(resource.once!.amount)]);
  return [table(["run", "once"], [...rows, ["**total**", amount(report.total.once)]])];
}

function reasons(report: CostReport): string[] {
  const items = unknowns(report).slice(0, mostRows);
  return items.length === 0
    ? []
    : [items.map(({ title, reason }) => `- ${code(title)} is not known, because ${prose(reason)}.`).join("\n")];
}

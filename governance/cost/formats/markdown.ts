import { code, prose, table } from "../../../io/text/markdown";
import type { CostReport } from "../report";
import type { CostWriter } from "./format";
import { amount, byTheHour, hasNow, headline, onceOnly, rowOf, titleOf, totalRow, unknowns } from "./words";

/** The longest body that a comment on a pull request takes is 65,536 characters; what does not fit is counted. */
const mostRows = 100;

/** For pull requests, and for the summary of a CI job. */
export const markdown: CostWriter = (report) =>
  `${[`## ${prose(headline(report))}`, ...hours(report), ...runs(report), ...reasons(report)].join("\n\n")}\n`;

function hours(report: CostReport): string[] {
  const resources = byTheHour(report);
  if (resources.length === 0) return [];
  const figures = hasNow(report) ? ["now"] : ["at least", "at most"];
  const heading = ["resource", "hardware", ...figures.map((name) => `${name}, per hour`), "730 hours"];
  const totals = [...(report.groups ?? []).map((group) => totalRow(group.key, group)), totalRow("total", report.total)];
  const cells = (row: ReturnType<typeof rowOf>, mark: (text: string) => string) => [
    mark(row.title),
    row.quantity === "" ? "" : code(row.quantity),
    ...(hasNow(report) ? [row.now ?? ""] : [row.least, row.most]),
    row.month,
  ];
  const rows = resources.slice(0, mostRows).map((resource) => cells(rowOf(resource), code));
  const more = resources.length - rows.length;
  return [
    table(heading, [...rows, ...totals.map((row) => cells(row, (title) => `**${prose(title)}**`))]),
    ...(more > 0 ? [`**${more} more** not shown here: the other formats have every one.`] : []),
    `Amounts are in ${prose(report.currency)}, at the prices of ${prose(report.day)}.`,
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

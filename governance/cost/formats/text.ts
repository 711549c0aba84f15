import { columnsOf, fold } from "../../../io/text/layout";
import { printable } from "../../../io/text/printable";
import type { CostReport } from "../report";

import { amount, type CostWords, type CostWriter, wordsOf } from "./words";

/** For a terminal: a line per resource, the totals, then what is not known. */
export const text: CostWriter = (report, context) => {
  const words = wordsOf(report);
  const columns = Math.max(40, context.columns);
  const sections = [hours(words, report, columns), runs(words, report, columns), reasons(words, columns)];
  return `${[words.headline, ...sections.filter((section) => section !== "")].join("\n\n")}\n`;
};

function hours({ hours }: CostWords, { currency }: CostReport, columns: number): string {
  if (!hours) return "";
  const rows = [
    ...hours.sections.flatMap(({ heading, rows: own }) =>
      heading ? [heading, ...own.map((row) => ({ ...row, title: `  ${row.title}` }))] : own,
    ),
    hours.total,
  ];
  const figures = hours.columns.map((name) => name.toUpperCase());
  const isPlaced = rows.some(({ place }) => place !== "");
  const wide = columnsOf([
    ["", ...(isPlaced ? ["ACCOUNT, STACK"] : []), `${currency} PER HOUR`, ...figures],
    ...rows.map((row) => [
      ...[row.title, ...(isPlaced ? [row.place] : []), row.quantity].map(printable),
      ...row.amounts,
    ]),
  ]);
  if (wide.split("\n").every((line) => line.length <= columns)) return wide;
  // On a narrow terminal place and hardware stand below the name.
  return columnsOf([
    [`${currency} PER HOUR`, ...figures],
    ...rows.map((row) => [
      [row.title, ...[row.place, row.quantity].flatMap((part) => (part === "" ? [] : [`  ${part}`]))]
        .map(printable)
        .join("\n"),
      ...row.amounts,
    ]),
  ]);
}

function runs({ runs }: CostWords, { currency, total }: CostReport, columns: number): string {
  if (runs.length === 0) return "";
  return columnsOf([
    ["", `${currency} ONCE`],
    ...runs.map((run) => [fold(printable(run.title), columns - 20).join("\n"), run.amount]),
    ["total", amount(total.once)],
  ]);
}

const reasons = ({ unknowns }: CostWords, columns: number): string =>
  unknowns
    .flatMap(({ title, reason }) => fold(printable(`${title}: not known, because ${reason}.`), columns))
    .join("\n");

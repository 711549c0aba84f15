import { code, escapeProse, table } from "../../../io/text/markdown";
import type { CostReport } from "../report";
import { amount, type CostWords, type CostWriter, perHour, type Row, wordsOf } from "./words";

/** The longest body that a comment on a pull request takes is 65,536 characters; what does not fit is counted. */
const mostRows = 100;

/** For pull requests, and for the summary of a CI job. */
export const markdown: CostWriter = (report) => {
  const words = wordsOf(report);
  return `${[`## ${escapeProse(words.headline)}`, ...tables(words, report)].join("\n\n")}\n`;
};

/** The same without its heading, for what has one of its own. */
export const tablesOf = (report: CostReport): string => tables(wordsOf(report), report).join("\n\n");

const tables = (words: CostWords, report: CostReport): string[] => [
  ...hours(words, report),
  ...runs(words, report),
  ...reasons(words),
];

function hours({ hours }: CostWords, { currency, day }: CostReport): string[] {
  if (!hours) return [];
  const cells = (row: Row, mark: (text: string) => string) => [
    [mark(row.title), ...(row.place === "" ? [] : [escapeProse(row.place)])].join("<br>"),
    row.quantity === "" ? "" : code(row.quantity),
    ...row.amounts,
  ];
  const bold = (title: string): string => `**${escapeProse(title)}**`;
  let room = mostRows;
  let more = 0;
  const rows = hours.sections.flatMap(({ heading, rows: own }) => {
    const visibleRows = own.slice(0, room);
    room -= visibleRows.length;
    more += own.length - visibleRows.length;
    return [...(heading ? [cells(heading, bold)] : []), ...visibleRows.map((row) => cells(row, code))];
  });
  return [
    table(["resource", "hardware", ...hours.columns.map(perHour)], [...rows, cells(hours.total, bold)]),
    ...(more > 0 ? [`**${more} more** not shown here: the other formats have every one.`] : []),
    `Amounts are in ${escapeProse(currency)}, at the prices of ${escapeProse(day)}; a month has 730 hours.`,
  ];
}

function runs({ runs }: CostWords, { total }: CostReport): string[] {
  if (runs.length === 0) return [];
  const rows = runs.slice(0, mostRows).map((run) => [code(run.title), run.amount]);
  return [table(["run", "once"], [...rows, ["**total**", amount(total.once)]])];
}

const reasons = ({ unknowns }: CostWords): string[] =>
  unknowns.length === 0
    ? []
    : [
        unknowns
          .slice(0, mostRows)
          .map(({ title, reason }) => `- ${code(title)} is not known, because ${escapeProse(reason)}.`)
          .join("\n"),
      ];

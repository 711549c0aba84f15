import { code, escapeProse, table } from "../../io/text/markup";
import { groupBy } from "../../provider/core/values/grouping";
import { thousands } from "../cost/money";
import { tablesOf } from "../cost/tree";
import { amount, unknownText } from "../cost/words";
import { allFieldsOf, cellsOf, shortened } from "./cells";
import type { Message } from "./messages";
import { inOrder, riskyRows, type StackReview } from "./report";
import { type ChangeRow, countOf, isRisky, type RowOp, rowOps } from "./row";
import { costsMore } from "./rows";

export interface MarkdownOptions {
  /** Tells the comments of several projects apart. */
  id: string;
  /** UTF-16 units, which forges count. */
  maxLength: number;
  commit?: string | undefined;
  /** An address that may be written as it is. */
  link?: string | undefined;
}

/** What of a comment is left out so that it fits. */
interface Cut {
  /** Rows of each stack, from the first. */
  rows: number;
  costs: boolean;
  warnings: boolean;
  allFields: boolean;
  messages: number;
}

/** Letters of a row in a table, of which nobody needs to write more than fit. */
const shortestRow = 40;
const mostMessages = 20;
/** Letters of a message. */
const mostOfMessage = 600;
/** Rows without a risk that are not folded; of more, only those that cost more are not. */
const mostCalm = 15;

const whole: Cut = {
  rows: Number.POSITIVE_INFINITY,
  costs: true,
  warnings: true,
  allFields: true,
  messages: mostMessages,
};

/** The reviews as the Markdown of one comment: the same for the same reviews, in any order. */
export function reviewMarkdown(reviews: readonly StackReview[], options: MarkdownOptions): string {
  const ordered = inOrder(reviews);
  const written = (cut: Cut): string => comment(ordered, cut, options);
  const fits = (cut: Cut): boolean => {
    const rows = ordered.reduce((sum, review) => sum + Math.min(review.rows.length, cut.rows), 0);
    return rows * shortestRow <= options.maxLength && written(cut).length <= options.maxLength;
  };
  const most = Math.max(0, ...ordered.map(({ rows }) => rows.length));
  const risky = Math.max(0, ...ordered.map((review) => riskyRows(review).length));
  const bare = { ...whole, rows: risky };
  const steps: Cut[] = [
    whole,
    ...(most > risky ? [bare] : []),
    { ...bare, costs: false },
    { ...bare, costs: false, warnings: false },
    { ...bare, costs: false, warnings: false, allFields: false },
    ...[mostMessages, 5, 1, 0].map((messages) => ({
      ...{ rows: 0, costs: false, warnings: false, allFields: false, messages },
    })),
  ];
  const at = steps.findIndex(fits);
  if (at <= 0) return written(steps[at] ?? steps.at(-1)!);
  return written(mostRows(steps[at]!, steps[at - 1]!.rows === Number.POSITIVE_INFINITY ? most : risky, fits));
}

/** The cut with as many rows as fit. */
function mostRows(cut: Cut, upTo: number, fits: (cut: Cut) => boolean): Cut {
  let [least, most] = [cut.rows, upTo];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits({ ...cut, rows: middle })) least = middle;
    else most = middle - 1;
  }
  return { ...cut, rows: least };
}

function comment(reviews: readonly StackReview[], cut: Cut, options: MarkdownOptions): string {
  const loud = reviews.filter(({ quiet }) => !quiet);
  const quiet = reviews.filter((review) => review.quiet);
  const parts = [
    `<!-- modelplatform review ${options.id} -->`,
    ...loud.flatMap((review) => section(review, cut)),
    ...(quiet.length === 0
      ? []
      : [`${loud.length === 0 ? "### " : ""}Nothing to do: ${quiet.map(unchanged).join(", ")}`]),
    ...quiet.flatMap(({ warnings }) => warningsOf(warnings, cut)),
    lastLine(loud, options),
  ];
  return `${parts.join("\n\n")}\n`;
}

const unchanged = ({ stack, changes }: StackReview): string => `${escapeProse(stack)} (${changes.same} unchanged)`;

function lastLine(loud: readonly StackReview[], { commit, link }: MarkdownOptions): string {
  const same = loud.filter(({ failed }) => !failed).map(({ changes }) => changes.same);
  const sentences = [
    ...(commit === undefined ? [] : [`Commit ${code(commit.slice(0, 7))}.`]),
    ...(same.length === 0 ? [] : [`${same.reduce((sum, each) => sum + each, 0)} unchanged.`]),
    ...(link === undefined ? [] : [`[The whole preview](${link}).`]),
    "Updated with each push.",
  ];
  return `<sub>${sentences.join(" ")}</sub>`;
}

function section(review: StackReview, cut: Cut): string[] {
  const rows = review.rows.slice(0, cut.rows);
  const left = review.rows.slice(cut.rows);
  return [
    ...(review.failed ? failure(review, cut) : [heading(review)]),
    ...tables(rows, review),
    ...(left.length === 0
      ? []
      : [`**${thousands(left.length)} more ${left.length === 1 ? "row" : "rows"}:** ${rest(left)}.`]),
    ...allFields(rows, cut),
    ...warningsOf(review.warnings, cut),
    ...costs(review, cut),
  ];
}

const words: Readonly<Record<RowOp, string>> = {
  delete: "deleted",
  replace: "replaced",
  update: "updated",
  create: "created",
  import: "imported",
  leave: "left live",
};

function counts(rows: readonly ChangeRow[]): string {
  const byOp = groupBy(rows, ({ op }) => op);
  return rowOps.flatMap((op) => (byOp.has(op) ? [`${thousands(countOf(byOp.get(op)!))} ${words[op]}`] : [])).join(", ");
}

const rest = (rows: readonly ChangeRow[]): string =>
  `${counts(rows)}; ${thousands(countOf(rows.filter(isRisky)))} of them ⚠️`;

function heading(review: StackReview): string {
  const { stack, rows, cost } = review;
  const mark = riskyRows(review).length > 0 ? "⚠️ " : "";
  return `### ${mark}${escapeProse(stack)}: ${counts(rows)}${cost && cost.resources.length > 0 ? ` · ${total(cost)}` : ""}`;
}

function total({ currency, total: sum }: NonNullable<StackReview["cost"]>): string {
  const { hourly } = sum;
  const left = unknownText(sum);
  const change = hourly.before === hourly.max ? "" : `${amount(hourly.before)} → `;
  const bound = left === "" ? "at most " : "";
  return [`${bound}${change}${amount(hourly.max)}`, left, `${escapeProse(currency)}/h`]
    .filter((part) => part !== "")
    .join(" ");
}

function failure({ stack, errors, rows, exitCode, unreadable }: StackReview, { messages }: Cut): string[] {
  if (unreadable !== undefined)
    return [
      `### ❌ ${escapeProse(stack)}: the preview cannot be read`,
      escapeProse(shortened(unreadable, mostOfMessage)),
    ];
  const ended = exitCode === undefined ? "It" : `It ended with ${exitCode} and`;
  const silence = `${ended} did not say why here: read the job's log. A policy pack reports there only.`;
  return [
    `### ❌ ${escapeProse(stack)}: the preview failed`,
    errors.length === 0 ? silence : listed(errors, messages, "message"),
    rows.length === 0
      ? "Nothing below it was previewed."
      : "**The list is incomplete:** what it saw before it stopped.",
  ];
}

function listed(messages: readonly Message[], most: number, noun: string): string {
  const lines = messages
    .slice(0, most)
    .map(({ title, reason, place }) =>
      [
        "-",
        ...(title === undefined ? [] : [code(title)]),
        escapeProse(shortened(reason, mostOfMessage)),
        ...(place === undefined ? [] : [code(place)]),
      ].join(" "),
    );
  const more = messages.length - lines.length;
  return [...lines, ...(more > 0 ? [`- ${thousands(more)} more ${noun}${more === 1 ? "" : "s"}`] : [])].join("\n");
}

function tables(rows: readonly ChangeRow[], { cost }: StackReview): string[] {
  const isFolded = rows.filter((row) => !isRisky(row)).length > mostCalm;
  const costly = rows.filter((row) => !isRisky(row) && costsMore(row)).slice(0, mostCalm);
  const isOpen = (row: ChangeRow): boolean => !isFolded || isRisky(row) || costly.includes(row);
  const open = rows.filter(isOpen);
  const folded = rows.filter((row) => !isOpen(row));
  const currency = cost?.currency ?? "";
  const tableOf = (own: readonly ChangeRow[]): string =>
    table(
      ["", "resource", "change"],
      own.map((row) => cellsOf(row, currency)),
    );
  return [
    ...(open.length === 0 ? [] : [tableOf(open)]),
    ...(folded.length === 0 ? [] : [details(counts(folded), tableOf(folded))]),
  ];
}

const details = (summary: string, content: string): string =>
  `<details><summary>${summary}</summary>\n\n${content}\n\n</details>`;

function allFields(rows: readonly ChangeRow[], cut: Cut): string[] {
  const lists = cut.allFields ? rows.flatMap((row) => allFieldsOf(row) ?? []) : [];
  return lists.length === 0 ? [] : [details("All fields", lists.join("\n\n"))];
}

function warningsOf(warnings: readonly Message[], cut: Cut): string[] {
  if (warnings.length === 0 || !cut.warnings) return [];
  const summary = `${thousands(warnings.length)} ${warnings.length === 1 ? "warning" : "warnings"}`;
  return [details(summary, listed(warnings, mostMessages, "warning"))];
}

const costs = ({ cost }: StackReview, cut: Cut): string[] =>
  cost && cost.resources.length > 0 && cut.costs ? [details("Costs", tablesOf(cost))] : [];

import { code, escapeHtml, escapeProse, hashOf, page, style as shared, table } from "../../io/text/markup";
import { printable } from "../../io/text/printable";
import { columnsOf, fold } from "../../io/text/report-format";
import { nanosIn } from "./money";
import type { CostReport } from "./report";
import { amount, type CostWords, type CostWriter, perHour, type Row, wordsOf } from "./words";

const own = `
.costs td:first-child { min-width: 150px; overflow-wrap: anywhere; }
.costs small { display: block; color: var(--faint); font-size: 12px; overflow-wrap: anywhere; }
.costs tfoot td { border-bottom: 0; font-weight: 650; }
.costs .group td { font-weight: 650; padding-top: 16px; }
.chart { width: 100%; min-width: 90px; height: 12px; display: block; margin-top: 5px; }
.most { fill: var(--line); }
.least { fill: var(--accent); }
.key { margin: 8px 0 0; color: var(--faint); font-size: 12px; }
.key svg { width: 10px; height: 10px; margin-left: 8px; vertical-align: -1px; }
.key svg:first-child { margin-left: 0; }
.tile b { overflow-wrap: anywhere; }
@media (max-width: 760px) {
  .costs thead { position: absolute; left: -999em; }
  .costs tr { display: grid; grid-template-columns: 1fr 1fr; gap: 2px 12px; padding: 8px 12px; border-bottom: 1px solid var(--line); }
  .costs td { padding: 0; border: 0; }
  .costs td:first-child, .costs td.wide, .costs td:last-child { grid-column: 1 / -1; }
  .costs td:empty { display: none; }
  .tiles { grid-template-columns: 1fr 1fr; }
  .costs td.number { text-align: left; white-space: normal; }
  .costs td.number::before { content: attr(data-label); display: block; color: var(--faint); font-size: 12px; font-weight: 400; }
}
`;
const style = shared + own;

/** Only this style counts: nothing is loaded, and no script runs. */
const policy = `default-src 'none'; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;

/** One page that needs nothing else: no network, no other file, no script. */
export const html: CostWriter = (report) => {
  const words = wordsOf(report);
  return page({
    title: words.headline,
    policy,
    style,
    body: `<header>
<p>${escapeHtml(`Prices of ${report.day}, in ${report.currency}`)}</p>
<h1>${escapeHtml(words.headline)}</h1>
</header>
<main>
${tiles(report)}
${hours(words, report.total.hourly.now !== undefined)}
${runs(words)}
${reasons(words)}
</main>`,
  });
};

function tiles({ total, currency }: CostReport): string {
  const { hourly, monthly, unknown } = total;
  const visibleTiles: [figure: string, title: string][] = [
    ...(hourly.now === undefined ? [] : [[amount(hourly.now), `${currency} per hour now`] as [string, string]]),
    [amount(hourly.min), `${currency} per hour at least`],
    [amount(hourly.max), `${currency} per hour at most`],
    [amount(monthly), `${currency} per month at most`],
    ...(total.once === "0" ? [] : [[amount(total.once), `${currency} once, for runs`] as [string, string]]),
    ...(unknown === 0 ? [] : [[String(unknown), "not known"] as [string, string]]),
  ];
  return `<ul class="tiles" aria-label="Totals">${visibleTiles.map(([figure, title]) => `<li><div class="tile"><b>${escapeHtml(figure)}</b> <span>${escapeHtml(title)}</span></div></li>`).join("")}</ul>`;
}

function hours({ hours }: CostWords, isLive: boolean): string {
  if (!hours) return "";
  const labels = hours.columns.map((name) => capitalized(perHour(name)));
  const largest = hours.sections
    .flatMap(({ rows }) => rows)
    .map(({ hourly }) => nanos(hourly?.max ?? hourly?.min))
    .reduce((most, each) => (each > most ? each : most), 0n);
  const cells = (row: Row, kind = ""): string => {
    const numbers = row.amounts.map(
      (value, index) => `<td class="number" data-label="${escapeHtml(labels[index]!)}">${escapeHtml(value)}</td>`,
    );
    const below = [row.place, row.quantity].map((part) => (part === "" ? "" : `<small>${escapeHtml(part)}</small>`));
    return `<tr${kind}><td>${escapeHtml(row.title)}${below.join("")}</td><td class="wide">${chart(row, largest)}</td>${numbers.join("")}</tr>`;
  };
  const sections = hours.sections.map(({ heading, rows }) => [
    ...(heading ? [cells(heading, ' class="group"')] : []),
    ...rows.map((row) => cells(row)),
  ]);
  return `<h2 id="hours">By the hour</h2>
<div class="panel" role="region" aria-labelledby="hours" tabindex="0"><table class="costs">
<thead><tr><th scope="col">Resource</th><th scope="col">From least to most</th>${labels.map((label) => `<th scope="col" class="number">${escapeHtml(label)}</th>`).join("")}</tr></thead>
<tbody>
${sections.flat().join("\n")}
</tbody>
<tfoot>
${cells({ ...hours.total, title: capitalized(hours.total.title) })}
</tfoot>
</table></div>
<p class="key">${mark("least")} ${isLive ? "now" : "with the fewest replicas"} ${mark("most")} with the most; a month has 730 hours</p>`;
}

const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

const mark = (bound: "least" | "most"): string =>
  `<svg viewBox="0 0 10 10" aria-hidden="true"><rect class="${bound}" width="10" height="10"/></svg>`;

const nanos = (digits: string | undefined): bigint => nanosIn(digits ?? "0") ?? 0n;

/** A bar of the most, and over it one of the least or of now; its length is the part of the largest resource's most. */
function chart({ hourly }: Row, largest: bigint): string {
  if (!hourly) return "";
  const width = (of: bigint): string => (largest === 0n ? "0" : (Number((of * 10_000n) / largest) / 100).toFixed(2));
  const inner = hourly.now ?? hourly.min;
  const label = `${amount(inner)} to ${amount(hourly.max)}`;
  return `<svg class="chart" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(label)}"><rect class="most" width="${width(nanos(hourly.max))}" height="10"/><rect class="least" width="${width(nanos(inner))}" height="10"/></svg>`;
}

function runs({ runs }: CostWords): string {
  if (runs.length === 0) return "";
  const rows = runs.map(
    (run) => `<tr><td>${escapeHtml(run.title)}</td><td class="number">${escapeHtml(run.amount)}</td></tr>`,
  );
  return `<h2>Once, for runs</h2>\n<div class="panel"><table><tbody>${rows.join("")}</tbody></table></div>`;
}

function reasons({ unknowns }: CostWords): string {
  const items = unknowns.map(
    ({ title, reason }) => `<li><code>${escapeHtml(title)}</code> is not known, because ${withCode(reason)}.</li>`,
  );
  return items.length === 0 ? "" : `<h2>Not known</h2>\n<ul class="more">${items.join("")}</ul>`;
}

/** Text in backticks as code. */
const withCode = (raw: string): string => escapeHtml(raw).replace(/`([^`]+)`/g, "<code>$1</code>");

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
  ...markdownHours(words, report),
  ...markdownRuns(words, report),
  ...markdownReasons(words),
];

function markdownHours({ hours: markdownHours }: CostWords, { currency, day }: CostReport): string[] {
  if (!markdownHours) return [];
  const cells = (row: Row, mark: (text: string) => string) => [
    [mark(row.title), ...(row.place === "" ? [] : [escapeProse(row.place)])].join("<br>"),
    row.quantity === "" ? "" : code(row.quantity),
    ...row.amounts,
  ];
  const bold = (title: string): string => `**${escapeProse(title)}**`;
  let room = mostRows;
  let more = 0;
  const rows = markdownHours.sections.flatMap(({ heading, rows: own }) => {
    const visibleRows = own.slice(0, room);
    room -= visibleRows.length;
    more += own.length - visibleRows.length;
    return [...(heading ? [cells(heading, bold)] : []), ...visibleRows.map((row) => cells(row, code))];
  });
  return [
    table(["resource", "hardware", ...markdownHours.columns.map(perHour)], [...rows, cells(markdownHours.total, bold)]),
    ...(more > 0 ? [`**${more} more** not shown here: the other formats have every one.`] : []),
    `Amounts are in ${escapeProse(currency)}, at the prices of ${escapeProse(day)}; a month has 730 hours.`,
  ];
}

function markdownRuns({ runs: markdownRuns }: CostWords, { total }: CostReport): string[] {
  if (markdownRuns.length === 0) return [];
  const rows = markdownRuns.slice(0, mostRows).map((run) => [code(run.title), run.amount]);
  return [table(["run", "once"], [...rows, ["**total**", amount(total.once)]])];
}

const markdownReasons = ({ unknowns }: CostWords): string[] =>
  unknowns.length === 0
    ? []
    : [
        unknowns
          .slice(0, mostRows)
          .map(({ title, reason }) => `- ${code(title)} is not known, because ${escapeProse(reason)}.`)
          .join("\n"),
      ];

/** For a terminal: a line per resource, the totals, then what is not known. */
export const text: CostWriter = (report, context) => {
  const words = wordsOf(report);
  const columns = Math.max(40, context.columns);
  const sections = [textHours(words, report, columns), textRuns(words, report, columns), textReasons(words, columns)];
  return `${[words.headline, ...sections.filter((section) => section !== "")].join("\n\n")}\n`;
};

function textHours({ hours: textHours }: CostWords, { currency }: CostReport, columns: number): string {
  if (!textHours) return "";
  const rows = [
    ...textHours.sections.flatMap(({ heading, rows: own }) =>
      heading ? [heading, ...own.map((row) => ({ ...row, title: `  ${row.title}` }))] : own,
    ),
    textHours.total,
  ];
  const figures = textHours.columns.map((name) => name.toUpperCase());
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

function textRuns({ runs: textRuns }: CostWords, { currency, total }: CostReport, columns: number): string {
  if (textRuns.length === 0) return "";
  return columnsOf([
    ["", `${currency} ONCE`],
    ...textRuns.map((run) => [fold(printable(run.title), columns - 20).join("\n"), run.amount]),
    ["total", amount(total.once)],
  ]);
}

const textReasons = ({ unknowns }: CostWords, columns: number): string =>
  unknowns
    .flatMap(({ title, reason }) => fold(printable(`${title}: not known, because ${reason}.`), columns))
    .join("\n");

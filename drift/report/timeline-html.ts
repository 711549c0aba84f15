import { escapeHtml, hashOf, page, style as shared } from "../../io/text/markup";
import type { HistoryDay, HistoryFigures, RemedyFigures } from "../history/store";
import { severities } from "../scan/document";
import {
  type FiguresContext,
  type FiguresWriter,
  headline,
  remedyCells,
  remedyHeads,
  scopeOf,
  sum,
} from "./timeline-text";
import { shortName } from "./wording";

/** Style of the timeline, beside that of pages. */
export const timelineStyle = /* css */ `
.timeline { padding: 12px 12px 8px; }
.timeline svg { display: block; width: 100%; height: 120px; }
.timeline .error { fill: var(--bar-error); }
.timeline .warning { fill: var(--bar-warning); }
.timeline .note { fill: var(--bar-note); }
.timeline .gap { fill: var(--line); }
.timeline g:hover rect { opacity: 0.7; }
.timeline p { display: flex; justify-content: space-between; gap: 12px; margin: 4px 0 0; color: var(--faint); font-size: 12px; font-variant-numeric: tabular-nums; }
.key { display: flex; flex-wrap: wrap; gap: 4px 14px; margin: 8px 0 0; color: var(--faint); font-size: 12px; }
.key svg { width: 10px; height: 10px; margin-right: 5px; vertical-align: -1px; }
.key .error { fill: var(--bar-error); }
.key .warning { fill: var(--bar-warning); }
.key .note { fill: var(--bar-note); }
:root { --bar-error: #a8201a; --bar-warning: #d39a1e; --bar-note: #9aa6b2; }
@media screen and (prefers-color-scheme: dark) { :root { --bar-error: #d9584f; --bar-warning: #c4922f; --bar-note: #5d6b79; } }
@media print { .timeline rect { print-color-adjust: exact; } }
`;

const style = `${shared}${timelineStyle}
.figures table { table-layout: fixed; }
.figures th:first-child { width: 34%; }
.figures td { overflow-wrap: anywhere; }
.figures th::first-letter, .figures td::before { text-transform: capitalize; }
@media (max-width: 760px) {
  .figures tr { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .figures td:first-child { grid-column: 1 / -1; }
  .figures td:empty { display: none; }
  .figures td.number { text-align: left; white-space: normal; }
  .figures td.number::before { content: attr(data-head); display: block; color: var(--faint); font-size: 12px; }
}
`;

/** Only this style counts: nothing is loaded, and no script runs. */
const policy = `default-src 'none'; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;

/** One page that needs nothing else: no network, no other file, no script. */
export const html: FiguresWriter = (figures, context) =>
  page({
    title: `${headline(figures)} – ${context.tool.name} drift history`,
    policy,
    style,
    body: `<header>
<p>${escapeHtml(scopeOf(figures))}</p>
<h1>${escapeHtml(headline(figures))}</h1>
</header>
<main>
${timeline(figures.timeline)}
${remedies("Time to remedy, by severity", "severity", figures.bySeverity, context)}
${remedies("Time to remedy, by account", "account", figures.byAccount, context)}
${recurringTable(figures)}
</main>
<footer><p>${escapeHtml(`${context.tool.name} ${context.tool.version}`)}</p></footer>`,
  });

const table = (id: string, title: string, heads: readonly string[], rows: readonly string[]): string =>
  `<h2 id="${id}">${escapeHtml(title)}</h2>
<div class="panel figures stacked" role="region" aria-labelledby="${id}" tabindex="0"><table role="table">
<thead role="rowgroup"><tr role="row">${heads.map((head, index) => `<th scope="col" role="columnheader"${index === 0 ? "" : ' class="number"'}>${escapeHtml(head)}</th>`).join("")}</tr></thead>
<tbody role="rowgroup">
${rows.join("\n")}
</tbody>
</table></div>`;

/** `first` is HTML, the other cells are text. A narrow window shows the heads beside them. */
const row = (heads: readonly string[], first: string, others: readonly string[]): string =>
  `<tr role="row"><td role="cell">${first}</td>${others.map((cell, index) => `<td role="cell" class="number" data-head="${escapeHtml(heads[index + 1]!)}">${escapeHtml(cell)}</td>`).join("")}</tr>`;

function remedies(title: string, what: string, rows: readonly RemedyFigures[], { now }: FiguresContext): string {
  const visibleRows = rows.filter(({ open, remedied }) => open + remedied > 0);
  if (visibleRows.length === 0) return "";
  const heads = [what, ...remedyHeads];
  return table(
    `by-${what}`,
    title,
    heads,
    visibleRows.map((figures) => row(heads, escapeHtml(figures.key), remedyCells(figures, now))),
  );
}

function recurringTable({ recurring: recurrences }: HistoryFigures): string {
  if (recurrences.length === 0) return "";
  const heads = ["object", "found", "now", "last found"];
  const rows = recurrences.map((each) =>
    row(
      heads,
      `<span class="tag ${each.severity}">${each.severity}</span> ${escapeHtml(`${shortName(each)} in ${each.account}`)}`,
      [`${each.times} times`, each.open ? "open" : "gone", each.lastFound.slice(0, 10)],
    ),
  );
  return table("recurring", "What comes back", heads, rows);
}

/** Open findings day by day, as bars with the severe ones at the bottom. Needs no script; each day says its numbers. */
export function timeline(days: readonly HistoryDay[]): string {
  if (days.length === 0) return "";
  const most = Math.max(1, ...days.map(sum));
  const bars = days.map((day, index) => bar(day, index, most));
  const [first, last] = [days[0]!, days.at(-1)!];
  const label = `Open findings from ${first.day} to ${last.day}: ${sum(first)} at first, ${sum(last)} at last, ${most} at most`;
  const keys = severities.map(
    (severity) =>
      `<span><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="${severity}" width="10" height="10"/></svg>${severity}</span>`,
  );
  return `<h2 id="timeline">Open findings over time</h2>
<div class="panel timeline" role="region" aria-labelledby="timeline">
<svg viewBox="0 0 ${days.length * 10} 100" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(label)}">${bars.join("")}</svg>
<p><span>${escapeHtml(first.day)}</span><span>at most ${most} open</span><span>${escapeHtml(last.day)}</span></p>
</div>
<p class="key">${keys.join("")}</p>`;
}

function bar(day: HistoryDay, index: number, most: number): string {
  let top = 100;
  const parts = severities.flatMap((severity) => {
    const height = (day.open[severity] / most) * 100;
    if (height === 0) return [];
    top -= height;
    return `<rect class="${severity}" x="${index * 10 + 1}" y="${top.toFixed(2)}" width="8" height="${height.toFixed(2)}"/>`;
  });
  const base = parts.length > 0 ? parts : [`<rect class="gap" x="${index * 10 + 1}" y="99" width="8" height="1"/>`];
  return `<g><title>${escapeHtml(dayText(day))}</title>${base.join("")}</g>`;
}

/** `2026-03-01: 12 open (3 error, 9 warning), 2 found, 1 gone` */
function dayText(day: HistoryDay): string {
  const parts = severities.filter((severity) => day.open[severity] > 0).map((each) => `${day.open[each]} ${each}`);
  const open = parts.length === 0 ? "nothing open" : `${sum(day)} open (${parts.join(", ")})`;
  return `${day.day}: ${open}, ${day.found} found, ${day.gone} gone`;
}

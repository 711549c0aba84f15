import { hashOf, page, style as shared, text } from "../../../io/text/html";
import type { HistoryFigures, RemedyFigures } from "../../history/index";
import { shortName } from "../phrases";
import { timeline, timelineStyle } from "./chart";
import type { FiguresContext, FiguresWriter } from "./format";
import { headline, remedyCells, remedyHeads, scopeOf } from "./words";

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
<p>${text(scopeOf(figures))}</p>
<h1>${text(headline(figures))}</h1>
</header>
<main>
${timeline(figures.timeline)}
${remedies("Time to remedy, by severity", "severity", figures.bySeverity, context)}
${remedies("Time to remedy, by account", "account", figures.byAccount, context)}
${recurring(figures)}
</main>
<footer><p>${text(`${context.tool.name} ${context.tool.version}`)}</p></footer>`,
  });

const table = (id: string, title: string, heads: readonly string[], rows: readonly string[]): string =>
  `<h2 id="${id}">${text(title)}</h2>
<div class="panel figures stacked" role="region" aria-labelledby="${id}" tabindex="0"><table role="table">
<thead role="rowgroup"><tr role="row">${heads.map((head, index) => `<th scope="col" role="columnheader"${index === 0 ? "" : ' class="number"'}>${text(head)}</th>`).join("")}</tr></thead>
<tbody role="rowgroup">
${rows.join("\n")}
</tbody>
</table></div>`;

/** `first` is HTML, the other cells are text. A narrow window shows the heads beside them. */
const row = (heads: readonly string[], first: string, others: readonly string[]): string =>
  `<tr role="row"><td role="cell">${first}</td>${others.map((cell, index) => `<td role="cell" class="number" data-head="${text(heads[index + 1]!)}">${text(cell)}</td>`).join("")}</tr>`;

function remedies(title: string, what: string, rows: readonly RemedyFigures[], { now }: FiguresContext): string {
  const shown = rows.filter(({ open, remedied }) => open + remedied > 0);
  if (shown.length === 0) return "";
  const heads = [what, ...remedyHeads];
  return table(
    `by-${what}`,
    title,
    heads,
    shown.map((figures) => row(heads, text(figures.key), remedyCells(figures, now))),
  );
}

function recurring({ recurring: found }: HistoryFigures): string {
  if (found.length === 0) return "";
  const heads = ["object", "found", "now", "last found"];
  const rows = found.map((each) =>
    row(
      heads,
      `<span class="tag ${each.severity}">${each.severity}</span> ${text(`${shortName(each)} in ${each.account}`)}`,
      [`${each.times} times`, each.open ? "open" : "gone", each.lastFound.slice(0, 10)],
    ),
  );
  return table("recurring", "What comes back", heads, rows);
}

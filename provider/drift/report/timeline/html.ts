import { hashOf, page, text } from "../../../text/html";
import { style as shared } from "../../../text/page-style";
import type { HistoryFigures, RemedyFigures } from "../../history/index";
import { shortName } from "../phrases";
import { timeline, timelineStyle } from "./chart";
import type { FiguresContext, FiguresFormat } from "./format";
import { headline, remedyCells, remedyHeads, scopeOf } from "./words";

const style = `${shared}${timelineStyle}
.figures th, .figures td { white-space: nowrap; }
.figures th:first-child, .figures td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 110px; }
.figures thead th::first-letter { text-transform: uppercase; }
`;

/** Only this style counts: nothing is loaded, and no script runs. */
const policy = `default-src 'none'; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;

/** One page that needs nothing else: no network, no other file, no script. */
export const html: FiguresFormat = {
  render: (figures, context) =>
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
${remedies("By severity", "severity", figures.bySeverity, context)}
${remedies("By account", "account", figures.byAccount, context)}
${recurring(figures)}
</main>
<footer><p>${text(`${context.tool.name} ${context.tool.version}`)}</p></footer>`,
    }),
};

const table = (id: string, title: string, heads: readonly string[], rows: readonly string[]): string =>
  `<h2 id="${id}">${text(title)}</h2>
<div class="panel figures" role="region" aria-labelledby="${id}" tabindex="0"><table>
<thead><tr>${heads.map((head, index) => `<th scope="col"${index === 0 ? "" : ' class="number"'}>${text(head)}</th>`).join("")}</tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table></div>`;

const row = ([first, ...others]: readonly string[]): string =>
  `<tr><td>${first}</td>${others.map((cell) => `<td class="number">${text(cell)}</td>`).join("")}</tr>`;

function remedies(title: string, what: string, rows: readonly RemedyFigures[], { now }: FiguresContext): string {
  const shown = rows.filter(({ open, remedied }) => open + remedied > 0);
  if (shown.length === 0) return "";
  return table(
    `by-${what}`,
    title,
    [what, ...remedyHeads],
    shown.map((figures) => row([text(figures.key), ...remedyCells(figures, now)])),
  );
}

function recurring({ recurring: found }: HistoryFigures): string {
  if (found.length === 0) return "";
  const rows = found.map((each) =>
    row([
      `<span class="tag ${each.severity}">${each.severity}</span> ${text(`${shortName(each)} in ${each.account}`)}`,
      `${each.times} times`,
      each.open ? "open" : "gone",
      each.lastFound.slice(0, 10),
    ]),
  );
  return table("recurring", "What comes back", ["object", "found", "now", "last found"], rows);
}

import { escapeHtml, hashOf, page, style as shared } from "../markup";
import { type Block, type Cell, isBar, type Phrase, type ReportTree, type Row, type Table, textOf } from "./tree";

const style = `${shared}
.figures td:first-child { min-width: 150px; overflow-wrap: anywhere; }
.figures small { display: block; color: var(--faint); font-size: 12px; overflow-wrap: anywhere; }
.figures tfoot td { border-bottom: 0; font-weight: 650; }
.figures .group td { font-weight: 650; padding-top: 16px; }
.figures th::first-letter, .figures tfoot td:first-child::first-letter { text-transform: capitalize; }
.entries summary { display: block; }
.chart { width: 100%; min-width: 90px; height: 12px; display: block; margin-top: 5px; }
.outer { fill: var(--line); }
.inner { fill: var(--accent); }
.tile b { overflow-wrap: anywhere; }
@media (max-width: 760px) {
  .figures thead { position: absolute; left: -999em; }
  .figures tr { display: grid; grid-template-columns: 1fr 1fr; gap: 2px 12px; padding: 8px 12px; border-bottom: 1px solid var(--line); }
  .figures td { padding: 0; border: 0; }
  .figures td:first-child, .figures td.wide, .figures td:last-child { grid-column: 1 / -1; }
  .figures td:empty { display: none; }
  .tiles { grid-template-columns: 1fr 1fr; }
  .figures td.number { text-align: left; white-space: normal; }
  .figures td.number::before { content: attr(data-label); display: block; color: var(--faint); font-size: 12px; font-weight: 400; }
}
`;

/** Only this style counts: nothing is loaded, and no script runs. */
const policy = `default-src 'none'; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;

/** One page that needs nothing else: no network, no other file, no script. */
export const htmlReport = ({ title, about, figures = [], blocks, footer }: ReportTree): string =>
  page({
    title: textOf(title),
    policy,
    style,
    body: `<header>
${about === undefined ? "" : `<p>${element(about)}</p>\n`}<h1>${element(title)}</h1>
</header>
<main>
${figures.length === 0 ? "" : `<ul class="tiles" aria-label="Totals">${figures.map(tile).join("")}</ul>\n`}${blocks.map(blockHtml).join("\n")}
</main>${footer === undefined ? "" : `\n<footer><p>${escapeHtml(footer)}</p></footer>`}`,
  });

const tile = ({ amount, says }: { amount: string; says: string }): string =>
  `<li><div class="tile"><b>${escapeHtml(amount)}</b> <span>${escapeHtml(says)}</span></div></li>`;

/** A block of a page, which may have others of its own beside it. */
export function blockHtml(block: Block): string {
  switch (block.kind) {
    case "sentence":
      return `<p class="faint">${element(block.phrase)}</p>`;
    case "facts":
      return `<p>${block.lines.map(element).join("<br>")}</p>`;
    case "code":
      return `<pre>${block.text.split("\n").map(escapeHtml).join("\n")}</pre>`;
    case "list":
      return `<h2>${escapeHtml(block.caption)}</h2>\n<ul class="more">${block.items.map((item) => `<li>${element(item)}</li>`).join("")}</ul>`;
    case "table":
      return `<h2>${escapeHtml(block.caption)}</h2>\n${tableHtml(block)}`;
    case "section":
      return block.isFolded
        ? details(element(block.title), block.blocks)
        : `<h2>${element(block.title)}</h2>\n${block.blocks.map(blockHtml).join("\n")}`;
    case "entry": {
      const { severity, label, title, says } = block;
      return details(
        `<span class="tag ${severity}">${escapeHtml(label)}</span> <b>${element(title)}</b>: ${element(says)}`,
        block.blocks,
      );
    }
  }
}

const details = (summary: string, blocks: readonly Block[]): string =>
  `<details class="entries"><summary>${summary}</summary>\n${blocks.map(blockHtml).join("\n")}\n</details>`;

function tableHtml({ caption, columns, rows }: Table): string {
  const own = columns.flatMap((column, index) => (column.as === "note" ? [] : [{ ...column, index }]));
  const rowHtml = ({ cells, sum }: Row): string => {
    const notes = cells.filter((cell, index) => columns[index]!.as === "note" && cell !== "");
    const written = own.map(({ as, head, index }) => {
      const cell = cells[index]!;
      if (as === "amount") return `<td class="number" data-label="${escapeHtml(head)}">${cellHtml(cell)}</td>`;
      if (as === "bar") return `<td class="wide">${cellHtml(cell)}</td>`;
      if (as === "value") return `<td>${cellHtml(cell)}</td>`;
      return `<td>${cellHtml(cell)}${notes.map((note) => `<small>${cellHtml(note)}</small>`).join("")}</td>`;
    });
    return `<tr${sum === "group" ? ' class="group"' : ""}>${written.join("")}</tr>`;
  };
  const heads = own.map(
    ({ head, as }) => `<th scope="col"${as === "amount" ? ' class="number"' : ""}>${escapeHtml(head)}</th>`,
  );
  const body = rows.filter(({ sum }) => sum !== "total").map(rowHtml);
  const foot = rows.filter(({ sum }) => sum === "total").map(rowHtml);
  return `<div class="panel" role="region" aria-label="${escapeHtml(caption)}" tabindex="0"><table class="figures">
<thead><tr>${heads.join("")}</tr></thead>
<tbody>
${body.join("\n")}
</tbody>
${foot.length === 0 ? "" : `<tfoot>\n${foot.join("\n")}\n</tfoot>\n`}</table></div>`;
}

function cellHtml(cell: Cell): string {
  if (!isBar(cell)) return element(cell);
  const { inner, outer, says } = cell.bar;
  return `<svg class="chart" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(says)}"><rect class="outer" width="${outer}" height="10"/><rect class="inner" width="${inner}" height="10"/></svg>`;
}

/** Words in an element; text in backticks is code. */
function element(phrase: Phrase): string {
  if (typeof phrase === "string") return escapeHtml(phrase).replace(/`([^`]+)`/g, "<code>$1</code>");
  if ("code" in phrase) return `<code>${escapeHtml(phrase.code)}</code>`;
  if ("own" in phrase) return escapeHtml(phrase.own);
  if ("severity" in phrase) return `<span class="tag ${phrase.severity}">${phrase.severity}</span>`;
  if ("attention" in phrase) return `<span class="warning">${element(phrase.attention)}</span>`;
  return "strong" in phrase ? `<b>${element(phrase.strong)}</b>` : phrase.map(element).join("");
}

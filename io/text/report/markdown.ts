import { code, escapeProse, table } from "../markup";
import { type Block, type Cell, firstRows, isBar, type Phrase, type ReportTree, type Table, type Tone } from "./tree";

/** Rows and items of a block. */
const most = 100;
/** The longest body that a comment on a pull request takes is 65,536 characters; what does not fit is counted. */
const longest = 60_000;

const marks: Readonly<Record<Tone, string>> = { error: "🔴", warning: "🟠", note: "⚪" };

/** For pull requests, and for the summary of a CI job. Of entries, as many as fit. */
export function markdownReport({ title, blocks, footer }: ReportTree): string {
  const pieces = [
    { text: `## ${marked(title)}`, count: 0 },
    ...blocks.flatMap(piecesOf),
    ...(footer === undefined ? [] : [{ text: `<sub>${escapeProse(footer)}</sub>`, count: 0 }]),
  ];
  let room = longest - 100;
  for (const { text, count } of pieces) if (count === 0) room -= text.length + 2;
  let left = 0;
  const written = pieces.flatMap(({ text, count }, index) => {
    if (count === 0) return [text];
    if (left > 0 || text.length + 2 > room) left += count;
    else room -= text.length + 2;
    const isLast = left > 0 && (pieces[index + 1]?.count ?? 0) === 0;
    return [...(left > 0 ? [] : [text]), ...(isLast ? [leftOut(left, "finding")] : [])];
  });
  return `${written.join("\n\n")}\n`;
}

/** The same without a heading, for what has one of its own. */
export const markdownBlocks = (blocks: readonly Block[]): string => blocks.map(blockMarkdown).join("\n\n");

/** What is left out whole or not at all. The title of a section goes with its first entry. */
function piecesOf(block: Block): { text: string; count: number }[] {
  if (block.kind !== "section" || !block.blocks.some(({ kind }) => kind === "entry"))
    return [{ text: blockMarkdown(block), count: 0 }];
  let head = `### ${marked(block.title)}`;
  return block.blocks.flatMap((each) => {
    const text = `${head}\n\n${blockMarkdown(each)}`.trimStart();
    head = each.kind === "entry" ? "" : text;
    return each.kind === "entry" ? [{ text, count: each.findings }] : [];
  });
}

function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case "sentence":
      return marked(block.phrase);
    case "facts":
      return block.lines.map(marked).join("<br>");
    case "code":
      return `\`\`\`${block.language}\n${block.text}\n\`\`\``;
    case "entry":
      return details(`${marks[block.severity]} <b>${marked(block.title)}</b>: ${marked(block.says)}`, block.blocks);
    case "section":
      return block.isFolded
        ? details(marked(block.title), block.blocks)
        : `### ${marked(block.title)}\n\n${markdownBlocks(block.blocks)}`;
    case "table":
      return tableMarkdown(block);
    case "list":
      return shortened(
        block.items
          .slice(0, most)
          .map((item) => `- ${marked(item)}`)
          .join("\n"),
        block.items.length - most,
      );
  }
}

const details = (summary: string, blocks: readonly Block[]): string =>
  `<details><summary>${summary}</summary>\n\n${markdownBlocks(blocks)}\n\n</details>`;

const shortened = (text: string, left: number): string => (left <= 0 ? text : `${text}\n\n${leftOut(left)}`);

const leftOut = (count: number, noun = ""): string =>
  `**${count} more${noun === "" ? "" : ` ${noun}${count === 1 ? "" : "s"}`}** not shown here: the other formats have every one.`;

function tableMarkdown(of: Table): string {
  const isShown = (_: unknown, at: number): boolean => of.columns[at]!.as !== "bar";
  const { shown, left } = firstRows(of, most);
  const rows = shown.map(({ cells, sum }) =>
    cells
      .filter(isShown)
      .map((cell, at) => (sum !== undefined && at === 0 ? `**${cellMarkdown(cell)}**` : cellMarkdown(cell))),
  );
  return shortened(
    table(
      of.columns.filter(isShown).map(({ head }) => marked(head)),
      rows,
    ),
    left,
  );
}

const cellMarkdown = (cell: Cell): string => (isBar(cell) ? "" : marked(cell));

/** Words that neither Markdown nor HTML nor a forge takes for anything else. */
function marked(phrase: Phrase): string {
  if (typeof phrase === "string") return escapeProse(phrase);
  if ("code" in phrase) return code(phrase.code);
  if ("own" in phrase) return phrase.own;
  if ("severity" in phrase) return phrase.severity;
  if ("attention" in phrase) return `⚠️ ${marked(phrase.attention)}`;
  return "strong" in phrase ? `**${marked(phrase.strong)}**` : phrase.map(marked).join("");
}

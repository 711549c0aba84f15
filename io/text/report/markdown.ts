import { code, escapeProse, table } from "../markup";
import { type Block, type Cell, firstRows, isBar, type Phrase, type ReportTree, type Table } from "./tree";

/** Rows and items of a block: the longest body that a comment on a pull request takes is 65,536 characters. */
const most = 100;

/** For pull requests, and for the summary of a CI job. */
export const markdownReport = ({ title, blocks }: ReportTree): string =>
  `## ${marked(title)}\n\n${markdownBlocks(blocks)}`.trimEnd().concat("\n");

/** The same without a heading, for what has one of its own. */
export const markdownBlocks = (blocks: readonly Block[]): string => blocks.flatMap(blockMarkdown).join("\n\n");

function blockMarkdown(block: Block): string[] {
  if (block.kind === "sentence") return [marked(block.phrase)];
  if (block.kind === "table") return tableMarkdown(block);
  const items = block.items.slice(0, most).map((item) => `- ${marked(item)}`);
  return [items.join("\n"), ...leftOut(block.items.length - items.length)];
}

const leftOut = (count: number): string[] =>
  count === 0 ? [] : [`**${count} more** not shown here: the other formats have every one.`];

function tableMarkdown(of: Table): string[] {
  const isShown = (_: unknown, index: number): boolean => of.columns[index]!.as !== "bar";
  const { shown, left } = firstRows(of, most);
  const rows = shown.map(({ cells, sum }) =>
    cells
      .filter(isShown)
      .map((cell, index) => cellMarkdown(sum !== undefined && index === 0 ? { strong: cell as Phrase } : cell)),
  );
  return [
    table(
      of.columns.filter(isShown).map(({ head }) => marked(head)),
      rows,
    ),
    ...leftOut(left),
  ];
}

const cellMarkdown = (cell: Cell): string => (isBar(cell) ? "" : marked(cell));

/** Words that neither Markdown nor HTML nor a forge takes for anything else. */
function marked(phrase: Phrase): string {
  if (typeof phrase === "string") return escapeProse(phrase);
  if ("code" in phrase) return code(phrase.code);
  if ("own" in phrase) return phrase.own;
  return "strong" in phrase ? `**${marked(phrase.strong)}**` : phrase.map(marked).join("");
}

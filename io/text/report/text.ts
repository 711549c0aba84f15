import { createColors } from "picocolors";
import { printable, withoutCommands } from "../printable";
import { columnsOf, fold, widthOf } from "../report-format";
import {
  type Block,
  type Cell,
  type Entry,
  isBar,
  type Phrase,
  type ReportTree,
  type Table,
  type Tone,
  textOf,
} from "./tree";

/** Where lines are displayed. */
export interface Terminal {
  columns: number;
  color?: boolean;
}

interface Look {
  width: number;
  strong: Paint;
  faint: Paint;
  of: Readonly<Record<Tone | "good", Paint>>;
}

type Paint = (text: string) => string;

const narrowest = 40;

/** For a terminal: nothing in it moves the cursor or is a command. */
export function textReport({ title, outcome, blocks }: ReportTree, { columns, color = false }: Terminal): string {
  const { bold, dim, green, red, yellow, cyan } = createColors(color);
  const of = { good: green, error: red, warning: yellow, note: cyan };
  const look: Look = { width: Math.max(narrowest, columns), strong: bold, faint: dim, of };
  const paint: Paint = outcome === undefined ? bold : (text) => bold(of[outcome](text));
  const head = foldPhrase(title, look.width).map(paint).join("\n");
  return `${withoutCommands(head + blocks.map((block) => below(block, look)).join(""))}\n`;
}

/** A block with what separates it from the one before. */
function below(block: Block, look: Look): string {
  const text = blockText(block, look);
  return text === "" ? "" : `${block.kind === "facts" ? "\n" : "\n\n"}${text}`;
}

function blockText(block: Block, look: Look): string {
  switch (block.kind) {
    case "table":
      return tableText(block, look);
    case "entry":
      return entryText(block, look);
    case "section":
      return [
        ...foldPhrase(block.title, look.width).map(look.strong),
        ...block.blocks.map((each) => blockText(each, look)),
      ].join("\n");
    case "code":
      return block.text.split("\n").map(printable).join("\n");
    case "list":
      return block.items.map((item) => foldPhrase(item, look.width - 2).join("\n  ")).join("\n");
    case "facts":
      return block.lines.flatMap((line) => foldPhrase(line, look.width)).join("\n");
    case "sentence":
      return foldPhrase(block.phrase, look.width).join("\n");
  }
}

const foldPhrase = (phrase: Phrase, width: number): string[] => fold(plain(phrase), width);

const plain = (phrase: Phrase): string => printable(textOf(phrase));

/** Its label, what it is in bold, and the rest of it indented. */
function entryText({ severity, label, isAccepted, title, says, blocks }: Entry, look: Look): string {
  const paint = isAccepted ? look.faint : look.of[severity];
  const [line = "", ...more] = foldPhrase([title, ": ", says], look.width - label.length - 2);
  const inner = { ...look, width: look.width - 2 };
  const body = blocks.flatMap((block) => {
    const lines = blockText(block, inner).split("\n");
    return block.kind === "facts" ? lines.map(look.faint) : lines;
  });
  return [`${paint(label)}  ${look.strong(line)}`, ...[...more, ...body].map((each) => `  ${each}`)].join("\n");
}

/** Columns beside each other; where they do not fit, notes stand below the name, and names and values are folded. */
function tableText(table: Table, look: Look): string {
  const { columns, rows } = table;
  const heads = columns.map(({ head }) => head.toUpperCase());
  const isGrouped = rows.some(({ sum }) => sum === "group");
  const texts = rows.map(({ cells, sum }) =>
    cells.map(
      (cell, at) => (isGrouped && sum === undefined && at === 0 ? "  " : "") + (isBar(cell) ? "" : plain(cell)),
    ),
  );
  const natural = columns.map((_, at) => Math.max(widthOf(heads[at]!), ...texts.map((row) => widthOf(row[at]!))));
  const beside = columns.flatMap(({ as }, at) => (as === "bar" ? [] : [at]));
  const isWide = takenBy(beside, table, natural) <= look.width;
  const notes = isWide ? [] : beside.filter((at) => columns[at]!.as === "note");
  const inline = beside.filter((at) => !notes.includes(at));
  if (notes.length > 0) natural[0] = Math.max(natural[0]!, ...notes.map((at) => natural[at]! + 2));
  const widths = isWide ? natural : squeezed(inline, table, natural, look.width);
  const lines = texts.map((row, index) =>
    inline.flatMap((at) => {
      const own = foldIndented(row[at]!, widths[at]!).map(paintOf(rows[index]!.cells[at]!, look));
      const more =
        at > 0 ? [] : notes.flatMap((note) => (row[note] === "" ? [] : foldIndented(`  ${row[note]}`, widths[0]!)));
      return beyond(table, at, [...own, ...more].join("\n"));
    }),
  );
  const head = inline.flatMap((at) => beyond(table, at, look.faint(heads[at]!), ""));
  return columnsOf(heads.every((each) => each === "") ? lines : [head, ...lines]);
}

/** A cell behind the text before its column. */
const beyond = ({ columns }: Table, at: number, cell: string, after = columns[at]!.after): string[] =>
  columns[at]!.after === undefined ? [cell] : [after!, cell];

const gap = 2;

const takenBy = (inline: readonly number[], { columns }: Table, widths: readonly number[]): number =>
  inline.reduce((sum, at) => sum + widths[at]! + gap + (columns[at]!.after === undefined ? 0 : gap + 1), -gap);

/** Widths at which inline columns fit: narrow ones keep their natural width, wide ones get equal parts of the rest. */
function squeezed(inline: readonly number[], table: Table, natural: readonly number[], width: number): number[] {
  const foldable = inline.filter((at) => table.columns[at]!.as !== "amount");
  let room = width - takenBy(inline, table, natural) + foldable.reduce((sum, at) => sum + natural[at]!, 0);
  const widths = [...natural];
  const byWidth = [...foldable].sort((one, other) => natural[one]! - natural[other]!);
  for (const [index, at] of byWidth.entries()) {
    widths[at] = Math.max(8, Math.min(natural[at]!, Math.floor(room / (byWidth.length - index))));
    room -= widths[at]!;
  }
  return widths;
}

function foldIndented(text: string, width: number): string[] {
  const indent = text.startsWith("  ") ? "  " : "";
  return fold(text.slice(indent.length), width - indent.length).map((line) => indent + line);
}

function paintOf(cell: Cell, { of }: Look): Paint {
  if (typeof cell === "object" && "severity" in cell) return of[cell.severity];
  return typeof cell === "object" && "attention" in cell ? of.warning : (text) => text;
}

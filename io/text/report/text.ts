import { printable, withoutCommands } from "../printable";
import { columnsOf, fold, widthOf } from "../report-format";
import { type Block, type Cell, type Column, isBar, type Phrase, type ReportTree, type Table } from "./tree";

const narrowest = 40;
/** What a name gets, however little room there is. */
const narrowestName = 8;

/** For a terminal: nothing in it moves the cursor or is a command. */
export function textReport({ title, blocks }: ReportTree, columns: number): string {
  const width = Math.max(narrowest, columns);
  const parts = [phraseLines(title, width), ...blocks.map((block) => blockText(block, width))];
  return `${parts.map(withoutCommands).join("\n\n")}\n`;
}

function blockText(block: Block, width: number): string {
  if (block.kind === "table") return tableText(block, width);
  if (block.kind === "sentence") return phraseLines(block.phrase, width);
  return block.items.map((item) => phraseLines(item, width)).join("\n");
}

const phraseLines = (phrase: Phrase, width: number): string => fold(plain(phrase), width).join("\n");

function plain(phrase: Phrase): string {
  if (typeof phrase === "string") return printable(phrase);
  if ("code" in phrase) return printable(phrase.code);
  if ("own" in phrase) return phrase.own;
  return "strong" in phrase ? plain(phrase.strong) : phrase.map(plain).join("");
}

const cellText = (cell: Cell): string => (isBar(cell) ? "" : plain(cell));

/** Columns beside each other; where they do not fit, the notes stand below the name, which is folded. */
function tableText({ columns, rows }: Table, width: number): string {
  const heads = columns.map(({ head }) => head.toUpperCase());
  const lines = [heads, ...rows.map(({ cells }) => cells.map(cellText))];
  const isGrouped = rows.some(({ sum }) => sum === "group");
  const isMember = (line: number): boolean => isGrouped && line > 0 && rows[line - 1]!.sum === undefined;
  const cellsAs = (line: readonly string[], ...kinds: Column["as"][]): string[] =>
    line.filter((_, column) => kinds.includes(columns[column]!.as));
  const indented = (line: number, part: string): string => (isMember(line) ? `  ${part}` : part);
  const beside = columnsOf(
    lines.map((line, at) => {
      const [name = "", ...rest] = cellsAs(line, "name", "note", "amount");
      return [indented(at, name), ...rest];
    }),
  );
  if (beside.split("\n").every((line) => widthOf(line) <= width)) return beside;
  const amounts = lines.map((line) => cellsAs(line, "amount"));
  const taken = Math.max(...columnsOf(amounts).split("\n").map(widthOf));
  const room = Math.max(narrowestName, width - taken - 4);
  return columnsOf(
    lines.map((line, at) => {
      const notes =
        at === 0 ? [] : cellsAs(line, "note").flatMap((note) => fold(note, room).map((part) => `  ${part}`));
      const name = cellsAs(line, "name").flatMap((each) => fold(each, room).map((part) => indented(at, part)));
      return [[...name, ...notes.filter((note) => note.trim() !== "")].join("\n"), ...amounts[at]!];
    }),
  );
}

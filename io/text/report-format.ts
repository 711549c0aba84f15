import { stripVTControlCharacters } from "node:util";

/** Writes a report. Pure: takes a report and its display, returns text with its last line break. */
export type Render<Report, Context> = (report: Report, context: Context) => string;

/** One format of a report. */
export interface Format<Report, Context> {
  /** Of its files: `drift.<extension>`. */
  extension: string;
  /** Its audience, for help and the guides. */
  purpose: string;
  render: Render<Report, Context>;
}

/** By the name for `--format`. Help and the checks of command lines and guides read this. */
export type Formats<Report, Context> = Readonly<Record<string, Format<Report, Context>>>;

/** An entry of `Formats`. Loads its writer on first use: a command needs only one. */
export const format = <Report, Context>(
  extension: string,
  purpose: string,
  load: () => Render<Report, Context>,
): Format<Report, Context> => ({ extension, purpose, render: (report, context) => load()(report, context) });

let segmenter: Intl.Segmenter | undefined;

/** Created on first use: most reports need none, and it takes longer than such a whole report. */
const graphemes = (): Intl.Segmenter => (segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" }));

const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** Terminal columns that `text` takes. */
export const widthOf = (text: string): number =>
  isPlain(text) ? text.length : (require("string-width") as typeof import("string-width"))(text);

/** The pieces of a text that must stay together. */
const piecesOf = (text: string): string[] =>
  isPlain(text) ? [...text] : Array.from(graphemes().segment(text), ({ segment }) => segment);

/**
 * One line of text in lines of at most `width` columns, broken after a space or a mark, otherwise anywhere. A wider
 * character is a line of its own.
 */
export function fold(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  let used = 0;
  for (const segment of piecesOf(text)) {
    const size = widthOf(segment);
    while (used + size > width && line !== "") {
      const at = segment === " " ? line.length : breakOf(line);
      lines.push(line.slice(0, at).trimEnd());
      line = line.slice(at).trimStart();
      used = widthOf(line);
    }
    if (segment === " " && line === "" && lines.length > 0) continue;
    line += segment;
    used += size;
  }
  return [...lines, line.trimEnd()].filter((part) => part !== "");
}

/** Where to break a full line: after its last space or mark, if that leaves a third of it. */
function breakOf(line: string): number {
  const mark = Math.max(lastHyphen(line), ...["/", ".", ",", "]", "}"].map((each) => line.lastIndexOf(each))) + 1;
  const at = Math.max(line.lastIndexOf(" ") + 1, mark);
  return at > line.length / 3 ? at : line.length;
}

/** The last hyphen within a word: those of a flag begin one, which has to stay whole. */
function lastHyphen(line: string): number {
  for (let at = line.lastIndexOf("-"); at > 0; at = line.lastIndexOf("-", at - 1))
    if (!/[\s`-]/.test(line[at - 1]!)) return at;
  return -1;
}

/**
 * Rows with their columns two spaces apart, each as wide as its widest line; a cell may have several lines and colours.
 * A report can have thousands of these, each of them small: libraries for tables take many times as long.
 */
export function columnsOf(rows: readonly (readonly string[])[], indent = ""): string {
  const cells = rows.map((row) =>
    row.map((cell) => cell.split("\n").map((line) => ({ line, width: widthOf(stripVTControlCharacters(line)) }))),
  );
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.flatMap((row) => row[column]!.map(({ width }) => width))),
  );
  const lines = cells.flatMap((row) =>
    Array.from({ length: Math.max(...row.map(({ length }) => length)) }, (_, index) =>
      row.reduce((text, cell, column) => {
        const { line, width } = cell[index] ?? { line: "", width: 0 };
        return width === 0
          ? text
          : text + " ".repeat(startOf(widths, column) - widthOf(stripVTControlCharacters(text))) + line;
      }, ""),
    ),
  );
  return lines.map((line) => `${indent}${line}`.trimEnd()).join("\n");
}

const startOf = (widths: readonly number[], column: number): number =>
  widths.slice(0, column).reduce((sum, width) => sum + width + 2, 0);

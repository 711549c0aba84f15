import { clean } from "../../engine/display/text";
import { columnsOf, fold, widthOf } from "../../io/text/layout";
import { printableJson } from "../../io/text/printable";

const gap = 2;

/**
 * Rows below headings, columns two spaces apart. Where they do not fit `columns`, the widest move to lines of their own
 * below the rest of their row, so that every name stays whole.
 */
export function listing(headings: readonly string[], rows: readonly (readonly string[])[], columns: number): string {
  const all = [headings, ...rows.map((row) => row.map(clean))];
  const widths = headings.map((_, column) => Math.max(...all.flatMap((row) => linesOf(row[column]).map(widthOf))));
  const below = movedBelow(widths, columns);
  const beside = all.map((row) => row.filter((_, column) => !below.has(column)));
  const lines = columnsOf(beside).split("\n");
  const blocks = all.map((row, index) => [
    ...lines.splice(0, Math.max(...beside[index]!.map((cell) => linesOf(cell).length))),
    ...row.flatMap((cell, column) => (below.has(column) ? lineBelow(cell, columns) : [])),
  ]);
  return `${blocks.flat().join("\n")}\n`;
}

const linesOf = (cell = ""): string[] => cell.split("\n");

/** The columns that have to leave for the others to fit; the first one stays, because rows are found by it. */
function movedBelow(widths: readonly number[], columns: number): ReadonlySet<number> {
  const below = new Set<number>();
  const byWidth = [...widths.keys()].slice(1).sort((a, b) => widths[b]! - widths[a]!);
  const needed = (): number =>
    widths.reduce((sum, width, column) => (below.has(column) ? sum : sum + width + gap), -gap);
  while (needed() > columns && below.size < byWidth.length) below.add(byWidth[below.size]!);
  return below;
}

const lineBelow = (cell: string, columns: number): string[] =>
  linesOf(cell)
    .filter((line) => line !== "")
    .flatMap((line) => fold(line, columns - gap).map((part) => " ".repeat(gap) + part));

export const jsonText = (document: unknown): string => `${printableJson(document, 2)}\n`;

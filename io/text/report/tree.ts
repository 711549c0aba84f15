/** What a report says. How that looks is up to the writer of a format, which knows widths, escapes and ceilings. */
export interface ReportTree {
  title: string;
  /** What it is of, on a page. */
  about: Phrase;
  /** The amounts that count, on a page; lines have them in the title. */
  figures: readonly { amount: string; says: string }[];
  blocks: readonly Block[];
}

/** A text is prose with code in backticks, whoever wrote it: each writer makes it harmless. */
export type Phrase = string | Inline | readonly Phrase[];

/** `code`: a name or a value, letter by letter. `own`: figures and the like, of which no letter is somebody else's. */
type Inline = { code: string } | { strong: Phrase } | { own: string };

/** `caption`: the heading of a page, which lines do not need. */
export type Block = { kind: "sentence"; phrase: Phrase } | { kind: "list"; caption: string; items: Phrase[] } | Table;

export interface Table {
  kind: "table";
  caption: string;
  columns: readonly Column[];
  rows: readonly Row[];
}

/**
 * `name`: by which a row is found; it comes first. `note`: below the name where there is no room beside it. `amount`:
 * never broken. `bar`: a picture, on pages alone.
 */
export interface Column {
  head: string;
  as: "name" | "note" | "amount" | "bar";
}

export interface Row {
  cells: readonly Cell[];
  /** `group`: the sum of the rows below it; `total`: of all. */
  sum?: "group" | "total";
}

export type Cell = Phrase | Bar;

/** Two amounts as parts of the largest in the column, in percent. */
interface Bar {
  bar: { inner: string; outer: string; says: string };
}

export const isBar = (cell: Cell): cell is Bar => typeof cell === "object" && "bar" in cell;

/** Rows that are shown of those without sums, and how many are left out. */
export function firstRows({ rows }: Table, most: number): { shown: readonly Row[]; left: number } {
  let room = most;
  const shown = rows.filter(({ sum }) => sum !== undefined || room-- > 0);
  return { shown, left: rows.length - shown.length };
}

/** What a report says. How that looks is up to the writer of a format, which knows widths, escapes and ceilings. */
export interface ReportTree {
  title: Phrase;
  /** Good or how bad. */
  outcome?: "good" | Tone | undefined;
  /** What it is of, on a page. */
  about?: Phrase;
  /** The amounts that count, on a page; lines have them in the title. */
  figures?: readonly { amount: string; says: string }[];
  blocks: readonly Block[];
  /** Who has written it, where the format has a place for that. */
  footer?: string;
}

/** A text is prose with code in backticks, from any author: each format escapes it. */
export type Phrase = string | Inline | readonly Phrase[];

/**
 * `code`: a name or a value, letter by letter. `own`: figures and the like, of which no letter is somebody else's.
 * `severity`: a severity in its colour. `attention`: what a reader must not miss.
 */
type Inline = { code: string } | { strong: Phrase } | { own: string } | { severity: Tone } | { attention: Phrase };

export type Tone = "error" | "warning" | "note";

/** `caption`: the heading of a page, which lines do not need. `facts`: a line each, right below what they are of. */
export type Block =
  | { kind: "sentence"; phrase: Phrase }
  | { kind: "facts"; lines: readonly Phrase[] }
  | { kind: "list"; caption: string; items: readonly Phrase[] }
  | { kind: "code"; language: string; text: string }
  | Section
  | Entry
  | Table;

/** `isFolded`: opened on demand, where the format can. */
export interface Section {
  kind: "section";
  title: Phrase;
  isFolded?: boolean;
  blocks: readonly Block[];
}

/** One of many, in a line with its details. */
export interface Entry {
  kind: "entry";
  severity: Tone;
  /** What it is, in a word or two; formats with a mark for each severity leave it to the section. */
  label: string;
  isAccepted: boolean;
  title: Phrase;
  says: Phrase;
  blocks: readonly Block[];
  /** How many findings it represents, if a report is too long. */
  findings: number;
}

export interface Table {
  kind: "table";
  caption: string;
  columns: readonly Column[];
  rows: readonly Row[];
}

/**
 * `name`: by which a row is found; it comes first. `note`: below the name where there is no room beside it. `amount`:
 * never broken. `value`: shares the room with other names and values. `bar`: a picture, on pages alone.
 */
export interface Column {
  head: string;
  as: "name" | "note" | "amount" | "value" | "bar";
  /** Between it and the column before, in lines. */
  after?: string;
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

/** The letters of a phrase, as they are. */
export function textOf(phrase: Phrase): string {
  if (typeof phrase === "string") return phrase;
  if ("code" in phrase) return phrase.code;
  if ("own" in phrase) return phrase.own;
  if ("severity" in phrase) return phrase.severity;
  if ("attention" in phrase) return textOf(phrase.attention);
  return "strong" in phrase ? textOf(phrase.strong) : phrase.map(textOf).join("");
}

export const isBar = (cell: Cell): cell is Bar => typeof cell === "object" && "bar" in cell;

/** The visible rows of those without sums, and how many are left out. */
export function firstRows({ rows }: Table, most: number): { shown: readonly Row[]; left: number } {
  let room = most;
  const shown = rows.filter(({ sum }) => sum !== undefined || room-- > 0);
  return { shown, left: rows.length - shown.length };
}

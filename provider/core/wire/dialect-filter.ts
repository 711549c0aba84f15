import type { Field } from "../fields/fields";

/** How the parts of a filter that are not free text are respelt. */
interface FilterWords {
  /** The steps of a field's path, and the field that they lead to. */
  path(steps: readonly string[]): { texts: readonly string[]; field: Field | undefined };
  /** A value that is compared with a field. */
  value(field: Field, value: string): string;
}

/** Pieces of a filter (AIP-160). Anything at all is cut into pieces that joined again are what it was. */
const pieces = /"(?:\\[\s\S]|[^"\\])*"?|'(?:\\[\s\S]|[^'\\])*'?|<=|>=|!=|[=<>:]|[().,]|\s+|[^\s().,:=<>!"']+|[\s\S]/g;

const isWord = (piece: string | undefined): boolean =>
  piece !== undefined && (/^["']/.test(piece) || /^[^\s().,:=<>!"']+$/.test(piece));
const isComparator = (piece: string | undefined): boolean => piece !== undefined && /^(?:[<>!]?=|[<>:])$/.test(piece);
const isSpace = (piece: string | undefined): boolean => piece !== undefined && /^\s/.test(piece);

const joiners: ReadonlySet<string> = new Set(["AND", "OR", "NOT"]);

/**
 * The filter with the names of fields, and the values that are compared with them, in the other
 * spelling. What compares nothing is free text.
 */
export function filterIn(filter: string, words: FilterWords): string {
  const parts = filter.match(pieces) ?? [];
  const out: string[] = [];
  let at = 0;
  while (at < parts.length) {
    const end = isWord(parts[at]) ? pathEnd(parts, at) : at;
    const comparator = isSpace(parts[end]) ? end + 1 : end;
    if (end === at || !isComparator(parts[comparator])) {
      out.push(...parts.slice(at, Math.max(end, at + 1)));
      at = Math.max(end, at + 1);
      continue;
    }
    const steps = parts.slice(at, end).filter((piece) => piece !== ".");
    // A hyphen in front negates; no field's name begins with one.
    const [, sign, first] = /^(-?)([\s\S]*)$/.exec(steps[0]!) as unknown as [string, string, string];
    const names = [first, ...steps.slice(1)];
    const { texts, field } = words.path(names.map(unquote));
    const written = texts.map((text, index) => (text === unquote(names[index]!) ? names[index]! : text));
    out.push(sign, written.join("."), ...parts.slice(end, comparator + 1));
    const stop = argumentEnd(parts, comparator + 1);
    out.push(
      ...parts
        .slice(comparator + 1, stop)
        .map((piece) =>
          field && isWord(piece) && !joiners.has(piece) ? respell(piece, (text) => words.value(field, text)) : piece,
        ),
    );
    at = stop;
  }
  return out.join("");
}

/** Behind the last piece of a path: words with dots between them. */
function pathEnd(parts: readonly string[], start: number): number {
  let end = start + 1;
  while (parts[end] === "." && isWord(parts[end + 1])) end += 2;
  return end;
}

/** Behind a comparison's right side: one value, or values in parentheses. */
function argumentEnd(parts: readonly string[], start: number): number {
  const from = isSpace(parts[start]) ? start + 1 : start;
  if (parts[from] !== "(") return isWord(parts[from]) ? pathEnd(parts, from) : from;
  let depth = 0;
  for (let at = from; at < parts.length; at++) {
    if (parts[at] === "(") depth += 1;
    if (parts[at] === ")") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return parts.length;
}

const unquote = (piece: string): string =>
  /^["']/.test(piece)
    ? piece.slice(1, piece.at(-1) === piece[0] && piece.length > 1 ? -1 : undefined).replace(/\\([\s\S])/g, "$1")
    : piece;

/** A word in the other spelling, in quotation marks if it was in some. One that stays the same stays to the letter. */
function respell(piece: string, spell: (text: string) => string): string {
  const text = unquote(piece);
  const other = spell(text);
  if (other === text) return piece;
  return /^["']/.test(piece) ? `${piece[0]}${other.replace(/[\\"']/g, "\\$&")}${piece[0]}` : other;
}

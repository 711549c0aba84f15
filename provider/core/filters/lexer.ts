export type TokenKind = "text" | "string" | "comparator" | "(" | ")" | "." | "," | "-" | "end";

/** A piece of a filter. `pieces` are the parts of a text or string between its wildcards. */
export interface FilterToken {
  kind: TokenKind;
  text: string;
  pieces: readonly string[];
  /** Place of the first character, from 1. */
  at: number;
  /** Whether a space stands before it. */
  apart: boolean;
}

const space = /[ \t\r\n]+/y;
const comparator = /<=|>=|!=|=|<|>|:/y;
/** Stands before plain text, because its colons are no comparators. */
const timestamp = /\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)/y;
const plain = /[^\s().,:=<>!"']+/y;

/** A filter that cannot be read, or asks for what there is not. The message names the place, too. */
export class InvalidFilterError extends Error {
  override readonly name = "InvalidFilter";
  constructor(
    reason: string,
    /** Place of what is wrong, from 1. */
    readonly at: number,
  ) {
    super(`invalid filter: ${reason}`);
  }
}

/** Cuts an AIP-160 filter into tokens; the last one is `end`. */
export function tokensOf(filter: string): FilterToken[] {
  const tokens: FilterToken[] = [];
  let position = 0;
  let apart = true;
  const read = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = position;
    return pattern.exec(filter)?.[0];
  };
  while (position < filter.length) {
    const blank = read(space);
    if (blank !== undefined) {
      position += blank.length;
      apart = true;
      continue;
    }
    const { token, length } = tokenAt(filter, position, read, tokens.at(-1)?.kind === "comparator");
    tokens.push({ ...token, at: position + 1, apart });
    position += length;
    apart = false;
  }
  tokens.push({ kind: "end", text: "", pieces: [], at: filter.length + 1, apart });
  return tokens;
}

type Piece = { token: Omit<FilterToken, "at" | "apart">; length: number };

function tokenAt(
  filter: string,
  position: number,
  read: (pattern: RegExp) => string | undefined,
  afterComparator: boolean,
): Piece {
  const first = filter[position]!;
  if (first === '"' || first === "'") return quoted(filter, position);
  if (first === "(" || first === ")" || first === "." || first === ",")
    return { token: { kind: first, text: first, pieces: [] }, length: 1 };
  const sign = read(comparator);
  if (sign !== undefined) return { token: { kind: "comparator", text: sign, pieces: [] }, length: sign.length };
  // After a comparator a hyphen begins a negative number, anywhere else it negates.
  if (first === "-" && !afterComparator) return { token: { kind: "-", text: "-", pieces: [] }, length: 1 };
  const text = read(timestamp) ?? read(plain);
  if (text === undefined)
    throw new InvalidFilterError(`unexpected \`${first}\` at character ${position + 1}`, position + 1);
  return { token: { kind: "text", text, pieces: text.split("*") }, length: text.length };
}

/** A string in single or double quotes: a backslash takes the next character as it is, `*` unescaped is a wildcard. */
function quoted(filter: string, start: number): Piece {
  const pieces = [""];
  let text = "";
  for (let position = start + 1; position < filter.length; position++) {
    const character = filter[position]!;
    if (character === filter[start]) return { token: { kind: "string", text, pieces }, length: position - start + 1 };
    if (character === "*") pieces.push("");
    const taken = character === "\\" ? (filter[++position] ?? "") : character;
    text += taken;
    if (character !== "*") pieces[pieces.length - 1] += taken;
  }
  throw new InvalidFilterError(
    `the string that begins at character ${start + 1} does not end; close it with ${filter[start]}`,
    start + 1,
  );
}

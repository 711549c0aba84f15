import type { PathStep } from "./answered-fields";

type TokenKind = "text" | "string" | "comparator" | "(" | ")" | "." | "," | "-" | "end";

/** A piece of a filter. `pieces` are the parts of a text or string between its wildcards. */
interface FilterToken {
  kind: TokenKind;
  text: string;
  pieces: readonly string[];
  /** Position of the first character, from 1. */
  at: number;
  /** Whether a space precedes it. */
  apart: boolean;
}

const space = /[ \t\r\n]+/y;
const comparator = /<=|>=|!=|=|<|>|:/y;
/** Tried before plain text, because its colons are not comparators. */
const timestamp = /\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)/y;
const plain = /[^\s().,:=<>!"']+/y;

/** A filter with a syntax error or an unknown field. The message names the position, too. */
export class InvalidFilterError extends Error {
  override readonly name = "InvalidFilter";
  constructor(
    reason: string,
    /** Position of the mistake, from 1. */
    readonly at: number,
  ) {
    super(`invalid filter: ${reason}`);
  }
}

/** Cuts an AIP-160 filter into tokens; the last one is `end`. */
function tokensOf(filter: string): FilterToken[] {
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
  if (first === '"' || first === "'") return parseQuoted(filter, position);
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
function parseQuoted(filter: string, start: number): Piece {
  const pieces = [""];
  let text = "";
  for (let position = start + 1; position < filter.length; position++) {
    const character = filter[position]!;
    if (character === filter[start]) return { token: { kind: "string", text, pieces }, length: position - start + 1 };
    if (character === "*") pieces.push("");
    const literal = character === "\\" ? (filter[++position] ?? "") : character;
    text += literal;
    if (character !== "*") pieces[pieces.length - 1] += literal;
  }
  throw new InvalidFilterError(
    `the string that begins at character ${start + 1} does not end; close it with ${filter[start]}`,
    start + 1,
  );
}

export type Comparator = "=" | "!=" | "<" | "<=" | ">" | ">=" | ":";

/** The right side of a comparison. `pieces` are the parts between wildcards: one piece, no wildcard. */
export interface Literal {
  text: string;
  pieces: readonly string[];
  quoted: boolean;
  at: number;
}

export type Expression =
  | { kind: "and" | "or"; operands: readonly Expression[] }
  | { kind: "not"; operand: Expression }
  | { kind: "compare"; path: readonly PathStep[]; comparator: Comparator; value: Literal }
  /** A value without a field. */
  | { kind: "search"; path: readonly PathStep[]; value: Literal };

/** Deeper parentheses are rejected before they overflow the call stack. */
const maxDepth = 100;

const keywords = ["AND", "OR", "NOT"];

/**
 * Parses a filter (AIP-160: OR binds tighter than AND, factors side by side
 * are joined by AND); undefined for a blank one.
 */
export function parseFilter(filter: string): Expression | undefined {
  return new Parser(tokensOf(filter)).filter();
}

class Parser {
  private position = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly FilterToken[]) {}

  filter(): Expression | undefined {
    if (this.next().kind === "end") return undefined;
    const expression = this.expression();
    if (this.next().kind !== "end") throw this.unexpected("AND, OR or the end");
    return expression;
  }

  private expression(): Expression {
    const sequences = [this.sequence()];
    while (this.takeWord("AND")) sequences.push(this.sequence());
    return combine("and", sequences);
  }

  private sequence(): Expression {
    const factors = [this.factor()];
    while (this.startsFactor()) {
      if (!this.next().apart) throw this.unexpected("a space");
      factors.push(this.factor());
    }
    return combine("and", factors);
  }

  private factor(): Expression {
    const terms = [this.term()];
    while (this.takeWord("OR")) terms.push(this.term());
    return combine("or", terms);
  }

  private term(): Expression {
    if (this.isWord("NOT")) {
      this.position++;
      return { kind: "not", operand: this.simple() };
    }
    if (this.next().kind !== "-") return this.simple();
    this.position++;
    if (this.next().apart)
      throw new InvalidFilterError(
        `the \`-\` before character ${this.next().at} must touch what it negates`,
        this.next().at,
      );
    return { kind: "not", operand: this.simple() };
  }

  private simple(): Expression {
    return this.next().kind === "(" ? this.composite(() => this.expression()) : this.restriction();
  }

  private composite<T>(inside: () => T): T {
    if (++this.depth > maxDepth)
      throw new InvalidFilterError(
        `more than ${maxDepth} parentheses inside each other at character ${this.next().at}`,
        this.next().at,
      );
    this.take("(");
    const expression = inside();
    if (this.next().kind !== ")") throw this.unexpected("`)`");
    this.position++;
    this.depth--;
    return expression;
  }

  private restriction(): Expression {
    const start = this.next();
    const path = this.member();
    if (this.next().kind === "(" && !this.next().apart)
      throw new InvalidFilterError(
        `functions such as \`${start.text}(…)\` at character ${start.at} are not supported; compare a field`,
        start.at,
      );
    if (this.next().kind !== "comparator") return { kind: "search", path, value: literalOf(start, path) };
    const comparator = this.take("comparator").text as Comparator;
    return this.argument(path, comparator);
  }

  /** The right side: a value, or values combined in parentheses, to each of which the comparison applies. */
  private argument(path: readonly PathStep[], comparator: Comparator): Expression {
    if (this.next().kind === "(") {
      const combined = this.composite(() => this.expression());
      return distribute(combined, path, comparator);
    }
    if (this.next().kind !== "text" && this.next().kind !== "string")
      throw this.unexpected(`a value after \`${comparator}\``);
    const start = this.next();
    return { kind: "compare", path, comparator, value: literalOf(start, this.member()) };
  }

  private member(): PathStep[] {
    if (keywords.some((word) => this.isWord(word))) throw this.unexpected("a field or a value");
    const path = [this.value()];
    while (this.next().kind === ".") {
      this.position++;
      path.push(this.value());
    }
    return path;
  }

  private value(): PathStep {
    if (this.next().kind !== "text" && this.next().kind !== "string") throw this.unexpected("a field or a value");
    const { text, at } = this.tokens[this.position++]!;
    return { text, at };
  }

  private next(): FilterToken {
    return this.tokens[this.position]!;
  }

  private isWord(word: string): boolean {
    return this.next().kind === "text" && this.next().text === word;
  }

  private takeWord(word: string): boolean {
    const isNext = this.isWord(word);
    if (isNext) this.position++;
    return isNext;
  }

  private startsFactor(): boolean {
    const { kind } = this.next();
    return (
      (kind === "text" && !this.isWord("AND") && !this.isWord("OR")) ||
      kind === "string" ||
      kind === "(" ||
      kind === "-"
    );
  }

  private take(kind: TokenKind): FilterToken {
    if (this.next().kind !== kind) throw this.unexpected(`\`${kind}\``);
    return this.tokens[this.position++]!;
  }

  private unexpected(expected: string) {
    const { kind, text, at } = this.next();
    return new InvalidFilterError(
      `expected ${expected} at character ${at}, found ${kind === "end" ? "the end" : `\`${text}\``}`,
      at,
    );
  }
}

const combine = (kind: "and" | "or", operands: readonly Expression[]): Expression =>
  operands.length === 1 ? operands[0]! : { kind, operands };

/** A value with dots, such as `1.5`, has been parsed as a path. */
function literalOf(start: FilterToken, path: readonly PathStep[]): Literal {
  if (path.length === 1)
    return { text: start.text, pieces: start.pieces, quoted: start.kind === "string", at: start.at };
  const text = path.map((step) => step.text).join(".");
  return { text, pieces: text.split("*"), quoted: false, at: start.at };
}

function distribute(combined: Expression, path: readonly PathStep[], comparator: Comparator): Expression {
  switch (combined.kind) {
    case "and":
    case "or":
      return {
        kind: combined.kind,
        operands: combined.operands.map((operand) => distribute(operand, path, comparator)),
      };
    case "not":
      return { kind: "not", operand: distribute(combined.operand, path, comparator) };
    case "compare":
      throw new InvalidFilterError(
        `a comparison at character ${combined.value.at} is where values are expected`,
        combined.value.at,
      );
    case "search":
      return { kind: "compare", path, comparator, value: combined.value };
  }
}

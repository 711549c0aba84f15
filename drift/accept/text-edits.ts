import type ts from "typescript";
import type { Compiler, Program } from "./program";

/** How a file is written, so that what is added looks like the rest. */
export interface Style {
  quote: '"' | "'";
  /** One step of indentation. */
  step: string;
  newline: "\n" | "\r\n";
  /** Whether braces of objects on one line stand apart from what is in them. */
  padded: boolean;
}

const widest = 100;

/** The style of `file`: quotes and braces as most of it has them, and its first indentation. */
export function styleOf({ ts }: Program, file: ts.SourceFile): Style {
  let [single, double, tight, padded] = [0, 0, 0, 0];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node)) file.text[node.getStart(file)] === "'" ? (single += 1) : (double += 1);
    if (ts.isObjectLiteralExpression(node) && node.properties.length > 0)
      /\s/.test(file.text[node.getStart(file) + 1]!) ? (padded += 1) : (tight += 1);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return {
    quote: single > double ? "'" : '"',
    step: stepOf(file.text),
    newline: newlineOf(file.text),
    padded: padded >= tight,
  };
}

const newlineOf = (text: string): "\n" | "\r\n" => (/\r\n/.test(text) ? "\r\n" : "\n");

/** The indentation of the first line after an unindented one that ends with an opening bracket. */
function stepOf(text: string): string {
  const [, step] = /(?:^|\n)[^\s*/][^\n]*[{([]\r?\n([ \t]+)\S/.exec(text) ?? [];
  return step ?? "    ";
}

/** The blanks that the line of `position` begins with. */
export function indentationAt(text: string, position: number): string {
  const start = text.lastIndexOf("\n", position - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))![0];
}

/** `value` as an expression whose first line begins at `column` of a line that is indented by `indent`. */
export function printValue(value: unknown, style: Style, indent: string, column = indent.length): string {
  if (typeof value === "string") return quoteString(value, style.quote);
  if (value === null || typeof value !== "object") return String(JSON.stringify(value));
  const inline = onOneLine(value, style);
  if (column + inline.length <= widest) return inline;
  const inner = indent + style.step;
  const lines = Array.isArray(value)
    ? value.map((entry) => printValue(entry, style, inner))
    : Object.entries(value).map(([name, member]) => entryText(name, member, style, inner));
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return [open, ...lines.map((line) => `${inner}${line},`), `${indent}${close}`].join(style.newline);
}

/** `name: value` as a member of an object. */
export function entryText(name: string, value: unknown, style: Style, indent: string): string {
  const head = `${keyText(name, style)}: `;
  return `${head}${printValue(value, style, indent, indent.length + head.length)}`;
}

function onOneLine(value: object, style: Style): string {
  if (Array.isArray(value))
    return `[${value.map((entry) => printValue(entry, style, "", Number.NEGATIVE_INFINITY)).join(", ")}]`;
  const entries = Object.entries(value).map(
    ([name, member]) => `${keyText(name, style)}: ${printValue(member, style, "", Number.NEGATIVE_INFINITY)}`,
  );
  if (entries.length === 0) return "{}";
  return style.padded ? `{ ${entries.join(", ")} }` : `{${entries.join(", ")}}`;
}

/** `__proto__` as a plain key would set the object's prototype. */
function keyText(name: string, { quote }: Style): string {
  if (name === "__proto__") return `[${quoteString(name, quote)}]`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoteString(name, quote);
}

/** Characters that do not show, or make others show in another order than they stand. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const escapeCharacter = (character: string): string =>
  [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");

export function quoteString(value: string, quote: string): string {
  const inner = JSON.stringify(value).slice(1, -1).replace(unseen, escapeCharacter);
  if (quote === '"') return `"${inner}"`;
  const plain = inner.replaceAll('\\"', '"');
  return quote === "`"
    ? `\`${plain.replaceAll("`", "\\`").replaceAll("${", "\\${")}\``
    : `'${plain.replaceAll("'", "\\'")}'`;
}

/** A stretch of a file's text and what takes its place. */
export interface TextEdit {
  /** Absolute. */
  file: string;
  start: number;
  end: number;
  text: string;
}

/** The text with the edits made; none overlaps another. */
export function applyEdits(text: string, edits: readonly Omit<TextEdit, "file">[]): string {
  const ordered = edits
    .map((edit, index) => ({ ...edit, index }))
    .sort((a, b) => b.start - a.start || b.index - a.index);
  return ordered.reduce((result, { start, end, text: put }) => result.slice(0, start) + put + result.slice(end), text);
}

export const replace = (node: ts.Node, text: string): TextEdit => {
  const file = node.getSourceFile();
  return { file: file.fileName, start: node.getStart(file), end: node.getEnd(), text };
};

/** Things between brackets with commas between them: members of an object, entries of a list. */
type ListNode = ts.ObjectLiteralExpression | ts.ArrayLiteralExpression | ts.NamedImports;

const itemsOf = ({ ts }: Program, node: ListNode): ts.NodeArray<ts.Node> =>
  ts.isObjectLiteralExpression(node) ? node.properties : node.elements;

/** The text of a node for its indentation and column. */
type Write = (indent: string, column: number) => string;

/** Appends an element. Commas, lines and comments follow those around it. */
export function append(program: Program, node: ListNode, step: string, write: Write): TextEdit[] {
  const file = node.getSourceFile();
  const { text } = file;
  const items = itemsOf(program, node);
  const last = items.at(-1);
  const at = (position: number, put: string): TextEdit => ({
    file: file.fileName,
    start: position,
    end: position,
    text: put,
  });
  const newline = newlineOf(text);
  if (last === undefined) return appendFirst(program, node, step, write);
  const isOwnLine = isFirstOnLine(text, last.getStart(file));
  const indent = indentationAt(text, last.getStart(file));
  const comma = items.hasTrailingComma ? text.indexOf(",", endOfComments(program, text, last.getEnd())) + 1 : undefined;
  if (!isOwnLine) {
    const column = last.getEnd() - (text.lastIndexOf("\n", last.getEnd()) + 1);
    const separator = comma === undefined ? ", " : " ";
    return [
      at(
        comma ?? last.getEnd(),
        `${separator}${write(indentationAt(text, last.getEnd()), column)}${comma === undefined ? "" : ","}`,
      ),
    ];
  }
  const line = `${newline}${indent}${write(indent, indent.length)}`;
  if (comma !== undefined) return [at(endOfComments(program, text, comma), `${line},`)];
  const end = endOfComments(program, text, last.getEnd());
  return end === last.getEnd() ? [at(end, `,${line}`)] : [at(last.getEnd(), ","), at(end, line)];
}

function appendFirst(program: Program, node: ListNode, step: string, write: Write): TextEdit[] {
  const file = node.getSourceFile();
  const { text } = file;
  const [start, end] = [node.getStart(file) + 1, node.getEnd() - 1];
  const inner = text.slice(start, end);
  const outer = indentationAt(text, node.getStart(file));
  const newline = newlineOf(text);
  const isList = program.ts.isArrayLiteralExpression(node);
  if (inner.trim() === "" && !inner.includes("\n")) {
    const put = write(outer, start - (text.lastIndexOf("\n", start) + 1) + 1);
    return [{ file: file.fileName, start, end, text: isList ? put : ` ${put} ` }];
  }
  const put = `${step}${write(outer + step, outer.length + step.length)},${newline}${outer}`;
  const from = inner.trim() === "" ? start : end;
  return [{ file: file.fileName, start: from, end, text: inner.trim() === "" ? `${newline}${outer}${put}` : put }];
}

/** Removes the element at `index`, with its comments and the comma that is left over. */
export function remove(program: Program, node: ListNode, index: number): TextEdit[] {
  const file = node.getSourceFile();
  const { text, fileName } = file;
  const items = itemsOf(program, node);
  const item = items[index]!;
  const isLast = index === items.length - 1;
  const cut = (start: number, end: number): TextEdit => ({ file: fileName, start, end, text: "" });
  if (items.length === 1) return [cut(node.getStart(file) + 1, node.getEnd() - 1)];
  if (!isFirstOnLine(text, item.getStart(file)) && index > 0) return [cut(item.pos - 1, item.getEnd())];
  const hasComma = !isLast || items.hasTrailingComma === true;
  const end = hasComma ? text.indexOf(",", endOfComments(program, text, item.getEnd())) + 1 : item.getEnd();
  const line = isFirstOnLine(text, item.getStart(file))
    ? lines(program, file, item, end)
    : partOfLine(program, file, item, end);
  return hasComma ? [line] : [cut(item.pos - 1, item.pos), line];
}

/** What begins within a line, with the comments before it there and those that end the line. */
function partOfLine({ ts }: Program, file: ts.SourceFile, item: ts.Node, end: number): TextEdit {
  const { text, fileName } = file;
  const { pos } = item;
  const before = [...(ts.getTrailingCommentRanges(text, pos) ?? []), ...(ts.getLeadingCommentRanges(text, pos) ?? [])];
  let start = item.getStart(file);
  for (const comment of before.reverse())
    if (!text.slice(comment.end, start).includes("\n")) start = Math.min(start, comment.pos);
  const rest = restOfLine(ts, text, end);
  return { file: fileName, start: rest.isAll ? text.slice(0, start).trimEnd().length : start, end: rest.end, text: "" };
}

/** The lines of `node`, up to `end` and the comments behind it, with the comments right above. */
export function lines(program: Program, file: ts.SourceFile, node: ts.Node, end = node.getEnd()): TextEdit {
  const { ts } = program;
  const { text, fileName } = file;
  let start = node.getStart(file);
  for (const comment of (ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []).reverse()) {
    const isAttached = (text.slice(comment.end, start).match(/\n/g) ?? []).length === 1;
    if (!isAttached || comment.pos === 0 || !isFirstOnLine(text, comment.pos)) break;
    start = comment.pos;
  }
  const lineStart = isFirstOnLine(text, start) ? text.lastIndexOf("\n", start - 1) + 1 : start;
  const rest = restOfLine(ts, text, end);
  if (!rest.isAll) return { file: fileName, start, end: rest.end, text: "" };
  const newline = /^\r?\n/.exec(text.slice(rest.end))?.[0].length;
  if (newline !== undefined) return { file: fileName, start: lineStart, end: rest.end + newline, text: "" };
  // The last line of a file without a line break.
  return { file: fileName, start: text.slice(0, lineStart).trimEnd().length, end: text.length, text: "" };
}

/** Up to where the line of `position` ends, if only comments follow; else up to what follows, comments included. */
function restOfLine(ts: Compiler, text: string, position: number): { end: number; isAll: boolean } {
  const blanks = (from: number): number => from + /^[ \t]*/.exec(text.slice(from))![0].length;
  const after = blanks(ts.getTrailingCommentRanges(text, position)?.at(-1)?.end ?? position);
  const isAll = after === text.length || /^\r?\n/.test(text.slice(after));
  return { end: isAll ? after : blanks(position), isAll };
}

const isFirstOnLine = (text: string, position: number): boolean =>
  text.slice(text.lastIndexOf("\n", position - 1) + 1, position).trim() === "";

/** Behind the comments that stand on the same line. */
function endOfComments({ ts }: Program, text: string, position: number): number {
  const comments = ts.getTrailingCommentRanges(text, position) ?? [];
  return comments.at(-1)?.end ?? position;
}

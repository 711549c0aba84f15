import type ts from "typescript";
import type { Program } from "./program";

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

export const newlineOf = (text: string): "\n" | "\r\n" => (/\r\n/.test(text) ? "\r\n" : "\n");

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

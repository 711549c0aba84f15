import { isAlias, isNode, isScalar, parseDocument, Scalar } from "yaml";
import { newlineOf } from "./style";

/** A value in `Pulumi.<stack>.yaml`. */
export interface ConfigSpot {
  /** As the program names it: without a namespace it is the project's own. */
  key: string;
  /** Members below the value. */
  path: readonly string[];
}

type Nodes = ReturnType<typeof parseDocument>;

/** What the file says there; undefined: nothing. Ciphertext is `secret`, and what YAML repeats elsewhere `shared`. */
export function configValue(
  text: string,
  project: string,
  spot: ConfigSpot,
): { value: unknown } | { problem: string } | "secret" | "shared" | undefined {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) return { problem: error.message.split(/:?\n/)[0]! };
  const path = pathOf(document, project, spot);
  if (path.some((_, index) => isShared(document.getIn(path.slice(0, index + 1), true)))) return "shared";
  const held = document.getIn(path.slice(0, 2));
  if (isObject(held) && "toJSON" in held && isObject((held as { toJSON(): unknown }).toJSON()) && hasCiphertext(held))
    return "secret";
  return document.hasIn(path) ? { value: plain(document.getIn(path)) } : undefined;
}

const isShared = (node: unknown): boolean =>
  isAlias(node) || (isNode(node) && "anchor" in node && node.anchor !== undefined);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const hasCiphertext = (node: object): boolean => Object.hasOwn((node as { toJSON(): object }).toJSON(), "secure");

const plain = (value: unknown): unknown =>
  isObject(value) && "toJSON" in value ? (value as { toJSON(): unknown }).toJSON() : value;

/**
 * The file's text with `value` there. A plain value is replaced where it stands, with the quotes that it has; in any
 * other case the document is printed again, with its comments and its order.
 */
export function withConfigValue(text: string, project: string, spot: ConfigSpot, value: unknown): string {
  const source = text.replaceAll("\r\n", "\n");
  const document = parseDocument(source);
  const path = pathOf(document, project, spot);
  const node = document.getIn(path, true);
  const newline = newlineOf(text);
  const written =
    isScalar(node) && node.range && !isObject(value)
      ? inPlace(document, node, value)
      : anew(document, path, spot, value, source);
  return newline === "\n" ? written : written.replaceAll("\n", newline);

  /** The lines as they were, but for the value. */
  function inPlace(from: Nodes, scalar: Scalar, next: unknown): string {
    const [start, end] = scalar.range!;
    const put = new Scalar(typeof scalar.value === "string" ? textOf(next) : next);
    const quotes = quotesFor(put.value, scalar);
    if (quotes !== undefined) put.type = quotes;
    const spelled = from.createNode(put);
    const lone = parseDocument("");
    lone.contents = spelled as never;
    // A text over several lines ends with the last of them.
    const tail = /\n*$/.exec(source.slice(start, end))![0];
    const text = lone.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY });
    return source.slice(0, start) + text.trimEnd() + tail + source.slice(end);
  }
}

/** Those that it has, unless the new text could not stand between them on one line, or within brackets. */
function quotesFor(next: unknown, { type, value }: Scalar): Scalar.Type | undefined {
  if (typeof value !== "string" || typeof next !== "string") return undefined;
  if (next.includes("\n") || (type === "PLAIN" && /[,[\]{}]/.test(next))) return "QUOTE_DOUBLE";
  return type === "QUOTE_SINGLE" || type === "QUOTE_DOUBLE" ? type : "PLAIN";
}

/** Pulumi keeps plain values as text, and members of objects as they are. */
function anew(
  document: Nodes,
  path: readonly string[],
  { path: members }: ConfigSpot,
  value: unknown,
  source: string,
): string {
  const isPlain = members.length === 0 && !isObject(value);
  document.setIn(path, isPlain ? document.createNode(textOf(value)) : document.createNode(value));
  return document.toString({ lineWidth: 0, indent: indentOf(source) });
}

/** Blanks before the keys of `config`. */
const indentOf = (text: string): number => /^config:[^\n]*\n(?:\s*#[^\n]*\n)*( +)\S/m.exec(text)?.[1]?.length ?? 2;

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The key as the file spells it: the project's own may go without its namespace. */
function pathOf(document: Nodes, project: string, { key, path }: ConfigSpot): string[] {
  const own = key.startsWith(`${project}:`) ? key.slice(project.length + 1) : key;
  const full = key.includes(":") ? key : `${project}:${key}`;
  const spelling = [full, own].find((each) => document.hasIn(["config", each])) ?? full;
  return ["config", spelling, ...path];
}

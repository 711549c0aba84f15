import { isDeepStrictEqual } from "node:util";
import type { Document, Node, Pair, Scalar, YAMLMap } from "yaml";
import { readYaml } from "./yaml-document";
import {
  block,
  flow,
  formatAfterKey,
  jsonScalar,
  type Quotes,
  type YamlPath,
  type YamlScalar,
  type YamlValue,
  yamlScalar,
} from "./yaml-scalar";

/** Line breaks of the parser that the Pulumi CLI uses. */
const pulumiBreaks = /\r\n|[\r\u0085\u2028\u2029]/g;

/**
 * The text with `value` at `path`, or without it if `value` is undefined. No other byte changes. Reads the result
 * again, as this package and with the line breaks of the Pulumi CLI's parser, and throws if either sees more than that
 * one change.
 */
export function editYaml(text: string, path: YamlPath, value: YamlValue | undefined, file: string): string {
  const after = spliceText(text, path, value, file);
  for (const read of [asWritten, asPulumiReads]) {
    const [before, result] = [read(text), read(after)];
    if (before === unreadable || !isDeepStrictEqual(result, withValue(before, path, value)))
      throw new Error(
        `${file} is unchanged: writing \`${path.join(".")}\` could change other parts of it. Edit it by hand, or put the value on its own line.`,
      );
  }
  return after;
}

const unreadable = Symbol("unreadable");

const asWritten = (text: string): unknown => parseOrUnreadable(text.replace(/^\uFEFF/, ""));
const asPulumiReads = (text: string): unknown =>
  parseOrUnreadable(text.replace(/^\uFEFF/, "").replace(pulumiBreaks, "\n"));

function parseOrUnreadable(text: string): unknown {
  try {
    const { document, problem } = readYaml(text, "the text", { intAsBigInt: true });
    return problem === undefined ? (document.toJS() ?? {}) : unreadable;
  } catch {
    return unreadable;
  }
}

/** The content that the edit must result in. */
function withValue(root: unknown, [head, ...rest]: YamlPath, value: YamlValue | undefined): unknown {
  if (head === undefined) return comparable(value);
  if (Array.isArray(root)) {
    const copy = [...root];
    if (rest.length === 0 && value === undefined) copy.splice(Number(head), 1);
    else copy[Number(head)] = withValue(copy[Number(head)], rest, value);
    return copy;
  }
  const entries = Object.entries((root ?? {}) as Record<string, unknown>);
  if (rest.length === 0 && value === undefined) return Object.fromEntries(entries.filter(([key]) => key !== head));
  const before = entries.find(([key]) => key === head)?.[1];
  const after = withValue(before, rest, value);
  return before === undefined
    ? Object.fromEntries([...entries, [head, after]])
    : Object.fromEntries(entries.map(([key, current]) => [key, key === head ? after : current]));
}

/** As the parser returns it: integers are bigints. */
function comparable(value: YamlValue | undefined): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, comparable(member)]));
  return value;
}

/** Loaded lazily: it takes as long as a small drift scan. */
const yaml = () => require("yaml") as typeof import("yaml");

interface EditTarget {
  text: string;
  json: boolean;
  newline: string;
}

/** The text with `value` at `path`, written in place; nothing else changes. */
function spliceText(text: string, path: YamlPath, value: YamlValue | undefined, file: string): string {
  const { document, problem } = readYaml(text, file, { intAsBigInt: true });
  if (problem !== undefined) throw new Error(`${file} cannot be read: ${problem}`);
  const target: EditTarget = { text, json: file.endsWith(".json"), newline: text.includes("\r\n") ? "\r\n" : "\n" };
  const parent = deepest(document, path);
  if (parent === undefined) return firstEntry(target, path, value);
  const { node, depth } = parent;
  const [key, ...below] = path.slice(depth);
  const missing = below.reduceRight<YamlValue | undefined>(
    (inner, name) => (inner === undefined ? undefined : { [name]: inner }),
    value,
  );
  if (yaml().isMap(node)) return inMap(target, node, String(key), missing);
  if (yaml().isSeq(node)) return inList(target, node as unknown as { items: Node[] } & Node, Number(key), missing);
  throw new Error(`${file} has no place for \`${path.join(".")}\`. Edit it by hand.`);
}

/** The deepest collection on `path` that exists, and its depth. */
function deepest(document: Document, path: YamlPath): { node: Node; depth: number } | undefined {
  const { isMap, isSeq } = yaml();
  for (let depth = path.length - 1; depth >= 0; depth -= 1) {
    const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
    if ((isMap(node) && node.items.length > 0) || isSeq(node)) return { node: node as Node, depth };
  }
  return undefined;
}

function firstEntry({ text, json, newline }: EditTarget, path: YamlPath, value: YamlValue | undefined): string {
  if (value === undefined) return text;
  const whole = path.reduceRight<YamlValue>((inner, name) => ({ [name]: inner }), value);
  if (json) return `${flow(whole, jsonScalar)}${newline}`;
  const comments = text.replace(/^[ \t]*(?:\{\s*\}|null|~)[ \t\r]*$/m, "");
  const start = comments.trim() === "" || comments.endsWith("\n") ? comments : `${comments}${newline}`;
  return `${start.trim() === "" ? "" : start}${block(whole, "", newline).slice(newline.length)}${newline}`;
}

function inMap(target: EditTarget, map: YAMLMap, key: string, value: YamlValue | undefined): string {
  const pairs = map.items as Pair<Scalar, Node | null>[];
  const index = pairs.findIndex((pair) => String(pair.key.value) === key);
  const pair = pairs[index];
  if (value === undefined) return pair === undefined ? target.text : withoutPair(target, map, pairs, index);
  if (pair !== undefined) return inPair(target, map, pair, value);
  const { text, newline } = target;
  if (map.flow) {
    const end = map.range![1] - 1;
    const [before, gap] = splitTail(text.slice(0, end));
    const entry = target.json
      ? `${jsonScalar(key)}: ${flow(value, jsonScalar)}`
      : `${yamlScalar(key, "double")}: ${flow(value, yamlScalar)}`;
    return `${before}${before.endsWith(",") || pairs.length === 0 ? "" : ","} ${entry}${gap}${text.slice(end)}`;
  }
  const end = endOfLine(text, endOf(pairs.at(-1)!));
  const indent = indentOf(text, pairs[0]!.key.range![0]);
  const line = `${indent}${yamlScalar(key)}:${formatAfterKey(value, indent, newline)}`;
  return `${text.slice(0, end)}${newline}${line}${end === text.length ? newline : text.slice(end)}`;
}

function inPair(target: EditTarget, map: YAMLMap, pair: Pair<Scalar, Node | null>, value: YamlValue): string {
  const { text, newline, json } = target;
  const { isScalar } = yaml();
  const old = pair.value;
  const colon = text.indexOf(":", pair.key.range![1]) + 1;
  const isFlow = map.flow === true;
  const spell = json ? jsonScalar : (scalar: YamlScalar) => yamlScalar(scalar, quotesOf(old));
  const isPlain = typeof value !== "object" || value === null;
  if (old?.range && isScalar(old) && isPlain && !isBlockScalar(old) && old.range[1] > old.range[0])
    return text.slice(0, old.range[0]) + spell(value as YamlScalar) + text.slice(old.range[1]);
  const end = old?.range ? colon + text.slice(colon, old.range[1]).trimEnd().length : colon;
  const indent = indentOf(text, pair.key.range![0]);
  const written = isFlow
    ? ` ${flow(value, json ? jsonScalar : (scalar) => yamlScalar(scalar))}`
    : formatAfterKey(value, indent, newline);
  return text.slice(0, colon) + written + text.slice(Math.max(end, colon));
}

function inList(
  target: EditTarget,
  list: { items: Node[] } & Node,
  index: number,
  value: YamlValue | undefined,
): string {
  const { text } = target;
  const { isScalar } = yaml();
  const old = list.items[index];
  const spell = target.json ? jsonScalar : (scalar: YamlScalar) => yamlScalar(scalar);
  if (old?.range && value !== undefined && isScalar(old) && !isBlockScalar(old))
    return text.slice(0, old.range[0]) + flow(value, spell) + text.slice(old.range[1]);
  const next = list.items.map((item) => item.toJSON() as YamlValue);
  if (value === undefined) next.splice(index, 1);
  else next[index] = value;
  const end = list.range![0] + text.slice(list.range![0], list.range![1]).trimEnd().length;
  return text.slice(0, list.range![0]) + flow(next, spell) + text.slice(end);
}

function withoutPair(target: EditTarget, map: YAMLMap, pairs: Pair<Scalar, Node | null>[], index: number): string {
  const { text } = target;
  const pair = pairs[index]!;
  const start = pair.key.range![0];
  if (map.flow) {
    const next = pairs[index + 1];
    if (next) return text.slice(0, start) + text.slice(next.key.range![0]);
    const before = pairs[index - 1];
    return before
      ? text.slice(0, endOf(before)) + text.slice(endOf(pair))
      : text.slice(0, start) + text.slice(endOf(pair));
  }
  const line = text.lastIndexOf("\n", start - 1) + 1;
  if (pairs.length === 1) return `${text.slice(0, start)}{}${text.slice(endOf(pair))}`;
  const end = endOfLine(text, endOf(pair));
  return text.slice(0, line) + text.slice(end === text.length ? end : text.indexOf("\n", end) + 1);
}

const isBlockScalar = (scalar: Scalar): boolean => scalar.type === "BLOCK_LITERAL" || scalar.type === "BLOCK_FOLDED";

function quotesOf(node: Node | null): Quotes | undefined {
  const { isScalar } = yaml();
  if (!isScalar(node)) return undefined;
  if (node.type === "QUOTE_SINGLE") return "single";
  return node.type === "QUOTE_DOUBLE" ? "double" : undefined;
}

const endOf = (pair: Pair<Scalar, Node | null>): number => {
  const range = pair.value?.range ?? pair.key.range!;
  return range[1];
};

/** The end of the line that `at` is on, or of the one before if `at` begins a line. */
function endOfLine(text: string, at: number): number {
  if (at > 0 && text[at - 1] === "\n") return text[at - 2] === "\r" ? at - 2 : at - 1;
  const end = text.indexOf("\n", at);
  if (end < 0) return text.length;
  return text[end - 1] === "\r" ? end - 1 : end;
}

const indentOf = (text: string, at: number): string => " ".repeat(at - (text.lastIndexOf("\n", at - 1) + 1));

/** A text, and the blanks at its end. */
function splitTail(text: string): [string, string] {
  const before = text.trimEnd();
  return [before, text.slice(before.length)];
}

import type { Field } from "../../provider/core/fields/fields";
import { literal } from "../../provider/core/schema/example-program";
import { type Facts, sentencesIn } from "../../provider/core/schema/facts";

/** Lines of generated code, none of them wider than the lines of code that people write. */

const columns = 120;

/**
 * A line, with what stands between its outermost `<` and `>` on lines of its own where it is too wide, and where that
 * is too wide, each argument, and each value of a union.
 */
export function wrapTypeArguments(line: string): string {
  if (line.length <= columns) return line;
  const indent = /^ */.exec(line)![0];
  const [open, close] = [line.indexOf("<"), line.lastIndexOf(">")];
  if (open < 0 || close < open) return line.replaceAll(" | ", `\n${indent}| `);
  const inner = `${indent}  ${line.slice(open + 1, close)}`;
  const parts = inner.length <= columns ? [inner] : argumentsIn(inner).map((part) => `${indent}  ${part.trim()}`);
  return `${line.slice(0, open + 1)}\n${parts.map(wrapTypeArguments).join(",\n")}\n${indent}${line.slice(close)}`;
}

/** What commas separate, outside of any `<` and `>`. */
function argumentsIn(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const character of text) {
    if (character === "<") depth += 1;
    if (character === ">") depth -= 1;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts;
}

/** The head of a function: `before(parameters)after`. */
export function signature(before: string, parameters: readonly string[], after: string): string {
  const line = `${before}(${parameters.join(", ")})${after}`;
  if (line.length <= columns) return line;
  const indent = /^ */.exec(before)![0];
  return `${before}(\n${parameters.map((parameter) => `${indent}  ${parameter},\n`).join("")}${indent})${after}`;
}

/** A union of values, one in each line where they do not fit into one. */
export function unionType(before: string, values: readonly string[]): string {
  const line = `${before} ${values.join(" | ")};`;
  return line.length <= columns ? line : `${before}${values.map((value) => `\n  | ${value}`).join("")};`;
}

/** What a comment says about a declaration. */
interface Documentation {
  /** Sentences, by paragraph. */
  paragraphs: readonly string[];
  /** Blocks that begin with their tag, such as `@deprecated …`. */
  tags?: readonly string[];
}

const width = 116;

/** A documentation comment, indented and wrapped. */
export function comment({ paragraphs, tags = [] }: Documentation, indent = ""): string {
  const blocks = [...paragraphs.map((text) => wrapText(text, width - indent.length - 3)), ...tags];
  const text = blocks.filter((block) => block !== "").join("\n\n");
  // A resource name with wildcards would end the comment.
  if (text.includes("*/"))
    throw new Error(`\`${text}\` cannot stand in a comment; write \`{name}\` for a part of a name`);
  const lines = text.split("\n");
  if (lines.length === 1 && lines[0]!.length < width - indent.length - 6) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}\n`).join("")}${indent} */\n`;
}

/** What is said about a field: its description, then what follows from its markers. */
export function documentationOf(field: Field, facts: Facts, example?: unknown): Documentation {
  const { deprecated } = field.markers;
  return {
    paragraphs: [field.description, sentencesIn(facts).join(" ")],
    tags: [
      ...(example === undefined ? [] : [`@example ${oneLine(example)}`]),
      ...(deprecated === undefined ? [] : [`@deprecated ${deprecated.charAt(0).toUpperCase()}${deprecated.slice(1)}.`]),
    ],
  };
}

/** A value as a program writes it, on one line. */
export const oneLine = (value: unknown): string =>
  literal(value)
    .replace(/,\n\s*([}\]])/g, "\n$1")
    .replace(/([[{])\n\s*/g, (_, open: string) => (open === "{" ? "{ " : open))
    .replace(/\n\s*([}\]])/g, (_, close: string) => (close === "}" ? " }" : close))
    .replace(/\n\s*/g, " ");

function wrapText(text: string, most: number): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}

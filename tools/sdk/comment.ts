import type { Field } from "../../provider/core/fields/fields";
import { literal } from "../../provider/core/schema/example-program";
import { type Facts, sentencesIn } from "../../provider/core/schema/facts";

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
  const blocks = [...paragraphs.map((text) => wrapped(text, width - indent.length - 3)), ...tags];
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

function wrapped(text: string, most: number): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}

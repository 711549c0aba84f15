/** Lines of generated code, none of them wider than the lines of code that people write. */

const columns = 120;

/**
 * A line, with what stands between its outermost `<` and `>` on lines of its own where it is too wide, and where that
 * is too wide, each argument, and each value of a union.
 */
export function fitted(line: string): string {
  if (line.length <= columns) return line;
  const indent = /^ */.exec(line)![0];
  const [open, close] = [line.indexOf("<"), line.lastIndexOf(">")];
  if (open < 0 || close < open) return line.replaceAll(" | ", `\n${indent}| `);
  const inner = `${indent}  ${line.slice(open + 1, close)}`;
  const parts = inner.length <= columns ? [inner] : argumentsIn(inner).map((part) => `${indent}  ${part.trim()}`);
  return `${line.slice(0, open + 1)}\n${parts.map(fitted).join(",\n")}\n${indent}${line.slice(close)}`;
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
export function union(before: string, values: readonly string[]): string {
  const line = `${before} ${values.join(" | ")};`;
  return line.length <= columns ? line : `${before}${values.map((value) => `\n  | ${value}`).join("")};`;
}

/** Lines of generated code, none of them wider than the lines of code that people write. */

const columns = 120;

/** A line, with what stands between its outermost `<` and `>` on lines of its own where it is too wide. */
export function fitted(line: string): string {
  const [open, close] = [line.indexOf("<"), line.lastIndexOf(">")];
  if (line.length <= columns || open < 0 || close < open) return line;
  const indent = /^ */.exec(line)![0];
  const inner = fitted(`${indent}  ${line.slice(open + 1, close)}`);
  return `${line.slice(0, open + 1)}\n${inner}\n${indent}${line.slice(close)}`;
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

import type { Field } from "../../provider/core/fields/fields";
import { snakeCase } from "../../provider/core/values/names";
import { Code, literal, Reference, SecretRead } from "./printer";

/** Prints values as Python. What is printed gives the same value back, whatever the texts in it hold. */

const width = 88;
const step = "    ";

/** Words that cannot name a variable in Python, and names that the program has other uses for. */
const taken = new Set(
  "and as assert async await def del elif except from global in is lambda nonlocal not or pass print raise with yield modelplatform".split(
    " ",
  ),
);

/** A variable of the program, or a field as generated SDKs call it. */
export function pythonName(name: string): string {
  const snake = snakeCase(name);
  return taken.has(snake) ? `${snake}_` : snake;
}

/** A call with named arguments, one in each line; arguments of messages are dictionaries. */
export const call = (
  callee: string,
  first: readonly string[],
  named: readonly [name: string, text: string][],
): string =>
  `${callee}(\n${[...first, ...named.map(([name, text]) => `${name}=${text}`)].map((line) => `${step}${line},\n`).join("")})`;

/**
 * `value` as an expression; `column` characters stand before it on its line, and its later lines are `depth` steps in.
 */
export function pythonExpression(value: unknown, field: Field | undefined, depth = 0, column = 0): string {
  if (value instanceof Code) return codeOf(value);
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return pythonText(value);
  if (typeof value !== "object") return String(JSON.stringify(value));
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const inline = `${open}${entries(value, field, 0, Number.NEGATIVE_INFINITY).join(", ")}${close}`;
  if (column + inline.length <= width) return inline;
  const lines = entries(value, field, depth + 1, (depth + 1) * step.length);
  return [open, ...lines.map((line) => `${step.repeat(depth + 1)}${line},`), `${step.repeat(depth)}${close}`].join(
    "\n",
  );
}

function entries(value: object, field: Field | undefined, depth: number, column: number): string[] {
  if (Array.isArray(value)) return value.map((entry) => pythonExpression(entry, field?.item, depth, column));
  return Object.entries(value).map(([name, member]) => {
    const inner = field?.type === "map" ? field.item : field?.fields?.find((candidate) => candidate.name === name);
    // Keys of maps are the program's own; names of fields are spelt as the language has them.
    const key = pythonText(field?.fields && inner ? snakeCase(name) : name);
    return `${key}: ${pythonExpression(member, inner, depth, column + key.length + 2)}`;
  });
}

function codeOf(code: Code): string {
  if (code instanceof Reference) return `${pythonName(code.variable)}.${pythonName(code.output)}`;
  if (code instanceof SecretRead) {
    const how = `${code.isRequired ? "require" : "get"}_secret${code.isList ? "_object" : ""}`;
    return `config.${how}(${pythonText(code.key)})`;
  }
  return code.text;
}

/** Beyond four digits Python writes an escape in its own way. */
export const pythonText = (value: string): string =>
  literal(value).replace(/\\(?:\\|u\{([0-9a-f]+)\})/g, (whole, code?: string) =>
    code === undefined ? whole : `\\U${code.padStart(8, "0")}`,
  );

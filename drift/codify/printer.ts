/**
 * Prints values as TypeScript. The output compiles and evaluates to the same value, with any text in it.
 */

/** A piece of a program in place of a value: a reference, a call. */
export class Code {
  constructor(readonly text: string) {}
}

/** An output of another declaration. */
export class Reference extends Code {
  constructor(
    readonly variable: string,
    readonly output: string,
  ) {
    super(`${variable}.${output}`);
  }
}

/** A secret from the program's config; what the service may not have is not required. */
export class SecretRead extends Code {
  constructor(
    readonly key: string,
    readonly isRequired: boolean,
    readonly isList: boolean,
  ) {
    const how = `${isRequired ? "require" : "get"}Secret`;
    super(`config.${isList ? `${how}Object<string[]>` : how}(${JSON.stringify(key)})`);
  }
}

const width = 110;
const step = "    ";

/**
 * `value` as an expression; `column` characters stand before it on its line, and its later lines are `depth` steps in.
 */
export function expression(value: unknown, depth = 0, column = depth * step.length): string {
  if (value instanceof Code) return value.text;
  if (typeof value === "string") return text(value);
  if (value === null || typeof value !== "object") return String(JSON.stringify(value));
  const inline = onOneLine(value);
  if (column + inline.length <= width && !inline.includes("\n")) return inline;
  return Array.isArray(value)
    ? block(
        "[",
        value.map((entry) => expression(entry, depth + 1)),
        "]",
        depth,
      )
    : block("{", members(value, depth + 1), "}", depth);
}

const block = (open: string, lines: readonly string[], close: string, depth: number): string =>
  [open, ...lines.map((line) => `${step.repeat(depth + 1)}${line},`), `${step.repeat(depth)}${close}`].join("\n");

function onOneLine(value: object): string {
  if (Array.isArray(value)) return `[${value.map((entry) => expression(entry, 0, -Infinity)).join(", ")}]`;
  const entries = Object.entries(value).map(([name, member]) => `${key(name)}: ${expression(member, 0, -Infinity)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

function members(value: object, depth: number): string[] {
  return Object.entries(value).map(([name, member]) => {
    const head = `${key(name)}: `;
    return `${head}${expression(member, depth, depth * step.length + head.length + 1)}`;
  });
}

/** `__proto__` as a plain key would set the object's prototype. */
function key(name: string): string {
  if (name === "__proto__") return `["__proto__"]`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** Long texts of several lines keep their lines. */
function text(value: string): string {
  return value.length > 60 && /\n[^\n]*\n|\n.{20}/.test(value) ? template(value) : literal(value);
}

export const literal = (value: string): string => JSON.stringify(value).replace(unseen, escaped);

function template(value: string): string {
  const lines = value
    .split("\n")
    .map((line) =>
      JSON.stringify(line)
        .slice(1, -1)
        .replaceAll('\\"', '"')
        .replaceAll("`", "\\`")
        .replaceAll("${", "\\${")
        .replace(unseen, escaped),
    );
  return `\`${lines.join("\n")}\``;
}

/** Characters that do not show, or make others show in another order than they stand. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escaped = (character: string): string => {
  const code = character.codePointAt(0)!.toString(16);
  return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\u{${code}}`;
};

/** A text as the rest of a comment's line, which it cannot end. */
export const commentText = (value: string): string => value.replace(/\s+/g, " ").replace(unseen, escaped);

import type { Document, YAMLError } from "yaml";

/**
 * Where a text is not YAML, and why. Holds none of the text, which the library's own message quotes: a file of a
 * checkout may be a link to a user's keys, and a slip may stand beside a secret.
 */
export function yamlProblem({ code, linePos }: Pick<YAMLError, "code" | "linePos">): string {
  const [place] = linePos ?? [];
  const where = place === undefined ? "" : `line ${place.line}, column ${place.col}: `;
  return `${where}${code.toLowerCase().replaceAll("_", " ")}`;
}

/** Characters of a YAML file: those of people have some thousand, and a larger one holds a command for minutes. */
const longest = 4 * 1024 * 1024;

/**
 * The content of a text that `what` names. Throws an error that holds none of it; more than 4 MB are refused before
 * they are parsed.
 */
export function yamlValue(text: string, what: string, options: { intAsBigInt?: boolean } = {}): unknown {
  if (text.length > longest)
    throw new Error(
      `${what} has ${Math.ceil(text.length / 1024 / 1024)} MB, and at most 4 MB are read. Check the file.`,
    );
  // Takes as long to load as a small scan: most commands read no such file.
  const { LineCounter, parseDocument } = require("yaml") as typeof import("yaml");
  const lines = new LineCounter();
  // The library looks for repeated keys by comparing each with all others.
  const document = parseDocument(text, { ...options, uniqueKeys: false, lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(`${what} cannot be read: ${yamlProblem(error)}`);
  const repeated = repeatedKey(document);
  if (repeated !== undefined) {
    const { line, col } = lines.linePos(repeated);
    throw new Error(`${what} cannot be read: line ${line}, column ${col}: duplicate key`);
  }
  let value: unknown;
  try {
    value = document.toJS();
  } catch {
    // An alias without an anchor, or too many of them.
    throw new Error(`${what} cannot be read: its aliases lead nowhere, or to too much`);
  }
  if (holdsItself(value)) throw new Error(`${what} cannot be read: an alias in it leads to what surrounds it`);
  return value;
}

/** Whether a value is a member of itself, at any depth: nothing that walks it would end. */
function holdsItself(value: unknown, above = new Set<unknown>(), done = new Set<unknown>()): boolean {
  if (typeof value !== "object" || value === null || done.has(value)) return false;
  if (above.has(value)) return true;
  above.add(value);
  const isCyclic = Object.values(value).some((member) => holdsItself(member, above, done));
  above.delete(value);
  done.add(value);
  return isCyclic;
}

/** The same for JSON, of which the parser's own words quote the text. */
export function jsonValue(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${what} cannot be read: it is not JSON. Correct it, or put it aside.`);
  }
}

/** Where a key of a map stands that the map has already. */
function repeatedKey(document: Document): number | undefined {
  const { isScalar, visit } = require("yaml") as typeof import("yaml");
  let at: number | undefined;
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : key;
        if (isScalar(key) && seen.has(name)) at ??= key.range?.[0] ?? 0;
        seen.add(name);
      }
      return at === undefined ? undefined : visit.BREAK;
    },
  });
  return at;
}

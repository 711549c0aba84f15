import type { YAMLError } from "yaml";

/**
 * Where a text is not YAML, and why. Holds none of the text, which the library's own message quotes: a file of a
 * checkout may be a link to a user's keys, and a slip may stand beside a secret.
 */
export function yamlProblem({ code, linePos }: Pick<YAMLError, "code" | "linePos">): string {
  const [place] = linePos ?? [];
  const where = place === undefined ? "" : `line ${place.line}, column ${place.col}: `;
  return `${where}${code.toLowerCase().replaceAll("_", " ")}`;
}

/** The content of a text; throws an error that holds none of it. `what` names the file. */
export function yamlValue(text: string, what: string, options: { intAsBigInt?: boolean } = {}): unknown {
  // Takes as long to load as a small scan: most commands read no such file.
  const { parseDocument } = require("yaml") as typeof import("yaml");
  const document = parseDocument(text, options);
  const [error] = document.errors;
  if (error !== undefined) throw new Error(`${what} cannot be read: ${yamlProblem(error)}`);
  try {
    return document.toJS();
  } catch {
    // An alias without an anchor, or too many of them.
    throw new Error(`${what} cannot be read: its aliases lead nowhere, or to too much`);
  }
}

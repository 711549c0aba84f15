import { readYaml, type YamlOptions } from "./yaml-document";

/** The content of a text that `what` names. Throws an error that holds none of it. */
export function yamlValue(text: string, what: string, options?: YamlOptions): unknown {
  const { document, problem } = readYaml(text, what, options);
  if (problem !== undefined) throw new Error(`${what} cannot be read: ${problem}`);
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

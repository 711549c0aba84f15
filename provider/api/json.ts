/** Deepest nesting of an answer; the API's own messages stay below ten. */
const deepest = 64;

/**
 * Parses JSON from outside: members named `__proto__` are dropped, nesting has a limit. Throws a `SyntaxError` that shows nothing of
 * the text, because it may hold secrets.
 */
export function parseJson(text: string): unknown {
  if (depthOf(text) > deepest) throw new SyntaxError(`the JSON is nested deeper than ${deepest} levels`);
  const withPrototype = text.includes("_proto_") || /\\u005f/i.test(text);
  try {
    return JSON.parse(
      text,
      withPrototype ? (key, value: unknown) => (key === "__proto__" ? undefined : value) : undefined,
    );
  } catch {
    throw new SyntaxError("the text is not JSON");
  }
}

function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const letter = text.charCodeAt(index);
    if (letter === quote) quoted = !quoted;
    else if (quoted && letter === backslash) index++;
    else if (!quoted && (letter === brace || letter === bracket)) most = Math.max(most, ++depth);
    else if (!quoted && (letter === brace + 2 || letter === bracket + 2)) depth--;
  }
  return most;
}

const quote = 0x22;
const backslash = 0x5c;
const brace = 0x7b;
const bracket = 0x5b;

/** Deepest nesting of an answer; the API's own messages stay below ten. */
const deepest = 64;

/**
 * Most members and elements of an answer: a page of 200 objects stays below a hundred
 * thousand. Small ones take many times their text.
 */
const most = 500_000;

/**
 * Parses JSON from outside: members named `__proto__` are dropped, nesting and number have a limit. Throws a
 * `SyntaxError` that shows nothing of the text, because it may hold secrets.
 */
export function parseJson(text: string): unknown {
  const { depth, members } = shapeOf(text);
  if (depth > deepest) throw new SyntaxError(`the JSON is nested deeper than ${deepest} levels`);
  if (members > most) throw new SyntaxError(`the JSON has more than ${most} members`);
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

function shapeOf(text: string): { depth: number; members: number } {
  let level = 0;
  let depth = 0;
  let members = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const letter = text.charCodeAt(index);
    if (letter === quote) quoted = !quoted;
    else if (quoted && letter === backslash) index++;
    else if (!quoted && (letter === brace || letter === bracket)) {
      depth = Math.max(depth, ++level);
      members++;
    } else if (!quoted && letter === comma) members++;
    else if (!quoted && (letter === brace + 2 || letter === bracket + 2)) level--;
  }
  return { depth, members };
}

const quote = 0x22;
const backslash = 0x5c;
const brace = 0x7b;
const bracket = 0x5b;
const comma = 0x2c;

/** How a known secret may look in a text: the one place that knows. */

const shortest = 4;
const shortestLine = 8;

/** What is masked of a secret: all of it, and each longer line. Shorter texts are too common. */
export function partsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const parts =
    lines.length > 1 ? [secret, ...lines.filter((line) => line.length >= shortestLine)] : [secret, secret.trim()];
  return [...new Set(parts)].filter((part) => part.length >= shortest);
}

/**
 * The forms in which a secret may appear in a text. Other letter cases are matched only if the secret is not a common
 * word.
 */
export const spellings = (part: string): string[] => [
  part,
  jsonText(part),
  ...percentEncodings(part),
  ...base64Encodings(part),
  ...(part.length >= shortestLine ? [part.toUpperCase(), part.toLowerCase(), ...hexEncodings(part)] : []),
];

/** Longer ones are found in their usual spellings only: a pattern has its limits. */
const longestSpelt = 4096;

/** Patterns of the same forms, by form, in which any letter may be escaped and any other not: no two writers agree. */
export function escapedSpellings(part: string): [form: string, source: string][] {
  if (part.length > longestSpelt) return [];
  const fold = part.length >= shortestLine;
  const coded = base64Encodings(part).filter((form) => /[^A-Za-z0-9]/.test(form));
  const hex = fold ? hexEncodings(part).slice(0, 1) : [];
  return [
    [part, escaped(part, fold)],
    ...coded.map((form): [string, string] => [form, escaped(form, false)]),
    ...hex.map((form): [string, string] => [form, form.replace(/[a-f]/g, (letter) => eitherCase(letter))]),
  ];
}

const escaped = (text: string, fold: boolean): string =>
  [...text]
    .map((letter) => `(?:${[...new Set(fold ? casesOf(letter) : [letter])].flatMap(waysToWrite).join("|")})`)
    .join("");

const casesOf = (letter: string): string[] => [letter, letter.toUpperCase(), letter.toLowerCase()];

/** One letter as it is, escaped in JSON, and percent-encoded, as patterns; the longest first. */
function waysToWrite(letter: string): string[] {
  const bytes = [...Buffer.from(letter)].map((byte) => `%${anyCase(byte.toString(16).padStart(2, "0"))}`).join("");
  const units = Array.from({ length: letter.length }, (_, at) => letter.charCodeAt(at).toString(16).padStart(4, "0"));
  const json = [
    units.map((unit) => `\\\\u${anyCase(unit)}`).join(""),
    literal(jsonText(letter)),
    literal(`\\${letter}`),
  ];
  return [...json, bytes, ...(letter === " " ? ["\\+"] : []), literal(letter)];
}

const anyCase = (hex: string): string => hex.replace(/[a-f]/g, eitherCase);

const eitherCase = (letter: string): string => `[${letter}${letter.toUpperCase()}]`;

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** `text` with `mask` for what it has of `variant`, from its beginning to where the two part, if that is half of it. */
export function withoutBeginning(text: string, variant: string, mask: string): string {
  const head = variant.slice(0, Math.max(shortestLine, Math.ceil(variant.length / 2)));
  if (head.length < shortestLine) return text;
  let masked = "";
  let from = 0;
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, from)) {
    let end = at + head.length;
    while (end - at < variant.length && text[end] === variant[end - at]) end++;
    masked += text.slice(from, at) + mask;
    from = end;
  }
  return masked + text.slice(from);
}

function hexEncodings(text: string): string[] {
  const hex = Buffer.from(text).toString("hex");
  return [hex, hex.toUpperCase()];
}

const jsonText = (text: string): string => JSON.stringify(text).slice(1, -1);

/** As in a query or a form, and with every byte encoded. Hex digits are found in either case. */
function percentEncodings(text: string): string[] {
  const component = encodeURIComponent(Buffer.from(text).toString());
  const strict = component.replace(/[!'()*~._-]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const all = Buffer.from(text).toString("hex").toUpperCase().replace(/../g, "%$&");
  const forms = [component, strict, component.replaceAll("%20", "+"), all];
  return [...forms, ...forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

/**
 * Base64 depends on where in a longer text the secret begins. Of each of the three positions, the characters that no
 * neighbour can change are masked, in both alphabets.
 */
function base64Encodings(text: string): string[] {
  const bytes = Buffer.from(text);
  const inner = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const cutFront = offset === 0 ? 0 : offset + 1;
    const cutBack = (bytes.length + offset) % 3 === 0 ? 0 : 1;
    return encoded.slice(cutFront, encoded.length - cutBack);
  });
  const whole = bytes.toString("base64").replace(/=+$/, "");
  const forms = [whole, ...inner].filter((form) => form.length >= shortestLine);
  return [...forms, ...forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}

export function patternOf(variants: ReadonlySet<string>, spelt: ReadonlyMap<string, string>): RegExp | undefined {
  if (variants.size === 0) return undefined;
  const longestFirst = [...variants].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((variant) => spelt.get(variant) ?? literal(variant)).join("|"), "g");
}

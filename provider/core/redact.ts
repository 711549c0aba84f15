/**
 * Keeps secrets out of everything that is printed, logged, thrown or reported.
 * The one place that knows how a secret looks.
 */

export const redacted = "[redacted]";

/** A text that stays hidden when it is printed, logged or serialized as JSON. */
export class Concealed {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  reveal(): string {
    return this.#text;
  }
  toString(): string {
    return redacted;
  }
  toJSON(): string {
    return redacted;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return redacted;
  }
}

export interface Redactor {
  /**
   * From now on `secret` is masked in every text. Texts of fewer than 4 characters
   * are too common to be masked and are ignored.
   */
  add(secret: string): void;
  /**
   * `text` without known secrets (raw, as JSON text, base64, hexadecimal, percent-encoded), credentials in
   * headers and URLs, and signed query strings.
   */
  text(text: string): string;
  /** A copy of a JSON value with every text redacted and the value of every telling member name masked. */
  value<T>(value: T): T;
}

/** A redactor that knows `secrets` from the start. */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  const variants = new Set<string>();
  let pattern: RegExp | undefined;

  const add = (secret: string): void => {
    const before = variants.size;
    for (const variant of spellings(secret)) variants.add(variant);
    if (variants.size > before) pattern = undefined;
  };
  const text = (raw: string): string => {
    pattern ??= patternOf(variants);
    return maskPatterns(pattern === undefined ? raw : raw.replace(pattern, redacted));
  };
  const value = (raw: unknown, name?: string): unknown => {
    if (raw === null || raw === undefined || typeof raw === "boolean") return raw;
    if (name !== undefined && isTelling(name)) return redacted;
    if (typeof raw === "string") return text(raw);
    if (Array.isArray(raw)) return raw.map((entry) => value(entry));
    if (typeof raw !== "object") return raw;
    return Object.fromEntries(Object.entries(raw).map(([key, member]) => [text(key), value(member, key)]));
  };
  for (const secret of secrets) add(secret);
  return { add, text, value: <T>(raw: T): T => value(raw) as T };
}

const plain = (name: string): string => name.toLowerCase().replace(/[-_]/g, "");

/** Member and header names whose values are credentials, wherever they stand; letter case, `-` and `_` do not count. */
const tellingNames: ReadonlySet<string> = new Set(
  [
    "apiKey",
    "apiKeys",
    "directRouteApiKeys",
    "authorization",
    "proxyAuthorization",
    "cookie",
    "setCookie",
    "password",
    "passphrase",
    "accessToken",
    "refreshToken",
    "bearerToken",
    "privateKey",
  ].map(plain),
);

const isTelling = (name: string): boolean => tellingNames.has(plain(name)) || /signedurls?$/.test(plain(name));

const shortest = 4;
const shortestLine = 8;

/**
 * The forms in which a secret may appear in a text. Other letter cases are matched only if the secret is not a common
 * word.
 */
function spellings(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const parts =
    lines.length > 1 ? [secret, ...lines.filter((line) => line.length >= shortestLine)] : [secret, secret.trim()];
  return parts
    .filter((part) => part.length >= shortest)
    .flatMap((part) => [
      part,
      jsonText(part),
      ...percentEncodings(part),
      ...base64Encodings(part),
      ...(part.length >= shortestLine ? [part.toUpperCase(), part.toLowerCase(), ...hexEncodings(part)] : []),
    ]);
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

function patternOf(variants: ReadonlySet<string>): RegExp | undefined {
  if (variants.size === 0) return undefined;
  const longestFirst = [...variants].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((variant) => variant.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "g");
}

/**
 * Credentials that show by their surroundings. Each pattern looks at a character a bounded number of times
 * and matches a bounded number of them: texts come from services, and one that takes the square of its
 * length, or all of the stack, would stop the process.
 */
function maskPatterns(text: string): string {
  const masked = text.replace(/\b(Bearer|Basic)\s{1,16}[A-Za-z0-9._~+/=-]{8,16384}/gi, (whole, scheme: string) =>
    /[\d_.+/=-]/.test(whole) ? `${scheme} ${redacted}` : whole,
  );
  if (!masked.includes("://")) return masked;
  const anonymous = masked.replace(
    /(?<![a-z0-9])([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@"'<>]{1,4096}@/gi,
    `$1${redacted}@`,
  );
  return mapAddresses(anonymous, withoutSignature);
}

/** Replaces each address of the web, however long. */
function mapAddresses(text: string, replace: (address: string) => string): string {
  const start = /https?:\/\//gi;
  const end = /[\s"'<>]|$/g;
  let mapped = "";
  let from = 0;
  for (let found = start.exec(text); found; found = start.exec(text)) {
    end.lastIndex = start.lastIndex;
    const to = end.exec(text)?.index ?? text.length;
    mapped += text.slice(from, found.index) + replace(text.slice(found.index, to));
    from = start.lastIndex = to;
  }
  return mapped + text.slice(from);
}

/** An address with its query masked, where that is a credential. */
function withoutSignature(address: string): string {
  const [place = ""] = address.split("#", 1);
  const start = place.indexOf("?");
  if (start < 0 || !isSigned(place.slice(start + 1))) return address;
  return `${address.slice(0, start + 1)}${redacted}${address.slice(place.length)}`;
}

const isSigned = (query: string): boolean =>
  query
    .split(/&(?:amp;)?/)
    .some((pair) =>
      /(^(sig|token|key|jwt|upload_?id)$|signature|credential|security-?token|api-?key|access-?key|access-?token|password)/i.test(
        pair.split("=", 1)[0]!,
      ),
    );

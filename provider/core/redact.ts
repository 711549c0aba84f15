import { escapedSpellings, partsOf, patternOf, spellings, withoutBeginning } from "./secret-spellings";

/** Keeps secrets out of everything that is printed, logged, thrown or reported. */

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
  /**
   * As `text`, for one that comes from outside and may have been cut there: the beginning of a secret, from its first
   * half on, is masked as well.
   */
  foreign(text: string): string;
  /**
   * A copy of a JSON value with every text redacted, as `mask` does it, and the value of every telling member name
   * masked.
   */
  value<T>(value: T, mask?: (text: string) => string): T;
}

/** A redactor that knows `secrets` from the start. */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  const variants = new Set<string>();
  const spelt = new Map<string, string>();
  let pattern: RegExp | undefined;

  const add = (secret: string): void => {
    const before = variants.size;
    for (const part of partsOf(secret)) {
      for (const variant of spellings(part)) variants.add(variant);
      for (const [variant, source] of escapedSpellings(part)) spelt.set(variant, source);
    }
    if (variants.size > before) pattern = undefined;
  };
  const text = (raw: string): string => {
    pattern ??= patternOf(variants, spelt);
    return maskPatterns(pattern === undefined ? raw : raw.replace(pattern, redacted));
  };
  const foreign = (raw: string): string =>
    [...variants].reduce((left, variant) => withoutBeginning(left, variant, redacted), text(raw));
  const value = (raw: unknown, mask: (text: string) => string, name?: string): unknown => {
    if (raw === null || raw === undefined || typeof raw === "boolean") return raw;
    if (name !== undefined && isTelling(name)) return redacted;
    if (typeof raw === "string") return mask(raw);
    if (Array.isArray(raw)) return raw.map((entry) => value(entry, mask));
    if (typeof raw !== "object") return raw;
    return Object.fromEntries(Object.entries(raw).map(([key, member]) => [mask(key), value(member, mask, key)]));
  };
  for (const secret of secrets) add(secret);
  return { add, text, foreign, value: <T>(raw: T, mask = text): T => value(raw, mask) as T };
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

import type { SecretMatcher } from "../../io/masking/matcher";

/** Keeps secrets out of everything that is printed, logged, thrown or reported. */

export const redacted = "[redacted]";

/** A text that stays hidden when it is printed, logged or serialized as JSON. */
export class RedactedString {
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
   * From now on `secret` is masked in every text, and so is each longer run of its letters, but for those of `known`,
   * which everybody may see. Texts of fewer than 4 characters are too common to be masked and are ignored.
   */
  add(secret: string, known?: string): void;
  /** `text` without known secrets in any form, credentials in headers and URLs, and signed query strings. */
  text(text: string): string;
  /** A copy of a JSON value with every text redacted, and the value of every telling member name masked. */
  value<T>(value: T): T;
}

const shortest = 4;

/** Texts that recur are masked once, such as the name of an account: so many, of up to so many characters. */
const recurring = { most: 1000, longest: 200 };

/** A redactor that knows `secrets` from the start. */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  let matcher: SecretMatcher | undefined;
  const masked = new Map<string, string>();
  const add = (secret: string, known?: string): void => {
    masked.clear();
    if (secret.length >= shortest) (matcher ??= openMatcher()).add(secret, known);
  };
  const mask = (raw: string): string => maskPatterns(matcher?.mask(raw, redacted) ?? raw);
  const text = (raw: string): string => {
    if (raw.length > recurring.longest) return mask(raw);
    let found = masked.get(raw);
    if (found !== undefined) return found;
    if (masked.size >= recurring.most) masked.clear();
    masked.set(raw, (found = mask(raw)));
    return found;
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

/** A command without secrets does not load what finds them. */
function openMatcher(): SecretMatcher {
  const { SecretMatcher } = require("../../io/masking/matcher") as typeof import("../../io/masking/matcher");
  return new SecretMatcher();
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
  const anonymous = masked.replace(/([a-z0-9+.-]:\/\/)[^\s/?#@"'<>]{1,4096}@/gi, `$1${redacted}@`);
  return mapAddresses(anonymous, withoutSignature);
}

/** Replaces each address of the web, however long. */
function mapAddresses(text: string, replace: (address: string) => string): string {
  const start = /https?:\/\//gi;
  const end = /[\s"'<>]|$/g;
  let mapped = "";
  let from = 0;
  for (let match = start.exec(text); match; match = start.exec(text)) {
    end.lastIndex = start.lastIndex;
    const to = end.exec(text)?.index ?? text.length;
    mapped += text.slice(from, match.index) + replace(text.slice(match.index, to));
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

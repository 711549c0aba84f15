import fc from "fast-check";

/** How a writer puts a letter, or all of a text. Written for the tests: the matcher reads, and never writes. */

const hex = (value: number, digits = 2): string => value.toString(16).padStart(digits, "0");
const bytesOf = (text: string): number[] => [...Buffer.from(text)];
const unitsOf = (text: string): number[] => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));

const namedEntities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  ä: "&auml;",
  ö: "&ouml;",
  ü: "&uuml;",
};

/** Writers that put one character after the other. */
export const letterWriters: Readonly<Record<string, (character: string) => string>> = {
  "as it is": (character) => character,
  "in capitals": (character) =>
    character.toUpperCase().length === character.length ? character.toUpperCase() : character,
  "in JSON": (character) => JSON.stringify(character).slice(1, -1),
  "in JSON within JSON": (character) => JSON.stringify(JSON.stringify(character).slice(1, -1)).slice(1, -1),
  "in JSON of ASCII alone": (character) =>
    /^[ -~]$/.test(character)
      ? JSON.stringify(character).slice(1, -1)
      : unitsOf(character)
          .map((unit) => `\\u${hex(unit, 4)}`)
          .join(""),
  "with \\u for each letter": (character) =>
    unitsOf(character)
      .map((unit) => `\\u${hex(unit, 4)}`)
      .join(""),
  "with \\x for each byte": (character) =>
    bytesOf(character)
      .map((byte) => `\\x${hex(byte)}`)
      .join(""),
  "with an octal escape for each byte": (character) =>
    bytesOf(character)
      .map((byte) => `\\${byte.toString(8).padStart(3, "0")}`)
      .join(""),
  "percent-encoded": (character) => encodeURIComponent(character),
  "percent-encoded twice": (character) => encodeURIComponent(encodeURIComponent(character)),
  "percent-encoded byte by byte": (character) =>
    bytesOf(character)
      .map((byte) => `%${hex(byte).toUpperCase()}`)
      .join(""),
  "of a form": (character) => new URLSearchParams({ a: character }).toString().slice(2),
  "escaped for HTML": (character) => namedEntities[character] ?? character,
  "with an entity for each letter": (character) => `&#${character.codePointAt(0)!};`,
  "with a hexadecimal entity for each letter": (character) => `&#x${hex(character.codePointAt(0)!)};`,
  "in JSON, percent-encoded": (character) => encodeURIComponent(JSON.stringify(character).slice(1, -1)),
  "percent-encoded, in HTML": (character) => `${encodeURIComponent(character).replaceAll("'", "&#39;")}`,
};

/** Writers whose letters are parts of bytes: alphabet of what they write besides separators. */
export interface ByteWriter {
  readonly write: (bytes: Buffer) => string;
  /** Takes out what stands between the letters. */
  readonly strip: (text: string) => string;
  /** What a text shows without doubt of bytes that stand in it: for each place in a longer text. */
  readonly shown: (bytes: Buffer) => string[];
}

const base64Shown = (encoding: "base64" | "base64url") => (bytes: Buffer) =>
  [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString(encoding)
      .replace(/=+$/, "");
    const first = before === 0 ? 0 : before + 1;
    return text.slice(first, Math.floor(((before + bytes.length) * 8) / 6));
  });

export const byteWriters: Readonly<Record<string, ByteWriter>> = {
  "in base64": { write: (bytes) => bytes.toString("base64"), strip: (text) => text, shown: base64Shown("base64") },
  "in base64 for URLs": {
    write: (bytes) => bytes.toString("base64url"),
    strip: (text) => text,
    shown: base64Shown("base64url"),
  },
  "in base64 behind a user's name": {
    write: (bytes) => Buffer.concat([Buffer.from("ada:"), bytes]).toString("base64"),
    strip: (text) => text,
    shown: base64Shown("base64"),
  },
  "in base64 of 76 columns": {
    write: (bytes) => bytes.toString("base64").replace(/.{76}/g, "$&\r\n"),
    strip: (text) => text.replace(/\s/g, ""),
    shown: base64Shown("base64"),
  },
  "in base64 of 64 columns, in JSON": {
    write: (bytes) => bytes.toString("base64").replace(/.{64}/g, "$&\\n"),
    strip: (text) => text.replaceAll("\\n", ""),
    shown: base64Shown("base64"),
  },
  "in hexadecimal": {
    write: (bytes) => bytes.toString("hex"),
    strip: (text) => text,
    shown: (bytes) => [bytes.toString("hex")],
  },
  "in hexadecimal with colons": {
    write: (bytes) =>
      bytes
        .toString("hex")
        .toUpperCase()
        .replace(/..(?=.)/g, "$&:"),
    strip: (text) => text.replaceAll(":", "").toLowerCase(),
    shown: (bytes) => [bytes.toString("hex")],
  },
  "in hexadecimal as C writes it": {
    write: (bytes) => [...bytes].map((byte) => `0x${hex(byte)}`).join(", "),
    strip: (text) => text.replace(/0x|, /g, ""),
    shown: (bytes) => [bytes.toString("hex")],
  },
  "in hexadecimal, each byte quoted": {
    write: (bytes) => JSON.stringify([...bytes].map((byte) => hex(byte))),
    strip: (text) => text.replace(/[^0-9a-f\u0000]/g, ""),
    shown: (bytes) => [bytes.toString("hex")],
  },
  "in base64 in pieces": {
    write: (bytes) => JSON.stringify(bytes.toString("base64").match(/.{1,16}/g) ?? []),
    strip: (text) => text.replace(/[[\]",]/g, ""),
    shown: base64Shown("base64"),
  },
  "as a list of numbers": {
    write: (bytes) => JSON.stringify([...bytes]),
    strip: (text) => text.replace(/[[\]]/g, ""),
    shown: (bytes) => [[...bytes].join(",")],
  },
};

const from = (alphabet: string, minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...Array.from(alphabet)), { minLength, maxLength })
    .map((characters) => characters.join("").slice(0, maxLength));

const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
export const base64Letters = `${upper}${upper.toLowerCase()}0123456789+/`;

const wrapped = (text: string): string => text.replace(/.{64}/g, "$&\n").trimEnd();

export const pem = from(base64Letters, 200, 3200).map(
  (body) => `-----BEGIN PRIVATE KEY-----\n${wrapped(body)}\n-----END PRIVATE KEY-----\n`,
);

const serviceAccount = fc
  .tuple(pem, from("0123456789abcdef", 40, 40), from("0123456789", 21, 21))
  .map(([key, id, client]) =>
    JSON.stringify(
      { type: "service_account", private_key_id: id, private_key: key, client_id: client, project_id: "acme" },
      null,
      2,
    ),
  );

/** Credentials of 8 to 4,096 letters, as users have them. */
export const credential: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: from(`${base64Letters}-_`, 8, 200) },
  { weight: 1, arbitrary: from(base64Letters, 200, 4096) },
  { weight: 2, arbitrary: from(`${base64Letters} !"#$%&'()*,-.:;<=>?@[\\]^_\`{|}~`, 8, 80).filter(isOrdinary) },
  { weight: 2, arbitrary: from(`${base64Letters}äöüÄÖÜéñ€`, 8, 80) },
  { weight: 1, arbitrary: from(`${base64Letters}🔑🗝😀`, 8, 80).filter(isOrdinary) },
  { weight: 1, arbitrary: pem },
  { weight: 1, arbitrary: serviceAccount },
);

/** Spaces around are no part of a secret, and a half of an emoji is no character. */
function isOrdinary(text: string): boolean {
  return text.trim().length === text.length && text.length >= 8 && !/\p{Surrogate}/u.test(text);
}

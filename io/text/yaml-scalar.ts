/** What a scalar of a YAML file may hold. */
export type YamlScalar = string | number | bigint | boolean | null;

/** A value of a YAML file that takes edits. */
export type YamlValue = YamlScalar | readonly YamlValue[] | { readonly [key: string]: YamlValue };

/** A path in the file; a number is the index of a list. */
export type YamlPath = readonly (string | number)[];

export type Quotes = "single" | "double";

/** Texts that need no quotes, in brackets or outside. A parser may still not read them as texts. */
const plain = /^[A-Za-z_/](?:[\w./@+=~%-]|:(?! |$)| (?! |$))*$/;

/** What single quotes can hold: printable ASCII on one line. */
const printableAscii = /^[ -~]*$/;

/** Letters and digits of any script; everything else outside ASCII is escaped. */
const spelled = /[\p{L}\p{N}]/u;

const escapes: Readonly<Record<string, string>> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * The one way in which this package spells a scalar in YAML: on one line, and read alike by every parser. Texts that
 * are not plain ASCII, or that could be read as something else, get double quotes. `quotes`: those of the replaced
 * text, kept if they can hold the new one. Throws for half a surrogate pair, which no encoding holds.
 */
export function yamlScalar(value: YamlScalar, quotes?: Quotes): string {
  if (typeof value !== "string") return String(value);
  if (quotes === "single" && printableAscii.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return quotes === undefined && plain.test(value) && staysText(value) ? value : doubleQuoted(value);
}

/** A scalar of JSON, in ASCII alone. */
export const jsonScalar = (value: YamlScalar): string =>
  typeof value === "string"
    ? JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`)
    : String(value);

/** YAML 1.1, which the Pulumi CLI's parser knows in part, reads more words as something else. */
function staysText(text: string): boolean {
  const { parse } = require("yaml") as typeof import("yaml");
  return parse(text) === text && parse(text, { version: "1.1" }) === text && !/^(?:y|n|yes|no|on|off)$/i.test(text);
}

const doubleQuoted = (text: string): string => `"${[...text].map(escapeCharacter).join("")}"`;

function escapeCharacter(character: string): string {
  const known = escapes[character];
  if (known !== undefined) return known;
  if ((character >= " " && character <= "~") || spelled.test(character)) return character;
  const code = character.codePointAt(0)!;
  if (code >= 0xd800 && code <= 0xdfff)
    throw new Error("the text holds half of a surrogate pair, which no file can hold. Correct it at its source.");
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

const hex = (code: number, digits: number): string => code.toString(16).toUpperCase().padStart(digits, "0");

/** The text after a key and its colon. */
export const formatAfterKey = (value: YamlValue, indent: string, newline: string): string =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
    ? block(value, `${indent}  `, newline)
    : ` ${flow(value, (scalar) => yamlScalar(scalar))}`;

/** A mapping over several lines, each begun by a line break. */
export function block(value: YamlValue, indent: string, newline: string): string {
  return Object.entries(value as Readonly<Record<string, YamlValue>>)
    .map(([key, member]) => `${newline}${indent}${yamlScalar(key)}:${formatAfterKey(member, indent, newline)}`)
    .join("");
}

/** On one line, in brackets. */
export function flow(value: YamlValue, spell: (scalar: YamlScalar) => string): string {
  if (Array.isArray(value)) return `[${value.map((element: YamlValue) => flow(element, spell)).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(
        ([key, member]) =>
          `${spell === jsonScalar ? jsonScalar(key) : yamlScalar(key, "double")}: ${flow(member, spell)}`,
      )
      .join(", ")}}`;
  return spell(value as YamlScalar);
}

import { isDeepStrictEqual } from "node:util";
import { canonicalJson } from "../../io/text/canonical-json";
import { yamlValue } from "../../io/text/parse-problem";
import type { YamlPath, YamlValue } from "../../io/text/yaml-scalar";
import { isObject } from "./resource-state";

/** A value of a stack's config file; a secret is `{ secure: "<ciphertext>" }`. */
export type StoredConfigValue = null | boolean | number | bigint | string | StoredConfigValue[] | ConfigObject;

export type ConfigObject = { [key: string]: StoredConfigValue };

/** Steps into a value: names of members, and indices of elements. */
type ConfigPath = readonly (string | number)[];

export const isConfigObject = isObject<StoredConfigValue>;

export function isSecure(value: StoredConfigValue | undefined): value is { secure: string } {
  return isConfigObject(value) && typeof value["secure"] === "string" && Object.keys(value).length === 1;
}

export function containsSecret(value: StoredConfigValue): boolean {
  if (isSecure(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(containsSecret);
}

/** The texts of the secrets inside. */
export function secretTexts(value: StoredConfigValue, decrypt: (ciphertext: string) => string): string[] {
  if (isSecure(value)) return [decrypt(value.secure)];
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap((member) => secretTexts(member, decrypt))
    : [];
}

/** A string unchanged, anything else as Pulumi's JSON text; `decrypt` opens the secrets inside. */
export function configText(value: StoredConfigValue, decrypt: (ciphertext: string) => string): string {
  const opened = open(value, decrypt);
  return typeof opened === "string" ? opened : goEscapes(canonicalJson(opened));
}

/** The value of a text that is set at a path below a key; without a path, a text is a string. */
export const valueAtPath = (path: readonly unknown[], text: string): StoredConfigValue =>
  path.length > 0 ? valueOfText(text) : text;

/** How `--path` reads a text: `true`, `false` and integers are values, anything else is a string. */
export function valueOfText(text: string): StoredConfigValue {
  if (text === "true" || text === "false") return text === "true";
  if (!/^[+-]?\d+$/.test(text) || /^0./.test(text)) return text;
  const integer = BigInt(text);
  if (BigInt.asIntN(64, integer) !== integer && BigInt.asUintN(64, integer) !== integer) return text;
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
}

/** Names and indices of `a.b[0]["c.d"]`. Throws where Pulumi does. */
export function parsePath(text: string): ConfigPath {
  const steps: (string | number)[] = [];
  for (let rest = text; rest !== ""; ) {
    const [all, index, quoted, name] = /^(?:\[(\d+)\]|\["((?:\\"|\\(?!")|[^"\\])*)"\]|\.*([^.[]+))/.exec(rest) ?? [];
    if (all === undefined || (steps.length === 0 && all.startsWith("."))) {
      throw new Error(`\`${text}\` is not a config path. Write it like \`name.list[0].member\` or \`name["a.b"]\`.`);
    }
    steps.push(index !== undefined ? Number(index) : (name ?? (quoted ?? "").replaceAll('\\"', '"')));
    rest = rest.slice(all.length);
  }
  return steps;
}

export function valueAt(value: StoredConfigValue | undefined, path: ConfigPath): StoredConfigValue | undefined {
  const [step, ...rest] = path;
  if (step === undefined || value === undefined) return value;
  if (typeof step === "number") return Array.isArray(value) ? valueAt(value[step], rest) : undefined;
  return isPlainObject(value) && Object.hasOwn(value, step) ? valueAt(value[step], rest) : undefined;
}

/**
 * A copy with `member` at `path`. Missing objects and lists on the way are created; an existing list grows only at its
 * end. A first value that does not fit the path is replaced; a deeper one is an error.
 */
export function withValueAt(
  value: StoredConfigValue | undefined,
  path: ConfigPath,
  member: StoredConfigValue,
): StoredConfigValue {
  return setAt(value ?? null, path, member, []);
}

/** A copy without the member at `path`. */
export function withoutValueAt(value: StoredConfigValue, path: ConfigPath): StoredConfigValue {
  const [step, ...rest] = path;
  if (step === undefined || valueAt(value, path) === undefined) return value;
  const change = (member: StoredConfigValue): StoredConfigValue[] =>
    rest.length === 0 ? [] : [withoutValueAt(member, rest)];
  if (Array.isArray(value)) return value.flatMap((element, index) => (index === step ? change(element) : [element]));
  const members = Object.entries(isPlainObject(value) ? value : {});
  return assertMergeable(
    Object.fromEntries(
      members.flatMap(([key, other]) => (key === step ? change(other) : [other]).map((kept) => [key, kept])),
    ),
    path,
  );
}

function setAt(
  value: StoredConfigValue,
  path: ConfigPath,
  member: StoredConfigValue,
  above: ConfigPath,
): StoredConfigValue {
  const [step, ...rest] = path;
  if (step === undefined) return member;
  const here = [...above, step];
  const isNew = value === null || (above.length === 0 && !Array.isArray(value) && !isPlainObject(value));
  if (typeof step === "number") {
    const list = isNew ? Array.from({ length: step + 1 }, () => null) : value;
    if (!Array.isArray(list))
      throw new Error(`${formatConfigPath(above)} is not a list, so it has no element ${step}.`);
    if (step > list.length)
      throw new Error(
        `${formatConfigPath(here)} is beyond the end of the list: its next free place is ${list.length}.`,
      );
    return [...list.slice(0, step), setAt(list[step] ?? null, rest, member, here), ...list.slice(step + 1)];
  }
  const object = isNew ? {} : value;
  if (!isPlainObject(object))
    throw new Error(`${formatConfigPath(above)} is not an object, so it has no member \`${step}\`.`);
  const old = Object.hasOwn(object, step) ? object[step] : undefined;
  const others = Object.entries(object).filter(([key]) => key !== step);
  return assertMergeable(Object.fromEntries([...others, [step, setAt(old ?? null, rest, member, here)]]), here);
}

function isPlainObject(value: StoredConfigValue): value is ConfigObject {
  return isConfigObject(value) && !isSecure(value);
}

/** An object whose only member is a text `secure` would be read as a secret. */
function assertMergeable(object: ConfigObject, path: ConfigPath): ConfigObject {
  if (isSecure(object))
    throw new Error(
      `${formatConfigPath(path)} would leave an object whose only member is \`secure\`, which means a secret. Choose another name.`,
    );
  return object;
}

function formatConfigPath(path: ConfigPath): string {
  return `The config path \`${path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("")}\``;
}

function open(value: StoredConfigValue, decrypt: (ciphertext: string) => string): StoredConfigValue {
  if (isSecure(value)) return decrypt(value.secure);
  if (Array.isArray(value)) return value.map((element) => open(element, decrypt));
  if (!isConfigObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, open(member, decrypt)]));
}

/** Go escapes these characters; a program may compare the text. */
function goEscapes(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The content of a YAML or JSON text. Integers are numbers where a number holds them. */
export function yamlContent(text: string, file: string): StoredConfigValue {
  return fromYaml(yamlValue(text, file, { intAsBigInt: true }));
}

/** The text with `value` at `path`. Parts that are equal already keep their spelling. */
export function yamlWith(text: string, path: YamlPath, value: StoredConfigValue | undefined, file: string): string {
  const { editYaml } = require("../../io/text/yaml-edit") as typeof import("../../io/text/yaml-edit");
  return differences(valueIn(yamlContent(text, file), path), value, path).reduce(
    (edited, [at, next]) => editYaml(edited, at, next as YamlValue | undefined, file),
    text,
  );
}

type Edit = readonly [path: YamlPath, value: StoredConfigValue | undefined];
function differences(
  before: StoredConfigValue | undefined,
  after: StoredConfigValue | undefined,
  path: YamlPath,
): Edit[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (
    isConfigObject(before) &&
    isConfigObject(after) &&
    Object.keys(before).length > 0 &&
    Object.keys(after).length > 0
  ) {
    const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
    return names.flatMap((name) => differences(before[name], after[name], [...path, name]));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return after.flatMap((element, index) => differences(before[index], element, [...path, index]));
  return [[path, after]];
}

function valueIn(root: StoredConfigValue, path: YamlPath): StoredConfigValue | undefined {
  let value: StoredConfigValue | undefined = root;
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.hasOwn(value, step) ? (value as Record<string | number, StoredConfigValue>)[step] : undefined;
  }
  return value;
}

function fromYaml(value: unknown): StoredConfigValue {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(fromYaml);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fromYaml(member)]));
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}

import { isDeepStrictEqual } from "node:util";
import type { YamlPath, YamlValue } from "../../io/text/yaml/spelling";
import { isConfigObject, type StoredConfigValue } from "./config-value";

/** The content of a YAML or JSON text. Integers are numbers where a number holds them. */
export function yamlContent(text: string, file: string): StoredConfigValue {
  // Loaded where a file is read: that takes as long as a small drift scan.
  const { parseDocument } = require("yaml") as typeof import("yaml");
  const document = parseDocument(text, { intAsBigInt: true });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(`${file} cannot be read: ${error.message}`, { cause: error });
  return fromYaml(document.toJS());
}

/** The text with a value at `path` that equals `value`; what is equal already stays as it is written. */
export function yamlWith(text: string, path: YamlPath, value: StoredConfigValue | undefined, file: string): string {
  const { editedYaml } = require("../../io/text/yaml/edit") as typeof import("../../io/text/yaml/edit");
  return differences(valueIn(yamlContent(text, file), path), value, path).reduce(
    (edited, [at, next]) => editedYaml(edited, at, next as YamlValue | undefined, file),
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

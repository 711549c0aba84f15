import type { Document } from "yaml";
import { type ConfigValue, isConfigObject } from "./config-value";

/** Read where a file is: it takes as long to load as a small drift scan. */
const yaml = () => require("yaml") as typeof import("yaml");

/** Opens a YAML or JSON text for edits that leave the rest of it as it is. */
export function openYaml(text: string, file: string): Document {
  // Strings that older YAML reads as something else are written in quotes: Go's reader,
  // which the CLI uses, knows some of its rules.
  const document = yaml().parseDocument(text.replace(/^\uFEFF/, ""), { intAsBigInt: true, compat: "yaml-1.1" });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(`${file} cannot be read: ${error.message}`, { cause: error });
  return document;
}

/** The whole value; integers are numbers where a number holds them. */
export function valueOf(document: Document): ConfigValue {
  return fromYaml(document.toJS());
}

/**
 * Makes the value at `path` equal to `value` and touches nothing that is
 * equal already, so that comments and order stay.
 */
export function editYaml(document: Document, path: readonly (string | number)[], value: ConfigValue): void {
  const { isMap, isSeq } = yaml();
  const node = document.getIn(path);
  if (isMap(node) && isConfigObject(value)) {
    for (const { key } of [...node.items])
      if (!Object.hasOwn(value, String(key))) document.deleteIn([...path, String(key)]);
    for (const [key, member] of Object.entries(value)) editYaml(document, [...path, key], member);
  } else if (isSeq(node) && Array.isArray(value)) {
    while (node.items.length > value.length) node.delete(node.items.length - 1);
    value.forEach((element, index) => editYaml(document, [...path, index], element));
  } else if (isMap(node) || isSeq(node) || fromYaml(node) !== value || !document.hasIn(path)) {
    document.setIn(path, typeof value === "object" && value !== null ? document.createNode(value) : value);
  }
}

/** YAML, or JSON for a file of that name. */
export function yamlText(document: Document, file: string): string {
  const json = { collectionStyle: "flow", defaultKeyType: "QUOTE_DOUBLE", defaultStringType: "QUOTE_DOUBLE" } as const;
  const text = document.toString({ lineWidth: 0, ...(file.endsWith(".json") && json) });
  // A file without content, comments apart, stays one.
  return document.contents === null ? text.replace(/null\n$/, "") : text;
}

function fromYaml(value: unknown): ConfigValue {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(fromYaml);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fromYaml(member)]));
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}

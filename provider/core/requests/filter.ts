import type { Field } from "../fields/fields";
import { snakeCase } from "../values/names";
import { type Condition, simple, unfit } from "./conditions";
import { encode } from "./wire";

/** Something that a filter can ask about: what there is to ask depends on the field. */
type Node = Readonly<Record<string, unknown>>;

/**
 * The members of an object by name, each with the comparisons that fit it. A name of `others` is none of the
 * service's own fields: asking about it is an error, and so is asking about a secret.
 */
export function filterFields(fields: readonly Field[], others: readonly string[] = [], path = ""): Node {
  const node = {};
  for (const name of others)
    Object.defineProperty(node, name, {
      get: () => refuse(`\`${name}\` is not a field of the service`, "Leave it out."),
    });
  for (const field of fields) {
    const at = `${path}${snakeCase(field.name)}`;
    Object.defineProperty(node, field.name, { enumerable: true, configurable: true, get: () => nodeOf(field, at) });
  }
  return node;
}

function refuse(problem: string, advice: string): never {
  throw unfit(problem, advice);
}

function nodeOf(field: Field, path: string): Node {
  const isSet = (): Condition => simple(`${path}:*`);
  if (field.type === "object")
    return Object.defineProperty(filterFields(field.fields ?? [], [], `${path}.`), "isSet", { value: isSet });
  if (field.markers.secret || field.markers.inputOnly)
    refuse(`\`${path}\` is secret`, "Services do not filter by secrets; leave it out.");
  if (field.type === "array") return { isSet, has: (value: unknown) => compared(field.item!, path, ":", value) };
  if (field.type === "map")
    return {
      isSet,
      has: (key: string) => simple(`${path}:${quoted(key)}`),
      key: (key: string) => nodeOf(field.item!, `${path}.${quoted(key)}`),
    };
  const comparison = (comparator: string) => (value: unknown) => compared(field, path, comparator, value);
  return {
    isSet,
    is: comparison("="),
    isNot: comparison("!="),
    above: comparison(">"),
    atLeast: comparison(">="),
    below: comparison("<"),
    atMost: comparison("<="),
    contains: (text: string) => simple(`${path}:${quoted(text)}`),
    startsWith: (text: string) => simple(`${path}=${quoted(text, "*")}`),
  };
}

const compared = (field: Field, path: string, comparator: string, value: unknown): Condition =>
  simple(`${path}${comparator}${literal(field, path, value)}`);

function literal(field: Field, path: string, value: unknown): string {
  if (value instanceof Date)
    return Number.isNaN(value.getTime())
      ? refuse(`${path} is compared with an invalid time`, "Give a valid Date.")
      : quoted(value.toISOString());
  if (typeof value === "string") return quoted(String(encode(field, value)));
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return String(value);
  return refuse(`${path} is compared with ${String(value)}`, "Give a string, a finite number, a boolean or a Date.");
}

/** A string of AIP-160: what would end it, or stand for other text, is escaped. `end` is what is not to be escaped. */
function quoted(text: string, end = ""): string {
  if (/\p{Cs}/u.test(text))
    refuse("a string ends in half a character, which no request can carry", "Cut strings between characters.");
  return `"${text.replace(/[\\"*]/g, "\\$&")}${end}"`;
}

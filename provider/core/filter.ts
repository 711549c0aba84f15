import { ModelPlatformError } from "./errors";
import type { Field } from "./fields";
import { snakeCase } from "./names";
import { encode } from "./wire";

/**
 * A condition of a filter, as AIP-160 text. Made by the fields that a builder is given, and by `all`, `any` and `not`.
 */
export class Condition {
  private constructor(
    private readonly text: string,
    private readonly isCompound: boolean,
  ) {}

  static simple(text: string): Condition {
    return new Condition(text, false);
  }

  static compound(word: string, conditions: readonly Condition[]): Condition {
    if (conditions.length === 1) return conditions[0]!;
    return new Condition(conditions.map((condition) => condition.inside()).join(` ${word} `), true);
  }

  static negated(condition: Condition): Condition {
    return new Condition(`NOT ${condition.inside()}`, true);
  }

  /** Services differ in what binds tighter (A095): parentheses leave no doubt. */
  private inside(): string {
    return this.isCompound ? `(${this.text})` : this.text;
  }

  toString(): string {
    return this.text;
  }
}

/** A condition, or nothing where a program leaves it out. */
export type Part = Condition | undefined | null | false;

export interface Logic {
  /** Of no conditions at all: everything. */
  all(...parts: Part[]): Condition | undefined;
  /** Needs at least one condition, for none can hold otherwise. */
  any(...parts: Part[]): Condition;
  not(condition: Condition): Condition;
}

const given = (parts: readonly Part[]): Condition[] =>
  parts.filter((part): part is Condition => part instanceof Condition);

export const logic: Logic = {
  all(...parts) {
    const conditions = given(parts);
    return conditions.length === 0 ? undefined : Condition.compound("AND", conditions);
  },
  any(...parts) {
    const conditions = given(parts);
    if (conditions.length === 0) throw unfit("`any` has no condition", "Give it at least one, or leave it out.");
    return Condition.compound("OR", conditions);
  },
  not: (condition) => Condition.negated(condition),
};

const unfit = (problem: string, advice: string): ModelPlatformError =>
  new ModelPlatformError(`the filter cannot be written: ${problem}`, { advice });

/** Something that a filter can ask about: what there is to ask depends on the field. */
type Node = Readonly<Record<string, unknown>>;

/**
 * The members of an object by name, each with the comparisons that fit it. A name of `others` is none of the service's
 * own fields: asking about it is an error, and so is asking about a secret.
 */
export function filterFields(fields: readonly Field[], others: readonly string[] = [], path = ""): Node {
  const node = {};
  for (const name of others)
    Object.defineProperty(node, name, { get: () => refuse(`\`${name}\` is no field of the service`, "Leave it out.") });
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
  const isSet = (): Condition => Condition.simple(`${path}:*`);
  if (field.type === "object")
    return Object.defineProperty(filterFields(field.fields ?? [], [], `${path}.`), "isSet", { value: isSet });
  if (field.markers.secret || field.markers.inputOnly)
    refuse(`\`${path}\` is secret`, "A service does not let secrets be asked for; leave it out.");
  if (field.type === "array") return { isSet, has: (value: unknown) => compared(field.item!, path, ":", value) };
  if (field.type === "map")
    return {
      isSet,
      has: (key: string) => Condition.simple(`${path}:${quoted(key)}`),
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
    contains: (text: string) => Condition.simple(`${path}:${quoted(text)}`),
    startsWith: (text: string) => Condition.simple(`${path}=${quoted(text, "*")}`),
  };
}

const compared = (field: Field, path: string, comparator: string, value: unknown): Condition =>
  Condition.simple(`${path}${comparator}${literal(field, path, value)}`);

function literal(field: Field, path: string, value: unknown): string {
  if (value instanceof Date)
    return Number.isNaN(value.getTime())
      ? refuse(`${path} is compared with a time that is none`, "Give a valid Date.")
      : quoted(value.toISOString());
  if (typeof value === "string") return quoted(String(encode(field, value)));
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return String(value);
  return refuse(`${path} is compared with ${String(value)}`, "Give a text, a finite number, true, false or a Date.");
}

/** A string of AIP-160: what would end it, or stand for other text, is escaped. `end` is what is not to be escaped. */
function quoted(text: string, end = ""): string {
  if (/\p{Cs}/u.test(text))
    refuse("a text has half a character, which no request can carry", "Cut texts between characters.");
  return `"${text.replace(/[\\"*]/g, "\\$&")}${end}"`;
}

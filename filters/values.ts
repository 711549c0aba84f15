import { durationSeconds } from "../provider/core/fields/equality";
import type { Field } from "../provider/core/fields/fields";
import { ascending } from "../provider/core/values/grouping";
import { snakeCase } from "../provider/core/values/names";
import { type Comparator, InvalidFilterError, type Literal } from "./grammar";
import { matchesWildcard } from "./wildcards";

/** Whether a value of an object passes. */
export type Test = (value: unknown) => boolean;

/** Whether `field:*` matches. */
export const isPresentValue: Test = (value) => {
  if (value === undefined || value === null || value === "" || value === 0 || value === false) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
};

/** The test for a comparison with a single value, by the type of the field. */
export function scalarTest(field: Field, comparator: Comparator, value: Literal): Test {
  if (field.type === "boolean") return booleanTest(field, comparator, value);
  if (field.values) return enumTest(field, field.values, comparator, value);
  const scale = scaleOf(field);
  return scale ? orderedTest(field, scale, comparator, value) : textTest(field, comparator, value);
}

/** Texts that contain the value, in any letter case. */
export function contains(value: Literal): Test {
  const pieces = ["", ...value.pieces.map((piece) => piece.toLowerCase()), ""];
  return (text) => typeof text === "string" && matchesWildcard(text.toLowerCase(), pieces);
}

function booleanTest(field: Field, comparator: Comparator, value: Literal): Test {
  assertEquality(field, comparator, value);
  if (value.text !== "true" && value.text !== "false") throw unsuitableValueError(field, value, "`true` or `false`");
  const expected = (value.text === "true") === (comparator !== "!=");
  return (actual) => (actual === true) === expected;
}

function enumTest(field: Field, values: readonly string[], comparator: Comparator, value: Literal): Test {
  assertEquality(field, comparator, value);
  if (field.closed && value.pieces.length === 1 && !values.includes(value.text))
    throw unsuitableValueError(field, value, `one of ${values.join(", ")}`);
  const unset = field.markers.unsetValue ?? values.find((known) => known.endsWith("_UNSPECIFIED")) ?? "";
  const negative = comparator === "!=";
  return (actual) =>
    matchesWildcard(typeof actual === "string" && actual !== "" ? actual : unset, value.pieces) !== negative;
}

function textTest(field: Field, comparator: Comparator, value: Literal): Test {
  if (comparator === ":") return contains(value);
  const fold = field.markers.sameAs === "letterCase" ? (text: string) => text.toLowerCase() : (text: string) => text;
  const textOf = (actual: unknown) => fold(actual === undefined || actual === null ? "" : String(actual));
  if (comparator === "=" || comparator === "!=") {
    const pieces = value.pieces.map(fold);
    const negative = comparator === "!=";
    return (actual) => matchesWildcard(textOf(actual), pieces) !== negative;
  }
  const expected = fold(value.text);
  return (actual) => orderMatches(comparator, ascending(textOf(actual), expected));
}

function orderedTest(field: Field, scale: Scale, comparator: Comparator, value: Literal): Test {
  const expected = scale.read(value.text);
  if (expected === undefined) throw unsuitableValueError(field, value, scale.expectedType);
  return (actual) => {
    const position =
      actual === undefined || actual === null || actual === "" ? scale.unset : scale.read(String(actual));
    if (position === undefined) return comparator === "!=";
    return orderMatches(comparator, ascending(position, expected));
  };
}

function orderMatches(comparator: Comparator, order: number): boolean {
  switch (comparator) {
    case "=":
    case ":":
      return order === 0;
    case "!=":
      return order !== 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
  }
}

function assertEquality(field: Field, comparator: Comparator, value: Literal): void {
  if (comparator === "=" || comparator === "!=" || comparator === ":") return;
  throw new InvalidFilterError(
    `\`${snakeCase(field.name)}\` has no order; compare it with \`=\` or \`!=\` instead of \`${comparator}\` before character ${value.at}`,
    value.at,
  );
}

const unsuitableValueError = (field: Field, value: Literal, expectedType: string) =>
  new InvalidFilterError(
    `\`${value.text}\` at character ${value.at} does not fit \`${snakeCase(field.name)}\`, which takes ${expectedType}`,
    value.at,
  );

/** How values of a field are ordered. `unset`: what an absent one counts as; without it, an absent one has no order. */
interface Scale {
  read(text: string): number | bigint | undefined;
  unset?: number | bigint;
  expectedType: string;
}

const finiteOrUndefined = (number: number): number | undefined => (Number.isFinite(number) ? number : undefined);
const numberOf = (text: string): number | undefined =>
  text.trim() === "" ? undefined : finiteOrUndefined(Number(text));

const scales = {
  number: { read: numberOf, unset: 0, expectedType: "a number" },
  float32: {
    read: (text) => finiteOrUndefined(Math.fround(numberOf(text) ?? Number.NaN)),
    unset: 0,
    expectedType: "a number",
  },
  int64: {
    read: (text) => (/^-?\d+$/.test(text) ? BigInt(text) : undefined),
    unset: 0n,
    expectedType: "a whole number",
  },
  time: {
    read: (text) => (/^\d{4}-\d\d-\d\d([Tt ]|$)/.test(text) ? finiteOrUndefined(Date.parse(text)) : undefined),
    expectedType: 'a time such as "2030-01-31T00:00:00Z"',
  },
  duration: { read: (text) => finiteOrUndefined(durationSeconds(text)), expectedType: "a duration such as 300s" },
} satisfies Record<string, Scale>;

/**
 * The scale of a field's values; undefined for plain text, which is ordered by code units, and for types without an
 * order.
 */
export function scaleOf(field: Field): Scale | undefined {
  if (field.type === "number" || field.type === "integer")
    return field.markers.float32 ? scales.float32 : scales.number;
  if (field.format === "int64") return scales.int64;
  if (field.format === "date-time") return scales.time;
  return field.markers.sameAs === "duration" ? scales.duration : undefined;
}

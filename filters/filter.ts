import type { Field } from "../provider/core/fields/fields";
import { snakeCase } from "../provider/core/values/names";
import type { Values } from "../provider/core/values/values";
import { memberNamed, type PathStep, unknownMember } from "./answered-fields";
import { type Comparator, type Expression, InvalidFilterError, type Literal, parseFilter } from "./grammar";
import { contains, isPresentValue, scalarTest, type Test } from "./values";

export type Predicate = (object: Values) => boolean;

/**
 * Reads an AIP-160 filter over objects with these fields; undefined for a blank one. Throws `InvalidFilter` for a
 * syntax error, an unknown field or a value that does not fit its field, each with its position in the text.
 *
 * Unset fields compare as their zero value, unset times and durations as nothing. A map key that is not there compares
 * as nothing too, so `annotations.team != "a"` keeps only objects that have the key. `:` finds text within a string, an
 * element of a list, a key of a map or a member of a message; `:*` tests for any value. A value without a field is
 * searched for in every text.
 */
export function compileFilter(filter: string, fields: readonly Field[]): Predicate | undefined {
  const expression = parseFilter(filter);
  return expression && predicateOf(expression, fields);
}

function predicateOf(expression: Expression, fields: readonly Field[]): Predicate {
  switch (expression.kind) {
    case "and": {
      const all = expression.operands.map((operand) => predicateOf(operand, fields));
      return (object) => all.every((matches) => matches(object));
    }
    case "or": {
      const any = expression.operands.map((operand) => predicateOf(operand, fields));
      return (object) => any.some((matches) => matches(object));
    }
    case "not": {
      const matches = predicateOf(expression.operand, fields);
      return (object) => !matches(object);
    }
    case "compare":
      return comparison(expression.path, expression.comparator, expression.value, fields);
    case "search":
      return search(expression.path, expression.value, fields);
  }
}

/** Searches every text. A word that is a field's name is more likely an unfinished comparison. */
function search(path: readonly PathStep[], value: Literal, fields: readonly Field[]): Predicate {
  const named = value.quoted ? undefined : memberNamed(fields, path[0]!.text);
  if (named)
    throw new InvalidFilterError(
      `\`${value.text}\` at character ${value.at} compares nothing; write \`${value.text} = …\` or \`${value.text}:*\``,
      value.at,
    );
  const containsText = contains(value);
  return (object) => anyText(object, fields, containsText);
}

function anyText(object: Values, fields: readonly Field[], test: Test): boolean {
  return fields.some((field) => !isHiddenField(field) && textIn(object[field.name], field, test));
}

function textIn(value: unknown, field: Field, test: Test): boolean {
  if (typeof value === "string") return test(value);
  if (Array.isArray(value)) return field.item !== undefined && value.some((entry) => textIn(entry, field.item!, test));
  if (typeof value !== "object" || value === null) return false;
  if (field.fields) return anyText(value as Values, field.fields, test);
  return field.item !== undefined && Object.values(value).some((entry) => textIn(entry, field.item!, test));
}

/** Filters must not help to guess a secret. A message with a secret part is searched in its other parts. */
const isHiddenField = (field: Field): boolean => field.markers.secret === true && !field.fields;

/** Whether the test passes for a value at the path. False if a map key or a list element on the way is missing. */
type Reach = (value: unknown, test: Test) => boolean;

type Step = { member: string } | { key: string } | "element";

function comparison(
  path: readonly PathStep[],
  comparator: Comparator,
  value: Literal,
  fields: readonly Field[],
): Predicate {
  const { field, steps } = resolve(path, fields, comparator);
  const last = path.at(-1)!;
  if (isHiddenField(field))
    throw new InvalidFilterError(`\`${last.text}\` at character ${last.at} is secret and cannot be asked for`, last.at);
  const test = testOf(field, last, comparator, value);
  const reach = steps.reduceRight<Reach>(
    (next, step) => reachThrough(step, next),
    (value, passes) => passes(value),
  );
  return (object) => reach(object, test);
}

function resolve(
  path: readonly PathStep[],
  fields: readonly Field[],
  comparator: Comparator,
): { field: Field; steps: readonly Step[] } {
  const steps: Step[] = [];
  let field: Field | undefined;
  for (const step of path) {
    for (; field?.type === "array"; field = field.item) {
      if (comparator !== ":")
        throw new InvalidFilterError(
          `\`${snakeCase(field.name)}\` is a list: \`${step.text}\` of its elements, at character ${step.at}, is asked for with \`:\`, not \`${comparator}\``,
          step.at,
        );
      steps.push("element");
    }
    if (field?.type === "map") {
      steps.push({ key: step.text });
      field = field.item;
      continue;
    }
    if (field && !field.fields)
      throw new InvalidFilterError(
        `\`${snakeCase(field.name)}\` has no field \`${step.text}\`, at character ${step.at}`,
        step.at,
      );
    const known: readonly Field[] = field?.fields ?? fields;
    field = memberNamed(known, step.text);
    if (!field) throw new InvalidFilterError(unknownMember(known, step), step.at);
    steps.push({ member: field.name });
  }
  return { field: field!, steps };
}

function reachThrough(step: Step, next: Reach): Reach {
  if (step === "element") return (value, test) => Array.isArray(value) && value.some((entry) => next(entry, test));
  if ("key" in step)
    return (value, test) => isRecord(value) && Object.hasOwn(value, step.key) && next(value[step.key], test);
  return (value, test) => next(isRecord(value) ? value[step.member] : undefined, test);
}

const isRecord = (value: unknown): value is Values => typeof value === "object" && value !== null;

function testOf(field: Field, step: PathStep, comparator: Comparator, value: Literal): Test {
  if (comparator === ":" && !value.quoted && value.text === "*") return isPresentValue;
  const structure = field.type === "array" || field.type === "map" || field.type === "object";
  if (structure && comparator !== ":")
    throw new InvalidFilterError(
      `\`${step.text}\` at character ${step.at} is not a single value; ask with \`:\`, not \`${comparator}\``,
      step.at,
    );
  switch (field.type) {
    case "map":
      return (map) => isRecord(map) && Object.hasOwn(map, value.text);
    case "object": {
      const named = memberNamed(field.fields ?? [], value.text);
      if (!named) throw new InvalidFilterError(unknownMember(field.fields ?? [], value), value.at);
      return (message) => isRecord(message) && isPresentValue(message[named.name]);
    }
    case "array": {
      if (field.item!.fields)
        throw new InvalidFilterError(
          `the elements of \`${step.text}\` have fields; name one before the \`:\` at character ${value.at - 1}`,
          value.at - 1,
        );
      const test = scalarTest(field.item!, "=", value);
      return (list) => Array.isArray(list) && list.some(test);
    }
    default:
      return scalarTest(field, comparator, value);
  }
}

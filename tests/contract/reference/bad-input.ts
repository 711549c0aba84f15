import { reference, settableFields, settableKinds } from "./tables";
import { textsOfLength, textsThatDoNotFit } from "./texts";
import type { Body, FieldFact, FieldType, SettableKind } from "./types";
import { valid } from "./valid";

export type BadInput = {
  readonly resource: SettableKind;
  readonly description: string;
  readonly body: Body;
  readonly query?: Body;
  /** The property a failure is expected at, in property-path syntax. */
  readonly path: string;
  readonly orPath?: string;
  /** `type`, `enum`, `maxLength`, `pattern`, `range`, `unknown`, `required`, or the id of a rule. */
  readonly rule: string;
  /** What "did you mean" offers. */
  readonly suggestion?: string;
};

export type GoodInput = {
  readonly resource: SettableKind;
  readonly description: string;
  readonly body: Body;
  readonly query?: Body;
  /** Accepted with a warning at this property (A002); an enum documented in part leaves the warning open. */
  readonly warnsAt?: string;
};

export type PathStep = string | number;

/** Where a fact's path leads in a body: the first item of an array, the first key of a map. */
export function stepsTo(path: string, body: Body): PathStep[] | undefined {
  const steps: PathStep[] = [];
  let value: unknown = body;
  for (const token of path.replaceAll(/(\[\]|\{\})/g, ".$1").split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    const step = token === "[]" ? 0 : token === "{}" ? Object.keys(value)[0] : token;
    if (step === undefined || !(step in value)) return undefined;
    steps.push(step);
    value = (value as Body)[step];
  }
  return steps;
}

/** `undefined` takes the property away. */
function withValue(value: unknown, steps: readonly PathStep[], replacement: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return replacement;
  if (Array.isArray(value)) return value.map((item, i) => (i === step ? withValue(item, rest, replacement) : item));
  const { [step]: child, ...others } = value as Body;
  const inner = withValue(child, rest, replacement);
  return inner === undefined ? others : { ...others, [step]: inner };
}

function valueAt(body: Body, steps: readonly PathStep[]): unknown {
  return steps.reduce<unknown>((value, step) => (value as Body)[step], body);
}

function propertyPath(steps: readonly PathStep[]): string {
  const spelled = steps.map((step) =>
    typeof step === "number" ? `[${step}]` : /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`,
  );
  return spelled.join("").replace(/^\./, "");
}

/** The letter after the first one doubled: one edit away from the word and further from its neighbours. */
function misspelt(word: string): string | undefined {
  return word.length < 5 ? undefined : word.slice(0, 2) + word.slice(1);
}

/**
 * The next of a numbered family, such as a region or an accelerator, that the
 * reference does not have: no near miss (A002).
 */
const newerValues = (values: readonly string[]): string[] => [
  ...new Set(
    values.flatMap((value) => (/\d/.test(value) ? [value.replace(/\d(?=\D*$)/, (digit) => `${digit}7`)] : [])),
  ),
];

const wrongValues: Readonly<Record<FieldType, readonly unknown[]>> = {
  string: [7],
  integer: ["seven", 1.5],
  number: ["half"],
  boolean: ["yes"],
  "date-time": ["yesterday"],
  object: ["text"],
  array: ["text"],
  map: ["text"],
  enum: [7],
  unshown: [],
};

const abridged = (text: string): string => `${[...text].slice(0, 8).join("")}…`;

type Wrong = { value: unknown; rule: string; what: string; suggestion?: string };

/** `example` is a valid value. */
function wrongValuesOf(field: FieldFact, example: unknown): Wrong[] {
  const wrong: Wrong[] = wrongValues[field.type].map((value) => ({
    value,
    rule: "type",
    what: `${JSON.stringify(value)} is no ${field.type}`,
  }));
  for (const suggestion of field.enum ?? []) {
    const value = misspelt(suggestion);
    if (value) wrong.push({ value, rule: "enum", what: `${value} is a near miss`, suggestion });
  }
  if (field.closed)
    wrong.push({ value: "SOMETHING_ELSE", rule: "enum", what: "no documented value, and none is near" });
  if (field.maxLength !== undefined) {
    const length = field.maxLength + 1;
    for (const value of textsOfLength(field, length, String(example)))
      wrong.push({ value, rule: "maxLength", what: `${length} code points, ${abridged(value)}` });
  }
  if (field.pattern !== undefined)
    for (const value of textsThatDoNotFit(field, String(example)))
      wrong.push({ value, rule: "pattern", what: `${JSON.stringify(value)} does not match ${field.pattern}` });
  if (field.min !== undefined) wrong.push({ value: field.min - 1, rule: "range", what: `below ${field.min}` });
  if (field.max !== undefined) wrong.push({ value: field.max + 1, rule: "range", what: `above ${field.max}` });
  return wrong;
}

/** A valid body with the field in it. */
function bodyWith(resource: SettableKind, path: string): { body: Body; steps: PathStep[] } {
  for (const body of [valid[resource].minimal, ...valid[resource].full]) {
    const steps = stepsTo(path, body);
    if (steps) return { body, steps };
  }
  throw new Error(`no valid body of ${resource} sets ${path}`);
}

function badField(resource: SettableKind, field: FieldFact): BadInput[] {
  const { body, steps } = bodyWith(resource, field.path);
  const path = propertyPath(steps);
  const set = (at: readonly PathStep[], value: unknown) => withValue(body, at, value) as Body;

  const bad: BadInput[] = wrongValuesOf(field, valueAt(body, steps)).map(({ value, what, ...expected }) => ({
    resource,
    description: `${field.path}: ${what}`,
    body: set(steps, value),
    path,
    ...expected,
  }));
  if (field.required) {
    bad.push({ resource, description: `${field.path}: missing`, body: set(steps, undefined), path, rule: "required" });
    if (field.type === "string")
      bad.push({ resource, description: `${field.path}: empty`, body: set(steps, ""), path, rule: "required" });
  }
  const name = /[\w-]+$/.exec(field.path)?.[0];
  const typo = name && misspelt(name);
  if (typo) {
    const beside = [...steps.slice(0, -1), typo];
    bad.push({
      resource,
      description: `${field.path}: ${typo} is no property`,
      body: set(beside, valueAt(body, steps)),
      path: propertyPath(beside),
      rule: "unknown",
      suggestion: name,
    });
  }
  return bad;
}

function goodField(resource: SettableKind, field: FieldFact): GoodInput[] {
  const { body, steps } = bodyWith(resource, field.path);
  const good = (value: unknown, what: string): GoodInput => ({
    resource,
    description: `${field.path}: ${what}`,
    body: withValue(body, steps, value) as Body,
  });
  const decides = reference[resource].fields.some((other) =>
    [...(other.validOnlyWith ?? []), ...(other.requiredWhen ?? [])].some((condition) => condition.field === field.path),
  );
  const documented =
    field.type === "boolean"
      ? [true, false]
      : field.type === "integer"
        ? [Math.max(field.min ?? 0, 1)]
        : (field.enum ?? []);
  const values = decides ? [] : documented.map((value) => good(value, `the value ${value}`));
  if (field.enum && !field.closed) {
    const beyond = good("SOMETHING_ELSE", "a value that is not documented");
    values.push(field.enumPartial ? beyond : { ...beyond, warnsAt: propertyPath(steps) });
    for (const value of decides ? [] : newerValues(field.enum))
      values.push({ ...good(value, `${value}, which differs in digits only`), warnsAt: propertyPath(steps) });
  }
  if (field.maxLength !== undefined) {
    for (const value of textsOfLength(field, field.maxLength, String(valueAt(body, steps))))
      values.push(good(value, `${field.maxLength} code points, ${abridged(value)}`));
  }
  return values;
}

/** Inputs with exactly one thing wrong. */
export const badInputs: readonly BadInput[] = settableKinds.flatMap((resource) => [
  ...settableFields(resource).flatMap((field) => badField(resource, field)),
  ...reference[resource].rules.flatMap((rule) =>
    rule.invalid.map(({ because, ...example }) => ({
      resource,
      description: `${rule.id}: ${because}`,
      rule: rule.id,
      ...example,
    })),
  ),
]);

/** Inputs with nothing wrong, up to the limits. */
export const goodInputs: readonly GoodInput[] = settableKinds.flatMap((resource) => [
  { resource, description: "the minimal body", body: valid[resource].minimal },
  ...valid[resource].full.map((body, i) => ({ resource, description: `full body ${i + 1}`, body })),
  ...settableFields(resource).flatMap((field) => goodField(resource, field)),
  ...reference[resource].rules.flatMap((rule) =>
    rule.valid.map((example, i) => ({ resource, description: `${rule.id}: valid example ${i + 1}`, ...example })),
  ),
]);

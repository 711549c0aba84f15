import fc from "fast-check";
import { check } from "../../provider/core/check";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { brokenRules, type Rule, type RuleCondition } from "../../provider/core/declaration/rules";
import type { Field } from "../../provider/core/fields/fields";
import { valueAt } from "../../provider/core/values/values";
import { managedSpecs } from "../../provider/resources/index";
import type { Values } from "../values";

/** Random values made from the field tree alone, so that no test knows the schema library. */

export const specCases: readonly (readonly [string, ResourceSpec])[] = managedSpecs.map(
  (spec) => [spec.kind, spec] as const,
);

const words = fc.string({ unit: "binary", maxLength: 8 });
const id = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/);

/** Forms that a field's declaration gives as a pattern only. */
const formOf: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  "rewardWeights[]": fc
    .tuple(id, fc.double({ min: 0, max: 2, noNaN: true }))
    .map(([name, weight]) => `${name}=${weight}`),
};

function textOf({ values, format, markers, maxLength = 20 }: Field): fc.Arbitrary<string> {
  if (values) return fc.constantFrom(...values);
  if (format === "date-time") return fc.constantFrom("2030-01-31T00:00:00Z", "2031-05-01T12:30:00.5+02:00");
  if (format === "int64") return fc.bigInt({ min: 0n, max: 2n ** 62n }).map(String);
  if (markers.resourceId) return id;
  if (markers.sameAs === "duration")
    return fc
      .tuple(fc.integer({ min: 0, max: 9000 }), fc.constantFrom("ms", "s", "m", "h", "d"))
      .map(([count, unit]) => `${count}${unit}`);
  if (markers.sameAs === "resolvedVersion")
    return fc.oneof(
      fc.constant("default"),
      id.map((name) => `accounts/platform/deploymentShapes/${name}`),
    );
  if (markers.sameAs === "letterCase")
    return fc.tuple(id, fc.boolean()).map(([name, upper]) => `${upper ? name.toUpperCase() : name}@Example.com`);
  if (markers.refersTo) return id.map((name) => `accounts/acme/${markers.refersTo?.collection}/${name}`);
  return fc.string({ unit: "binary", maxLength: Math.min(maxLength, 20) });
}

const made = new WeakMap<Field, fc.Arbitrary<unknown>>();

/** The same field gives the same arbitrary: making one costs more than drawing from it. */
export function valueOf(field: Field): fc.Arbitrary<unknown> {
  const arbitrary = made.get(field) ?? makeValueOf(field);
  made.set(field, arbitrary);
  return arbitrary;
}

function makeValueOf(field: Field): fc.Arbitrary<unknown> {
  switch (field.type) {
    case "string":
      return formOf[field.path] ?? textOf(field);
    case "integer":
      return fc.integer({ min: field.minimum ?? (field.exclusiveMinimum ?? -1) + 1, max: field.maximum ?? 5000 });
    case "number":
      return fc.double({ min: 0, max: 2, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "object":
      return membersOf(field.fields ?? []);
    case "array":
      return fc.uniqueArray(valueOf(field.item!), { maxLength: 3, selector: keyOf(field) });
    case "map":
      return fc.dictionary(
        field.markers.keyPrefix === undefined ? words : id.map((key) => `${field.markers.keyPrefix}${key}`),
        valueOf(field.item!),
        { maxKeys: 3 },
      );
    case "any":
      return fc.jsonValue();
  }
}

const keyOf =
  ({ markers }: Field) =>
  (entry: unknown): unknown =>
    typeof markers.setOf === "string" ? (entry as Values)[markers.setOf] : JSON.stringify(entry);

function membersOf(fields: readonly Field[]): fc.Arbitrary<Values> {
  const model = Object.fromEntries(
    fields.filter(({ markers }) => !markers.outputOnly).map((field) => [field.name, valueOf(field)]),
  );
  return fc.record(model, { requiredKeys: fields.filter(({ required }) => required).map(({ name }) => name) });
}

/** Inputs that a program may give, in which every rule is kept. */
export function inputsOf(spec: ResourceSpec): fc.Arbitrary<Values> {
  const { message, directives, behaviours, resourceId } = spec.fields;
  const cleared = new Set(message.filter(({ required }) => !required).map(({ name }) => name));
  const fields = [...message, ...directives, ...behaviours, ...(resourceId ? [resourceId] : [])];
  const members = fields.map(
    (field) => [field.name, cleared.has(field.name) ? fc.option(valueOf(field), { freq: 9 }) : valueOf(field)] as const,
  );
  return fc
    .record(
      { accountId: fc.constant("acme"), ...Object.fromEntries(members) } as Record<string, fc.Arbitrary<unknown>>,
      { requiredKeys: message.filter(({ required }) => required).map(({ name }) => name) },
    )
    .chain((values) => repaired(spec, spec.rules, values))
    .filter((values) => check(spec, {}, values).failures.length === 0);
}

/** Drops or adds what a rule asks for, rule by rule. */
function repaired(spec: ResourceSpec, rules: readonly Rule[], values: Values): fc.Arbitrary<Values> {
  const [rule, ...rest] = rules;
  if (!rule) return fc.constant(values);
  if (brokenRules([rule], values).length === 0) return repaired(spec, rest, values);
  return repairs(spec, rule, values).chain((next) => repaired(spec, rest, next));
}

function repairs(spec: ResourceSpec, rule: Rule, values: Values): fc.Arbitrary<Values> {
  switch (rule.rule) {
    case "exclusive":
      return fc.constant(without(values, ...rule.fields.slice(1)));
    case "exactlyOne":
      return rule.within === undefined
        ? setting(spec, without(values, ...rule.fields.slice(1)), rule.fields[0]!)
        : fc.constant(without(values, rule.within));
    case "anyOf":
      return rule.groups[0]!.reduce<fc.Arbitrary<Values>>(
        (all, condition) => all.chain((next) => meeting(spec, next, condition)),
        fc.constant(values),
      );
    case "requires":
    case "onlyWith":
    case "notAbove":
    case "uniqueBy":
      return fc.constant(without(values, rule.field));
    case "requiredWith":
      return setting(spec, values, rule.field);
  }
}

const without = (values: Values, ...names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

const setting = (spec: ResourceSpec, values: Values, name: string): fc.Arbitrary<Values> =>
  valueAt(values, name)
    ? fc.constant(values)
    : valueOf([...spec.fields.message, ...spec.fields.behaviours].find((field) => field.name === name)!).map(
        (value) => ({ ...values, [name]: value }),
      );

const meeting = (spec: ResourceSpec, values: Values, condition: RuleCondition): fc.Arbitrary<Values> =>
  condition.in
    ? fc.constant({ ...values, [condition.field]: condition.in[0] })
    : setting(spec, values, condition.field);

/** Inputs as check leaves them and the wire carries them. */
export const checkedInputsOf = (spec: ResourceSpec): fc.Arbitrary<Values> =>
  inputsOf(spec).map((values) => check(spec, {}, values).inputs);

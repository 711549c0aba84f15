import { changesBetween } from "../core/comparison/diff";
import type { ResourceSpec } from "../core/declaration/resource";
import type { Field } from "../core/fields/fields";
import { memoizeByKey } from "../core/values/once";
import { unknownValue } from "../core/values/unknowns";
import type { Values } from "../lifecycle/types";

/** What is known about an object before it is created: what the program gives. */
export function outputsBeforeCreate(spec: ResourceSpec, inputs: Values): Values {
  return {
    ...unknownsOf([...spec.fields.outputs, ...spec.fields.message]),
    ...unknownId(spec),
    ...omitUndefined(inputs),
  };
}

const unknownId = ({ fields: { resourceId } }: ResourceSpec): Values =>
  resourceId ? { [resourceId.name]: unknownValue } : {};

/**
 * What is known of an object before it is changed: what tells which object it is, what the program gives, and what
 * stays as it is. The service may move everything that only it sets with any change.
 */
export function outputsBeforeUpdate(spec: ResourceSpec, outputs: Values, inputs: Values): Values {
  const changes = changesBetween(spec, outputs, inputs);
  const touched = new Set(changes.map(({ property }) => property));
  const isSent = changes.some(({ effect }) => effect !== "record");
  const stable = new Set(stableNames(spec));
  const moving = isSent ? spec.fields.outputs.filter(({ name }) => !stable.has(name)) : [];
  const derived = Object.entries(spec.derived)
    .filter(([, { from }]) => from.some((path) => touched.has(path)))
    .map(([name]) => name);
  const programValues = Object.fromEntries(
    [...touched].map((name) => [name, inputs[name] ?? unknownValue] as const).filter(([name]) => isField(spec, name)),
  );
  return {
    ...omitUndefined(outputs),
    ...unknownsOf(moving),
    ...Object.fromEntries(derived.map((name) => [name, unknownValue])),
    ...programValues,
  };
}

const isField = ({ fields }: ResourceSpec, name: string): boolean =>
  [...fields.message, ...fields.behaviours, ...fields.directives].some((field) => field.name === name);

/** Outputs that no update changes. */
export const stableNames = memoizeByKey((spec: ResourceSpec): readonly string[] => {
  const { message, outputs, resourceId } = spec.fields;
  const isFixed = ({ name, markers }: Field): boolean =>
    name === "name" || name === "createTime" || markers.immutable === true;
  return [
    ...[...outputs, ...message].filter(isFixed).map(({ name }) => name),
    ...(resourceId ? [resourceId.name] : []),
    "accountId",
    "endpoint",
    ...outputs.filter(({ name, markers }) => markers.watched && name !== "createTime").map(({ name }) => name),
  ];
});

const unknownsOf = (fields: readonly Field[]): Values =>
  Object.fromEntries(fields.filter(({ markers }) => !markers.volatile).map(({ name }) => [name, unknownValue]));

const omitUndefined = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));

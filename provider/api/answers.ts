import type { ResourceSpec } from "../core/declaration/resource";
import type { Field } from "../core/fields/fields";
import { accountOf, fillTemplate, matchTemplate, type Parameters } from "../core/values/names";
import { oncePer } from "../core/values/once";
import { isObject } from "../core/values/values";
import type { Json, Operation } from "./types";

export interface Checked {
  /** What makes the answer unusable: an end of the sentence "answered 200 with …". */
  problem?: string;
  /** Unexpected values that are tolerated (A090), by place. */
  remarks: readonly string[];
}

/**
 * Whether an answer is what the operation promises. Values that the API's description does not list are remarks, never
 * problems.
 */
export function checkAnswer(operation: Operation, value: unknown, parameters: Parameters, readMask?: unknown): Checked {
  if (!isObject(value)) return { problem: `${nameOfType(value)} instead of an object`, remarks: [] };
  if (operation.verb === "list") return checkList(operation, value);
  if (!["get", "create", "update"].includes(operation.verb)) return { remarks: [] };
  const problem = isMasked(readMask) ? undefined : nameProblem(operation, value, parameters);
  return { remarks: remarksOn(operation, value), ...(problem !== undefined && { problem }) };
}

function checkList({ spec, ...operation }: Operation, value: Json): Checked {
  const { [spec.collection]: members } = value;
  if (members === undefined || members === null) return { remarks: [] };
  if (!Array.isArray(members))
    return { problem: `${nameOfType(members)} instead of the list \`${spec.collection}\``, remarks: [] };
  const odd = members.find((member) => !isObject(member));
  if (odd !== undefined)
    return { problem: `${nameOfType(odd)} instead of an object in the list \`${spec.collection}\``, remarks: [] };
  return { remarks: [...new Set(members.flatMap((member: Json) => remarksOn({ ...operation, spec }, member)))] };
}

const isMasked = (readMask: unknown): boolean =>
  typeof readMask === "string" && readMask !== "" && readMask !== "*" && !readMask.split(",").includes("name");

/** An object has the name that was asked for. A new one may get another id (A016), but lives in the same account. */
function nameProblem({ spec, verb }: Operation, value: Json, parameters: Parameters): string | undefined {
  if (!spec.fields.outputs.some((field) => field.name === "name" && field.required)) return undefined;
  const { name } = value;
  if (name === undefined && spec.singleton) return undefined;
  if (typeof name !== "string" || name === "") return `no \`name\`, which every ${spec.kind} has`;
  if (!matchTemplate(spec.name, name))
    return `an object whose name is not that of a ${spec.kind}: ${JSON.stringify(name)}`;
  const wanted = verb === "create" ? `accounts/${String(parameters["account"])}` : fillTemplate(spec.name, parameters);
  const found = verb === "create" ? `accounts/${String(accountOf(name))}` : name;
  return decodeURIComponent(wanted) === found || wanted.includes("/-")
    ? undefined
    : `another object, ${JSON.stringify(name)}`;
}

function remarksOn({ spec }: Operation, value: Json): string[] {
  return remarks(answeredFields(spec), value, spec.kind, false);
}

const byName = (fields: readonly Field[]): ReadonlyMap<string, Field> =>
  new Map(fields.map((field) => [field.name, field]));
const answeredFields = oncePer(({ fields }: ResourceSpec) => byName([...fields.outputs, ...fields.message]));
const membersOf = oncePer(byName);

function remarks(fields: ReadonlyMap<string, Field>, value: Json, place: string, open: boolean): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const field = fields.get(name);
    if (!field) return open ? [] : [`${place} has a member \`${name}\` that is not in the API's description`];
    return remarksOnMember(field, member, `${place}.${name}`);
  });
}

function remarksOnMember(field: Field, value: unknown, place: string): string[] {
  if (value === undefined || value === null) return [];
  if (!isOfType(field, value))
    return [`${place} is ${nameOfType(value)}, not ${field.type === "any" ? "a value" : `of type ${field.type}`}`];
  if (Array.isArray(value))
    return field.item ? value.flatMap((entry) => remarksOnMember(field.item!, entry, `${place}[]`)) : [];
  if (field.type === "map")
    return field.item
      ? Object.values(value as Json).flatMap((entry) => remarksOnMember(field.item!, entry, `${place}{}`))
      : [];
  if (field.type === "object")
    return field.fields ? remarks(membersOf(field.fields), value as Json, place, field.open) : [];
  if (field.values && typeof value === "string" && value !== "" && !field.values.includes(value))
    return [`${place} is ${JSON.stringify(value)}, which is not in the API's description`];
  return [];
}

/** Numbers may come as text: JSON has no room for 64 bits. */
function isOfType({ type }: Field, value: unknown): boolean {
  switch (type) {
    case "any":
      return true;
    case "array":
      return Array.isArray(value);
    case "object":
    case "map":
      return isObject(value);
    case "integer":
    case "number":
      return (
        typeof value === "number" ||
        (typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)))
      );
    case "string":
    case "boolean":
      return typeof value === type;
  }
}

const nameOfType = (value: unknown): string =>
  value === null
    ? "null"
    : value === undefined
      ? "nothing"
      : Array.isArray(value)
        ? "a list"
        : typeof value === "object"
          ? "an object"
          : `a ${typeof value}`;

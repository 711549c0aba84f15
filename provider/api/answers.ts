import type { ResourceSpec } from "../core/declaration/resource";
import type { Field } from "../core/fields/fields";
import { fieldsByName } from "../core/fields/places";
import { camelCase, type Parameters } from "../core/values/names";
import { oncePer } from "../core/values/once";
import { isObject } from "../core/values/values";
import { nameProblem, otherName, referenceProblem } from "./answered-names";
import type { AnswerProblem } from "./errors/failures";
import type { ApiOperation, Json } from "./types";

interface AnswerCheck {
  /** What makes the answer unusable. */
  problem?: AnswerProblem | undefined;
  /** Unexpected values that are tolerated (A090), by place. */
  remarks: readonly string[];
}

/** What an answer is held to. */
interface RequestOfAnswer {
  parameters: Parameters;
  readMask?: unknown;
  /** Account whose key was used. */
  reader?: string | undefined;
}

/**
 * Whether an answer is what the operation promises: its objects are of the kind and account that were asked for, refer
 * to no other account's where their fields do not allow it, and have values of the declared types where a program can
 * set them. Values that the API's description does not list are remarks, never problems.
 */
export function checkAnswer(operation: ApiOperation, value: unknown, request: RequestOfAnswer): AnswerCheck {
  if (!isObject(value)) return { problem: { at: "", expected: "an object", found: value }, remarks: [] };
  if (operation.lists) return checkList(operation, value, request);
  if (!["get", "create", "update"].includes(operation.verb)) return checkVerb(operation, value, request.parameters);
  // An update that answers nothing is accepted; what it has made is read.
  if (operation.verb === "update" && Object.keys(value).length === 0) return { remarks: [] };
  const problem = objectProblem(operation, value, request);
  return { remarks: remarksOn(operation, value), problem };
}

function checkVerb(operation: ApiOperation, value: Json, parameters: Parameters): AnswerCheck {
  const { name } = value;
  const problem =
    operation.answersMessage || typeof name !== "string" ? undefined : otherName(operation, name, parameters);
  return { remarks: [], problem };
}

function checkList(operation: ApiOperation, value: Json, request: RequestOfAnswer): AnswerCheck {
  const { collection } = operation.spec;
  const members = value[collection];
  const problem = misspelledToken(value) ?? listProblem(collection, value);
  if (problem !== undefined || !Array.isArray(members)) return { problem, remarks: [] };
  for (const [index, member] of members.entries()) {
    const at = `${collection}[${index}]`;
    if (!isObject(member)) return { problem: { at, expected: "an object", found: member }, remarks: [] };
    const inner = objectProblem(operation, member, request);
    if (inner !== undefined) return { problem: { ...inner, at: `${at}.${inner.at}` }, remarks: [] };
  }
  return { remarks: [...new Set(members.flatMap((member: Json) => remarksOn(operation, member)))] };
}

function listProblem(collection: string, value: Json): AnswerProblem | undefined {
  const members = value[collection] ?? undefined;
  if (members === undefined) return contradiction(collection, value);
  return Array.isArray(members) ? undefined : { at: collection, expected: "a list", found: members };
}

/**
 * What speaks against an answer without its collection being that of an empty one: a list somewhere else in it, an
 * error, or objects that it counts. A page that a token leads on from is judged with the pages behind it.
 */
function contradiction(collection: string, value: Json): AnswerProblem | undefined {
  const expected = `the list \`${collection}\``;
  const other = placeOfList(value);
  if (other !== undefined) return { at: other.join("."), expected, found: valueIn(value, other) };
  if ((value["error"] ?? null) !== null) return { at: "error", expected, found: value["error"] };
  const total = Number(value["totalSize"] ?? 0);
  return total > 0 && tokenIn(value) === undefined
    ? { at: "totalSize", expected: `as many members of ${expected}`, found: value["totalSize"] }
    : undefined;
}

/** Lists deeper than this are not what an operation has to list. */
const deepestList = 3;

/** The path of the first list in an object. */
function placeOfList(value: Json, depth = 1): string[] | undefined {
  for (const [name, member] of Object.entries(value)) {
    if (Array.isArray(member)) return [name];
    const inner = isObject(member) && depth < deepestList ? placeOfList(member, depth + 1) : undefined;
    if (inner !== undefined) return [name, ...inner];
  }
  return undefined;
}

const valueIn = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((inner, name) => (inner as Json)[name], value);

/** The token of the next page; undefined on the last one (A094). */
export function tokenIn({ nextPageToken: token }: Json): string | undefined {
  const text = typeof token === "number" ? String(token) : token;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** A member that would have been the token of the next page under its own name: the list would seem to end here. */
function misspelledToken(value: Json): AnswerProblem | undefined {
  if (tokenIn(value) !== undefined) return undefined;
  const isToken = ([name, member]: [string, unknown]): boolean =>
    /^next_?page_?token$/i.test(name) && member !== "" && member !== null && member !== undefined;
  const [name, found] = Object.entries(value).find(isToken) ?? [];
  return name === undefined ? undefined : { at: name, expected: "`nextPageToken`, which is text", found };
}

const isMasked = (readMask: unknown): boolean =>
  typeof readMask === "string" && readMask !== "" && readMask !== "*" && !readMask.split(",").includes("name");

function objectProblem(
  operation: ApiOperation,
  value: Json,
  { parameters, readMask, reader }: RequestOfAnswer,
): AnswerProblem | undefined {
  const { spec } = operation;
  if (!isNamed(spec)) return undefined;
  const ofName = otherSpelling(spec, value) ?? nameProblemOf(operation, value, { parameters, readMask });
  return ofName ?? referenceProblem(spec, value, parameters, reader) ?? typeProblem(settableFields(spec), value, "");
}

function nameProblemOf(
  operation: ApiOperation,
  { name }: Json,
  { parameters, readMask }: RequestOfAnswer,
): AnswerProblem | undefined {
  const { spec } = operation;
  if (typeof name === "string" && name !== "") return nameProblem(operation, name, parameters);
  const mayLackName = spec.singleton === true || isMasked(readMask);
  if (mayLackName && name === undefined) return undefined;
  return { at: "name", expected: `what every ${spec.kind} has, \`${spec.name}\``, found: name };
}

/** Members in snake case are those of a service that spells all of them so: each would seem to be unset. */
function otherSpelling(spec: ResourceSpec, value: Json): AnswerProblem | undefined {
  const fields = answeredFields(spec);
  const isTheirs = (name: string): boolean =>
    name.includes("_") && !fields.has(name) && fields.has(camelCase(name)) && !Object.hasOwn(value, camelCase(name));
  const theirs = Object.keys(value).find(isTheirs);
  if (theirs === undefined) return undefined;
  return {
    at: theirs,
    expected: `\`${camelCase(theirs)}\``,
    found: value[theirs],
    advice: "Give the names that this service uses in the setting `modelplatform:dialect`.",
  };
}

/**
 * A value that a program can set, and that is of another type: compared or recorded, it would pass for what it is not.
 * What a service only tells is a remark.
 */
function typeProblem(fields: ReadonlyMap<string, Field>, values: Json, place: string): AnswerProblem | undefined {
  for (const [name, value] of Object.entries(values)) {
    const field = fields.get(name);
    const problem = field && typeProblemOf(field, value, `${place}${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function typeProblemOf(field: Field, value: unknown, at: string): AnswerProblem | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isOfType(field, value)) return { at, expected: typeNames[field.type], found: value };
  const { item, fields } = field;
  if (Array.isArray(value)) return item && firstProblem(value.map((entry, index) => [item, entry, `${at}[${index}]`]));
  if (field.type === "object") return fields && typeProblem(fieldsByName(fields), value as Json, `${at}.`);
  if (field.type !== "map" || !item) return undefined;
  return firstProblem(Object.entries(value).map(([key, entry]) => [item, entry, `${at}[${JSON.stringify(key)}]`]));
}

function firstProblem(members: readonly [field: Field, value: unknown, at: string][]): AnswerProblem | undefined {
  for (const member of members) {
    const problem = typeProblemOf(...member);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const typeNames: Readonly<Record<Field["type"], string>> = {
  any: "a value",
  array: "a list",
  object: "an object",
  map: "an object",
  integer: "an integer",
  number: "a number",
  string: "text",
  boolean: "true or false",
};

const isNamed = oncePer(({ fields }: ResourceSpec): boolean =>
  fields.outputs.some((field) => field.name === "name" && field.required),
);

function remarksOn({ spec }: ApiOperation, value: Json): string[] {
  return remarks(answeredFields(spec), value, spec.kind, false);
}

const settableFields = oncePer(({ fields }: ResourceSpec) => fieldsByName(fields.message));

/** Everything that an answer about an object may have, by name. */
export const answeredFields = oncePer(({ fields }: ResourceSpec) =>
  fieldsByName([...fields.outputs, ...fields.message]),
);

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
    return field.fields ? remarks(fieldsByName(field.fields), value as Json, place, field.open) : [];
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
        (typeof value === "number" && (type === "number" || Number.isInteger(value))) ||
        (typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)))
      );
    case "string":
    case "boolean":
      return typeof value === type;
  }
}

function nameOfType(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

import type { ResourceSpec } from "../core/declaration/resource";
import type { Field } from "../core/fields/fields";
import { fieldsByName } from "../core/fields/places";
import { camelCase, type Parameters } from "../core/values/names";
import { oncePer } from "../core/values/once";
import { isObject } from "../core/values/values";
import { nameProblem, otherName, referenceProblem } from "./answered-names";
import type { ApiOperation, Json } from "./types";

interface AnswerCheck {
  /** What makes the answer unusable: an end of the sentence "answered 200 with …". */
  problem?: string | undefined;
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
 * Whether an answer is what the operation promises: its objects are of the kind and account that were asked for, and
 * refer to no other account's where their fields do not allow it. Values that the API's description does not list are
 * remarks, never problems.
 */
export function checkAnswer(operation: ApiOperation, value: unknown, request: RequestOfAnswer): AnswerCheck {
  if (!isObject(value)) return { problem: `${nameOfType(value)} instead of an object`, remarks: [] };
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
  const token = misspelledToken(value);
  if (token !== undefined) return { problem: token, remarks: [] };
  if (members === undefined || members === null) return { problem: contradiction(collection, value), remarks: [] };
  if (!Array.isArray(members))
    return { problem: `${nameOfType(members)} instead of the list \`${collection}\``, remarks: [] };
  const odd = members.find((member) => !isObject(member));
  if (odd !== undefined)
    return { problem: `${nameOfType(odd)} instead of an object in the list \`${collection}\``, remarks: [] };
  for (const member of members as Json[]) {
    const problem = objectProblem(operation, member, request);
    if (problem !== undefined) return { problem, remarks: [] };
  }
  return { remarks: [...new Set(members.flatMap((member: Json) => remarksOn(operation, member)))] };
}

/**
 * What speaks against an answer without its collection being that of an empty one: a list somewhere else in it, an
 * error, or objects that it counts. A page that a token leads on from is judged with the pages behind it.
 */
function contradiction(collection: string, value: Json): string | undefined {
  const missing = (instead: string): string => `${instead} and no list \`${collection}\``;
  const other = placeOfList(value);
  if (other !== undefined) return missing(`the list \`${other}\``);
  if ((value["error"] ?? null) !== null) return missing("an `error`");
  const total = Number(value["totalSize"] ?? 0);
  return total > 0 && tokenIn(value) === undefined ? missing(`a \`totalSize\` of ${total}`) : undefined;
}

/** Lists deeper than this are not what an operation has to list. */
const deepestList = 3;

/** The path of the first list in an object. */
function placeOfList(value: Json, depth = 1): string | undefined {
  for (const [name, member] of Object.entries(value)) {
    if (Array.isArray(member)) return name;
    const inner = isObject(member) && depth < deepestList ? placeOfList(member, depth + 1) : undefined;
    if (inner !== undefined) return `${name}.${inner}`;
  }
  return undefined;
}

/** The token of the next page; undefined on the last one (A094). */
export function tokenIn({ nextPageToken: token }: Json): string | undefined {
  const text = typeof token === "number" ? String(token) : token;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** A member that would have been the token of the next page under its own name: the list would seem to end here. */
function misspelledToken(value: Json): string | undefined {
  if (tokenIn(value) !== undefined) return undefined;
  const isToken = ([name, member]: [string, unknown]): boolean =>
    /^next_?page_?token$/i.test(name) && member !== "" && member !== null && member !== undefined;
  const name = Object.entries(value).find(isToken)?.[0];
  return name === undefined ? undefined : `\`${name}\`, which is no \`nextPageToken\` that is text`;
}

const isMasked = (readMask: unknown): boolean =>
  typeof readMask === "string" && readMask !== "" && readMask !== "*" && !readMask.split(",").includes("name");

function objectProblem(
  operation: ApiOperation,
  value: Json,
  { parameters, readMask, reader }: RequestOfAnswer,
): string | undefined {
  const { spec } = operation;
  const { name } = value;
  if (!isNamed(spec)) return undefined;
  const spelling = otherSpelling(spec, value);
  if (spelling !== undefined) return spelling;
  const mayLackName = spec.singleton === true || isMasked(readMask);
  if (typeof name !== "string" || name === "")
    return mayLackName && name === undefined
      ? referenceProblem(spec, value, parameters, reader)
      : `no \`name\`, which every ${spec.kind} has`;
  return nameProblem(operation, name, parameters) ?? referenceProblem(spec, value, parameters, reader);
}

/** Members in snake case are those of a service that spells all of them so: each would seem to be unset. */
function otherSpelling(spec: ResourceSpec, value: Json): string | undefined {
  const fields = answeredFields(spec);
  const isTheirs = (name: string): boolean =>
    name.includes("_") && !fields.has(name) && fields.has(camelCase(name)) && !Object.hasOwn(value, camelCase(name));
  const theirs = Object.keys(value).find(isTheirs);
  return theirs && `\`${theirs}\` in place of \`${camelCase(theirs)}\`: a \`dialect\` gives the service's names`;
}

const isNamed = oncePer(({ fields }: ResourceSpec): boolean =>
  fields.outputs.some((field) => field.name === "name" && field.required),
);

function remarksOn({ spec }: ApiOperation, value: Json): string[] {
  return remarks(answeredFields(spec), value, spec.kind, false);
}

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
        typeof value === "number" ||
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

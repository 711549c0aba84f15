import type { ResourceSpec } from "../core/declaration/resource";
import { deletionsToCome } from "../core/declaration/states";
import { type Field, isReferring, referencesIn } from "../core/fields/fields";
import { accountOf, fillTemplate, matchTemplate, type Parameters, parametersOf } from "../core/values/names";
import { memoizeByKey } from "../core/values/once";
import { isObject, topLevel } from "../core/values/values";
import { keepSpelling } from "./answered-spelling";
import type { ResponseProblem } from "./failures";
import { type Findings, isNamed, messageFields, noFindings, readObject, usablePart } from "./message-values";
import type { ApiOperation, CallOptions, Json, ListMember } from "./types";

/** A response with its scalars in their declared types. */
interface DecodedResponse {
  value: unknown;
  /** What makes the response unusable. */
  problem?: ResponseProblem | undefined;
  /** The objects that are decoded, with what is unexpected of their values. */
  read: readonly ReadObject[];
  /** The members of a deferred list, which `value` has as they were answered. */
  listed?: readonly ListMember<ReadObject>[] | undefined;
  /** Of the response to a create that names its object, what can be recorded. */
  usable?: Json | undefined;
}

/** An object in its declared form. */
export interface ReadObject {
  object: Json;
  findings: Findings;
}

/** What a response must match. */
export interface ResponseExpectation {
  parameters: Parameters;
  readMask?: unknown;
  /** Account whose key was used. */
  reader?: string | undefined;
  /** The id that a create requests. */
  id?: string | undefined;
  /** The properties by which a value that cannot be used makes the response unusable; absent: all. */
  decides?: CallOptions["decides"];
  deferred?: CallOptions["deferred"];
  /** The latest time that has passed by the service's clocks, of which the object may show another. Absent: all. */
  passed?: ((object: Json) => number) | undefined;
}

/**
 * Reads a response, and whether it is what the operation promises: its objects are of the requested kind and account,
 * refer to another account's objects only in fields that allow it, and have values of the declared types if a program
 * can set them. Values that the API's description does not list are notes, never problems.
 */
export function decodeResponse(
  operation: ApiOperation,
  response: unknown,
  request: ResponseExpectation,
): DecodedResponse {
  const value = withoutEnvelope(operation, response);
  if (!isObject(value)) return nothingRead(value, { at: "", expected: "an object", actual: value });
  if (operation.lists) return decodeList(operation, value, request);
  const { spec, verb } = operation;
  if (verb !== "get" && verb !== "create" && verb !== "update")
    return nothingRead(value, nameProblemOfVerb(operation, value, request.parameters));
  const read = readNamed(operation, value, request);
  // An empty response to an update is accepted; its result is read.
  const isSilent = verb === "update" && Object.keys(value).length === 0;
  const problem = isSilent ? undefined : objectProblem(operation, value, read, request);
  const isOfValue = problem !== undefined && read.findings.problems.includes(problem);
  const usable = verb === "create" && isOfValue ? usablePart(spec, { ...value, name: read.object["name"] }) : undefined;
  return { value: read.object, problem, read: [read], usable };
}

const nothingRead = (value: unknown, problem?: ResponseProblem): DecodedResponse => ({ value, problem, read: [] });

/**
 * The object within a response: the result of an operation that the service has carried out, or is to carry out; or the
 * one member that is an object of the kind. Any other response stays as it came.
 */
function withoutEnvelope({ spec, verb, lists }: ApiOperation, response: unknown): unknown {
  const isOfObject = verb === "get" || verb === "create" || verb === "update";
  if (lists || !isOfObject || !isNamed(spec)) return response;
  const value = Array.isArray(response) && response.length === 1 ? response[0] : response;
  if (!isObject(value) || isOfKind(spec, value)) return value;
  if (isOperationUnderWay(value)) return isObject(value["response"]) ? value["response"] : {};
  const within = (value["name"] ?? "") === "" ? Object.values(value).filter((member) => isOfKind(spec, member)) : [];
  return within.length === 1 ? within[0] : response;
}

const isOfKind = ({ name: template }: ResourceSpec, value: unknown): boolean =>
  isObject(value) && typeof value["name"] === "string" && matchTemplate(template, value["name"]) !== undefined;

/** `{"name": "operations/1", "done": false}`: the object shows the outcome. */
const isOperationUnderWay = ({ name, done, metadata }: Json): boolean =>
  typeof name === "string" && /(^|\/)operations\//.test(name) && (typeof done === "boolean" || isObject(metadata));

function decodeList(operation: ApiOperation, response: Json, request: ResponseExpectation): DecodedResponse {
  const { spec } = operation;
  const { collection } = spec;
  const value = withCollection(operation, response);
  const members = value[collection];
  const problem = misspelledToken(value) ?? listProblem(collection, value);
  if (problem !== undefined || !Array.isArray(members)) return nothingRead(value, problem);
  const { deferred, parameters, passed } = request;
  const listed: ListMember<ReadObject>[] = [];
  for (const [index, member] of members.entries()) {
    const at = `${collection}[${index}]`;
    if (!isObject(member)) return nothingRead(value, { at, expected: "an object", actual: member });
    const readPart = (part: Json): ReadObject => readNamed(operation, part, { parameters, passed });
    const judged = readPart(deferred ? identifyingPart(spec, member) : member);
    const inner = objectProblem(operation, member, judged, request);
    if (inner !== undefined) return nothingRead(value, { ...inner, at: `${at}.${inner.at}` });
    listed.push({ name: String(judged.object["name"]), read: () => (deferred ? readPart(member) : judged) });
  }
  if (deferred) return { value, read: [], listed };
  const read = listed.map((each) => each.read());
  return { value: { ...value, [collection]: read.map(({ object }) => object) }, read };
}

/** What tells whether a member makes its list unusable, whatever its other values are. */
function identifyingPart(spec: ResourceSpec, member: Json): Json {
  const part: Json = {};
  for (const name of identifying(spec)) if (Object.hasOwn(member, name)) part[name] = member[name];
  return part;
}

function readNamed(operation: ApiOperation, value: Json, request: ResponseExpectation): ReadObject {
  const findings = noFindings();
  const read = named(operation, readObject(operation.spec, value, findings), request);
  const object = withoutDeletionToCome(operation, read, findings, request);
  return { object: keepSpelling(object, value, findings.respelled), findings };
}

/** An object that is to be deleted some day is live until then, and reads as any other live one. */
function withoutDeletionToCome(
  { spec }: ApiOperation,
  object: Json,
  findings: Findings,
  { passed }: ResponseExpectation,
): Json {
  const announced = passed ? deletionsToCome(object, passed(object)) : [];
  if (announced.length === 0) return object;
  for (const at of announced)
    findings.remarks.push(`${spec.kind}.${at} is a time to come: until then nothing is deleted`);
  return Object.fromEntries(Object.entries(object).filter(([property]) => !announced.includes(property)));
}

/**
 * A response without a name is about the requested object, unless its id is another one; in a list, an object is the
 * one with its id. A partial or empty response has no name.
 */
function named({ spec, method }: ApiOperation, object: Json, { parameters, id, readMask }: ResponseExpectation): Json {
  const isEmpty = Object.keys(object).length === 0;
  if (!isNamed(spec) || (object["name"] ?? "") !== "" || isEmpty || isMasked(readMask)) return object;
  const [last] = parametersOf(spec.name).slice(-1);
  const asked = id ?? (last !== undefined && method !== "POST" ? parameters[last] : undefined);
  const own = typeof object["id"] === "string" && /^[^/?#%\s]+$/.test(object["id"]) ? object["id"] : undefined;
  if (last === undefined || (asked !== undefined && own !== undefined && own !== String(asked))) return object;
  const all = { ...parameters, [last]: asked ?? own };
  if (parametersOf(spec.name).some((part) => !isProvided(all[part]))) return object;
  return { ...object, name: fillTemplate(spec.name, all) };
}

function objectProblem(
  operation: ApiOperation,
  answered: Json,
  { object, findings }: ReadObject,
  request: ResponseExpectation,
): ResponseProblem | undefined {
  const { spec } = operation;
  if (!isNamed(spec)) return undefined;
  const ofName = otherSpelling(spec, answered) ?? nameProblem(operation, object, request);
  const { decides = () => true } = request;
  return ofName ?? referenceProblem(spec, object, request) ?? findings.problems.find(({ at }) => decides(topLevel(at)));
}

/** Members in snake case or other letters are those of a service that spells all of them so: each would seem unset. */
function otherSpelling(spec: ResourceSpec, value: Json): ResponseProblem | undefined {
  const { all } = messageFields(spec);
  for (const at of Object.keys(value)) {
    const ours = all.has(at) ? at : fieldsByLetters(spec).get(letters(at));
    if (ours === undefined || Object.hasOwn(value, ours)) continue;
    const advice = "Give the names that this service uses in the setting `modelplatform:dialect`.";
    return { at, expected: `\`${ours}\``, actual: value[at], advice };
  }
  return undefined;
}

const letters = (name: string): string => name.replaceAll("_", "").toLowerCase();

const fieldsByLetters = memoizeByKey(
  (spec: ResourceSpec): ReadonlyMap<string, string> =>
    new Map([...messageFields(spec).all.keys()].map((name) => [letters(name), name])),
);

const isMasked = (readMask: unknown): boolean =>
  typeof readMask === "string" && readMask !== "" && readMask !== "*" && !readMask.split(",").includes("name");

function nameProblem(
  operation: ApiOperation,
  { name }: Json,
  { parameters, readMask }: ResponseExpectation,
): ResponseProblem | undefined {
  const { spec } = operation;
  if (typeof name === "string" && name !== "") return problemOfName(operation, name, parameters);
  const mayLackName = spec.singleton === true || isMasked(readMask);
  if (mayLackName && name === undefined) return undefined;
  return { at: "name", expected: `what every ${spec.kind} has, \`${spec.name}\``, actual: name };
}

/** The response to a verb or a delete need not be the object; its names must at least be of the account. */
function nameProblemOfVerb(
  operation: ApiOperation,
  { name }: Json,
  parameters: Parameters,
): ResponseProblem | undefined {
  if (operation.answersMessage || typeof name !== "string") return undefined;
  if (matchTemplate(operation.spec.name, name)) return problemOfName(operation, name, parameters);
  const { account } = parameters;
  return isProvided(account) && accountOf(name) !== undefined && accountOf(name) !== String(account)
    ? ofAnother("name", name, account)
    : undefined;
}

/**
 * Whether a returned object is a requested one: of the kind, of the account, and equal in every other part that the
 * path names. The service may choose an id that the path leaves open (A016). A name outside of that would have later
 * requests change another account's objects, with that account's key.
 */
function problemOfName(operation: ApiOperation, name: string, parameters: Parameters): ResponseProblem | undefined {
  const { spec, ofAnyAccount } = operation;
  const parts = matchTemplate(spec.name, name);
  if (!parts)
    return { at: "name", expected: `the name of a ${spec.kind}, \`${spec.name}\``, actual: name, ofNames: true };
  let isOther = false;
  for (const part of parametersOf(operation.path)) {
    if (!isProvided(parameters[part]) || String(parameters[part]) === parts[part]) continue;
    if (part === "account" && !ofAnyAccount) {
      const advice = `If \`${parts["account"]}\` is an id of this account as well, use it in \`modelplatform:accountId\`.`;
      return { ...ofAnother("name", name, parameters["account"]), advice, ofNames: true };
    }
    isOther ||= part !== "account";
  }
  return isOther ? { at: "name", expected: "the object that was asked for", actual: name } : undefined;
}

/** `-` means all (A003). */
const isProvided = (part: Parameters[string]): boolean => part !== undefined && part !== "-";

/**
 * The first reference to another account's object that its field does not allow. An object of another account, such as
 * a public model, may refer to those of `reader`, whose key requested it.
 */
function referenceProblem(
  spec: ResourceSpec,
  object: Json,
  { parameters, reader }: ResponseExpectation,
): ResponseProblem | undefined {
  const account = accountOf(String(object["name"])) ?? parameters["account"];
  if (!isProvided(account)) return undefined;
  for (const { field, name } of referencesIn(referring(spec), object)) {
    const named = field.markers.refersTo?.ofAnyAccount ? undefined : accountOf(name);
    const isAllowed = named === undefined || named === String(account) || named === reader;
    if (!isAllowed) return ofAnother(field.path, name, account);
  }
  return undefined;
}

const referring = memoizeByKey(({ fields }: ResourceSpec): readonly Field[] =>
  [...fields.outputs, ...fields.message].filter(isReferring),
);

const identifying = memoizeByKey((spec: ResourceSpec): readonly string[] => [
  "name",
  "id",
  ...referring(spec).map(({ name }) => name),
]);

const ofAnother = (at: string, actual: string, account: Parameters[string]): ResponseProblem => ({
  at,
  expected: `an object of account \`${String(account)}\``,
  actual,
});

function listProblem(collection: string, value: Json): ResponseProblem | undefined {
  const members = value[collection] ?? undefined;
  if (members === undefined) return contradiction(collection, value);
  return Array.isArray(members) ? undefined : { at: collection, expected: "a list", actual: members };
}

/**
 * The list under its own name: a list elsewhere is the requested one if it has that name, if each of its objects is of
 * the kind, or if it is empty and the response counts none.
 */
function withCollection({ spec }: ApiOperation, value: Json): Json {
  const { collection } = spec;
  const place = (value[collection] ?? undefined) === undefined ? placeOfList(value) : undefined;
  if (place === undefined) return value;
  const members = valueIn(value, place) as unknown[];
  const holder = valueIn(value, place.slice(0, -1)) as Json;
  const total = holder["totalSize"] ?? value["totalSize"];
  const isCounted = total !== undefined && Number(total) === 0;
  const isIt =
    place.at(-1) === collection || (members.length > 0 ? members.every((member) => isOfKind(spec, member)) : isCounted);
  return isIt ? { ...value, ...holder, [collection]: members } : value;
}

/**
 * Why a response without its collection is not an empty list: it has a list somewhere else, an error, or a count of
 * objects. A page with a token is judged with the pages after it.
 */
function contradiction(collection: string, value: Json): ResponseProblem | undefined {
  const expected = `the list \`${collection}\``;
  const other = placeOfList(value);
  if (other !== undefined) return { at: other.join("."), expected, actual: valueIn(value, other) };
  if ((value["error"] ?? null) !== null) return { at: "error", expected, actual: value["error"] };
  const total = Number(value["totalSize"] ?? 0);
  return total > 0 && tokenIn(value) === undefined
    ? { at: "totalSize", expected: `as many members of ${expected}`, actual: value["totalSize"] }
    : undefined;
}

/** An operation lists nothing deeper than this. */
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

/** A member that would be the token of the next page under its own name: the list would seem to end here. */
function misspelledToken(value: Json): ResponseProblem | undefined {
  if (tokenIn(value) !== undefined) return undefined;
  const isToken = ([name, member]: [string, unknown]): boolean =>
    /^next_?page_?token$/i.test(name) && member !== "" && member !== null && member !== undefined;
  const [name, tokenValue] = Object.entries(value).find(isToken) ?? [];
  return name === undefined ? undefined : { at: name, expected: "`nextPageToken`, which is text", actual: tokenValue };
}

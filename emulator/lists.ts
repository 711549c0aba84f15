import { createHmac, timingSafeEqual } from "node:crypto";
import { answeredFields, memberNamed, unknownMember } from "../filters/answered-fields";
import { compileFilter, type Predicate } from "../filters/filter";
import { InvalidFilterError } from "../filters/grammar";
import { scaleOf } from "../filters/values";
import type { ResourceSpec } from "../provider/core/declaration/resource";
import type { Field } from "../provider/core/fields/fields";
import { memoizeByKey } from "../provider/core/values/once";
import { omitUndefined } from "../provider/core/values/values";
import { applyReadMask } from "./answers";
import { ApiError, type Fields, type PageRequest } from "./types";

/** How a list is ordered: by keys in turn, and among equals by name. */
interface ListOrder {
  /** Ordered by name and nothing else, as objects already are. */
  byName: boolean;
  /** What the order looks at, as plain JSON; enough to find the place again. */
  sortKeyOf(object: Fields): SortKey;
  rank(place: SortKey): Rank;
  compare(left: Rank, right: Rank): number;
}

/** Values of the keys, and the name last. */
type SortKey = readonly unknown[];

/** A position as values that `<` orders. */
type Rank = readonly (string | number | bigint)[];

interface Key {
  path: readonly string[];
  descending: boolean;
  rank(value: unknown): string | number | bigint;
}

/**
 * Reads `create_time desc, snapshot.base_model`: fields in either case, subfields with `.`,
 * ascending unless ` desc` (A095). Throws an `ApiError`.
 */
function orderOf(spec: ResourceSpec, orderBy: string): ListOrder {
  const keys = orderBy
    .split(",")
    .flatMap((part, index) => (part.trim() === "" ? [] : [keyOf(spec, part, offsetOf(orderBy, index))]));
  const untilName = keys.findIndex((key) => key.path.length === 1 && key.path[0] === "name");
  const used = untilName < 0 ? keys : keys.slice(0, untilName + 1);
  return {
    byName: used.length === 0 || (untilName === 0 && !used[0]!.descending),
    sortKeyOf: (object) => [...used.map((key) => valueIn(object, key.path)), object["name"]],
    rank: (place) => [...used.map((key, index) => key.rank(place[index])), textRank(place[used.length])],
    compare: (left, right) => {
      for (let index = 0; index < left.length; index++) {
        const [low, high] = [left[index]!, right[index]!];
        if (low !== high) return low < high === (used[index]?.descending ?? false) ? 1 : -1;
      }
      return 0;
    },
  };
}

const offsetOf = (orderBy: string, part: number): number =>
  orderBy.split(",").slice(0, part).join(",").length + (part > 0 ? 1 : 0);

function keyOf(spec: ResourceSpec, part: string, offset: number): Key {
  const [path, direction = "asc", ...rest] = part.trim().split(/\s+/) as [string, ...string[]];
  const word = rest[0] ?? direction;
  if (rest.length > 0 || (direction !== "asc" && direction !== "desc"))
    throw invalidOrder(`\`${word}\` after \`${path}\`; a field is followed by nothing, \`asc\` or \`desc\``);
  const { field, names } = resolve(path, answeredFields(spec), offset + part.indexOf(path) + 1);
  return { path: names, descending: direction === "desc", rank: rankOf(field) };
}

function resolve(path: string, fields: readonly Field[], start: number): { field: Field; names: string[] } {
  const names: string[] = [];
  let known = fields;
  let field: Field | undefined;
  let at = start;
  for (const text of path.split(".")) {
    field = memberNamed(known, text);
    if (!field) throw invalidOrder(unknownMember(known, { text, at }));
    names.push(field.name);
    known = field.fields ?? [];
    at += text.length + 1;
  }
  if (!field || field.fields || field.item || field.type === "any" || field.markers.secret)
    throw invalidOrder(`\`${path}\` at character ${start} cannot be sorted by`);
  return { field, names };
}

function rankOf(field: Field): Key["rank"] {
  if (field.type === "boolean") return (value) => Number(value === true);
  const scale = scaleOf(field);
  if (!scale) return textRank;
  return (value) => (isUnset(value) ? undefined : scale.read(String(value))) ?? scale.unset ?? Number.NEGATIVE_INFINITY;
}

const isUnset = (value: unknown): boolean => value === undefined || value === null || value === "";

const textRank = (value: unknown): string => (isUnset(value) ? "" : String(value));

function valueIn(object: Fields, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const name of path) value = typeof value === "object" && value !== null ? (value as Fields)[name] : undefined;
  return value;
}

const invalidOrder = (reason: string): ApiError => new ApiError(400, 3, `invalid order_by: ${reason}`);

const defaultPageSize = 50;
const maxPageSize = 200;

/**
 * One page of a list (A095). Costs what the page costs, plus one pass over the objects
 * for a filter or an order other than by name.
 */
export function page(request: PageRequest): Fields {
  const { spec, objects, query, scope } = request;
  const parameter = (name: string): string | undefined =>
    request.parameters.includes(name) ? query.get(name) : undefined;
  const size = pageSizeOf(parameter("pageSize"));
  const orderBy =
    parameter("orderBy") ?? (request.parameters.includes("orderBy") ? query.get("order_by") : undefined) ?? "";
  const order = orderFor(spec, orderBy);
  const filter = filterFor(spec, parameter("filter") ?? "");
  const tokenScope: PageTokenScope = [
    scope,
    orderBy,
    ...request.parameters
      .filter((name) => name !== "pageToken" && name !== "orderBy")
      .map((name) => query.get(name) ?? ""),
  ];
  const token = parameter("pageToken");
  const after = token ? sortKeyIn(token, tokenScope) : undefined;

  const filtered = filter ? objects.filter(filter) : objects;
  const matching = order.byName ? inOrder(filtered, after, size + 1) : smallest(filtered, order, after, size + 1);
  const pageItems = matching.slice(0, size);
  const mask = parameter("readMask");
  // A mask that makes no sense is refused on an empty page, too.
  applyReadMask(spec, {}, mask);
  return omitUndefined({
    [spec.collection]: pageItems.map((fields) => applyReadMask(spec, request.render(fields), mask)),
    nextPageToken: matching.length > size ? tokenFor(order.sortKeyOf(pageItems.at(-1)!), tokenScope) : undefined,
    totalSize: filtered.length,
  });
}

/** Undefined for a blank one. */
function filterFor(spec: ResourceSpec, text: string): Predicate | undefined {
  try {
    return compileFilter(text, answeredFields(spec));
  } catch (error) {
    if (error instanceof InvalidFilterError) throw new ApiError(400, 3, error.message);
    throw error;
  }
}

function pageSizeOf(text: string | undefined): number {
  if (text === undefined || text === "") return defaultPageSize;
  if (!/^-?\d+$/.test(text)) throw new ApiError(400, 3, `invalid page_size: \`${text}\` is not a whole number`);
  const size = Number(text);
  if (size < 0)
    throw new ApiError(
      400,
      3,
      `invalid page_size: \`${text}\` is negative; give 0 for the default of ${defaultPageSize}, or up to ${maxPageSize}`,
    );
  return size === 0 ? defaultPageSize : Math.min(size, maxPageSize);
}

const defaultOrder = memoizeByKey((spec: ResourceSpec): ListOrder => orderOf(spec, spec.listOrder ?? "name"));

const orderFor = (spec: ResourceSpec, orderBy: string): ListOrder =>
  orderBy.trim() === "" ? defaultOrder(spec) : orderOf(spec, orderBy);

/** The next `limit` of objects that are ordered by name already. */
function inOrder(objects: readonly Fields[], after: SortKey | undefined, limit: number): readonly Fields[] {
  let [low, high] = [0, after === undefined ? 0 : objects.length];
  const name = String(after?.at(-1));
  while (low < high) {
    const middle = (low + high) >> 1;
    if (String(objects[middle]!["name"]) <= name) low = middle + 1;
    else high = middle;
  }
  return objects.slice(low, low + limit);
}

/**
 * The first `limit` objects after a place, in order, without sorting the rest: what is
 * kept is cut back whenever it has grown enough.
 */
function smallest(
  objects: readonly Fields[],
  order: ListOrder,
  after: SortKey | undefined,
  limit: number,
): readonly Fields[] {
  const start = after && order.rank(after);
  let best: { object: Fields; rank: Rank }[] = [];
  let worst: Rank | undefined;
  const cut = () => {
    best = best.sort((left, right) => order.compare(left.rank, right.rank)).slice(0, limit);
    worst = best.length === limit ? best.at(-1)!.rank : undefined;
  };
  for (const object of objects) {
    const rank = order.rank(order.sortKeyOf(object));
    if (start !== undefined && order.compare(rank, start) <= 0) continue;
    if (worst !== undefined && order.compare(rank, worst) >= 0) continue;
    best.push({ object, rank });
    if (best.length >= 4 * limit) cut();
  }
  cut();
  return best.map(({ object }) => object);
}

/** What a token is valid for: it MUST include everything that the next call has to repeat (A095). */
type PageTokenScope = readonly string[];

/**
 * A token that leads to what comes after `place`, for calls with the same tokenScope only.
 * Holds no state, so that it outlives a restart.
 */
function tokenFor(place: SortKey, tokenScope: PageTokenScope): string {
  const cursor = Buffer.from(JSON.stringify(place)).toString("base64url");
  return `${cursor}.${seal(cursor, tokenScope).toString("base64url")}`;
}

/**
 * The position in a token. Throws an `ApiError` for one that was made up, changed, or issued to another caller or for
 * other parameters.
 */
function sortKeyIn(token: string, tokenScope: PageTokenScope): SortKey {
  const [cursor = "", signature = "", ...rest] = token.split(".");
  const presented = Buffer.from(signature, "base64url");
  const expected = seal(cursor, tokenScope);
  // The comparison by text refuses other spellings of the same bytes.
  const genuine =
    rest.length === 0 &&
    presented.length === expected.length &&
    timingSafeEqual(presented, expected) &&
    presented.toString("base64url") === signature;
  if (!genuine)
    throw new ApiError(
      400,
      3,
      "invalid page_token: it was not given to this caller for this list with the same parameters; send the parameters it came with, or start again without it",
    );
  return JSON.parse(Buffer.from(cursor, "base64url").toString()) as SortKey;
}

const seal = (cursor: string, tokenScope: PageTokenScope): Buffer =>
  createHmac("sha256", JSON.stringify(tokenScope)).update(cursor).digest().subarray(0, 16);

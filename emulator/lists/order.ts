import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { answeredFields, memberNamed, unknownMember } from "../../provider/core/filters/answered-fields";
import { scaleOf } from "../../provider/core/filters/values";
import { ApiError, type Fields } from "../types";

/** How a list is ordered: by keys in turn, and among equals by name. */
export interface ListOrder {
  /** Ordered by name and nothing else, as objects already are. */
  byName: boolean;
  /** What the order looks at, as plain JSON; enough to find the place again. */
  sortKeyOf(object: Fields): SortKey;
  rank(place: SortKey): Rank;
  compare(left: Rank, right: Rank): number;
}

/** Values of the keys, and the name last. */
export type SortKey = readonly unknown[];

/** A position as values that `<` orders. */
export type Rank = readonly (string | number | bigint)[];

interface Key {
  path: readonly string[];
  descending: boolean;
  rank(value: unknown): string | number | bigint;
}

/**
 * Reads `create_time desc, snapshot.base_model`: fields in either case, subfields with `.`,
 * ascending unless ` desc` (A095). Throws a `Refusal`.
 */
export function orderOf(spec: ResourceSpec, orderBy: string): ListOrder {
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

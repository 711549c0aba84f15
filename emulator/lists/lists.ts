import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { answeredFields } from "../../provider/core/filters/answered-fields";
import { compileFilter, type Predicate } from "../../provider/core/filters/filter";
import { InvalidFilter } from "../../provider/core/filters/lexer";
import { defined } from "../../provider/core/values/defined";
import { oncePer } from "../../provider/core/values/once";
import { type Fields, type PageOf, Refusal } from "../types";
import { type Order, orderOf, type Rank, type SortKey } from "./order";
import { type Bond, placeOf, tokenFor } from "./page-tokens";
import { masked } from "./read-mask";

export { masked };

const defaultPageSize = 50;
const maxPageSize = 200;

/**
 * One page of a list (A095). Costs what the page costs, plus one pass over the objects
 * for a filter or an order other than by name.
 */
export const page: PageOf = (question) => {
  const { spec, objects, query, scope } = question;
  const parameter = (name: string): string | undefined =>
    question.parameters.includes(name) ? query.get(name) : undefined;
  const size = pageSizeOf(parameter("pageSize"));
  const orderBy =
    parameter("orderBy") ?? (question.parameters.includes("orderBy") ? query.get("order_by") : undefined) ?? "";
  const order = orderFor(spec, orderBy);
  const filter = filterFor(spec, parameter("filter") ?? "");
  const bond: Bond = [
    scope,
    orderBy,
    ...question.parameters
      .filter((name) => name !== "pageToken" && name !== "orderBy")
      .map((name) => query.get(name) ?? ""),
  ];
  const token = parameter("pageToken");
  const after = token ? placeOf(token, bond) : undefined;

  const kept = filter ? objects.filter(filter) : objects;
  const found = order.byName ? inOrder(kept, after, size + 1) : selected(kept, order, after, size + 1);
  const shown = found.slice(0, size);
  const mask = parameter("readMask");
  // A mask that makes no sense is refused on an empty page, too.
  masked(spec, {}, mask);
  return defined({
    [spec.collection]: shown.map((fields) => masked(spec, question.render(fields), mask)),
    nextPageToken: found.length > size ? tokenFor(order.place(shown.at(-1)!), bond) : undefined,
    totalSize: kept.length,
  });
};

/** Undefined for a blank one. */
function filterFor(spec: ResourceSpec, text: string): Predicate | undefined {
  try {
    return compileFilter(text, answeredFields(spec));
  } catch (error) {
    if (error instanceof InvalidFilter) throw new Refusal(400, 3, error.message);
    throw error;
  }
}

function pageSizeOf(text: string | undefined): number {
  if (text === undefined || text === "") return defaultPageSize;
  if (!/^-?\d+$/.test(text)) throw new Refusal(400, 3, `invalid page_size: \`${text}\` is not a whole number`);
  const size = Number(text);
  if (size < 0)
    throw new Refusal(
      400,
      3,
      `invalid page_size: \`${text}\` is negative; give 0 for the default of ${defaultPageSize}, or up to ${maxPageSize}`,
    );
  return size === 0 ? defaultPageSize : Math.min(size, maxPageSize);
}

const defaultOrder = oncePer((spec: ResourceSpec): Order => orderOf(spec, spec.listOrder ?? "name"));

const orderFor = (spec: ResourceSpec, orderBy: string): Order =>
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
function selected(
  objects: readonly Fields[],
  order: Order,
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
    const rank = order.rank(order.place(object));
    if (start !== undefined && order.compare(rank, start) <= 0) continue;
    if (worst !== undefined && order.compare(rank, worst) >= 0) continue;
    best.push({ object, rank });
    if (best.length >= 4 * limit) cut();
  }
  cut();
  return best.map(({ object }) => object);
}

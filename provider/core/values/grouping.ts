/** Milliseconds of a day; every day of UTC has as many. */
export const dayMs = 24 * 60 * 60 * 1000;

/** The day of an instant, UTC: `2026-01-31`. Takes milliseconds since 1970, or a timestamp. */
export const dayOf = (at: number | string): string => new Date(at).toISOString().slice(0, 10);

/** The items by key, keys and items in their order: `Map.groupBy`, which Node.js has from version 21 on. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** The set at a key, which is empty at first. */
export function entryIn<K, T>(sets: Map<K, Set<T>>, key: K): Set<T> {
  const set = sets.get(key) ?? new Set<T>();
  sets.set(key, set);
  return set;
}

/** Negative, zero or positive, as `sort` wants it: texts by their code units, which is the same on every machine. */
export function ascending<T extends string | number | bigint>(one: T, other: T): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/**
 * JSON text with the keys of every object in order, so that equal values have
 * equal text. Big integers keep all their digits.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "bigint") return value.toString();
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  return objectText(Object.entries(value).sort(byKey));
}

/** The text of an object whose keys keep their order; undefined values are left out. */
export function objectText(entries: [key: string, value: unknown][]): string {
  const members = entries.filter(([, value]) => value !== undefined);
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${canonicalJson(value)}`).join(",")}}`;
}

/** Never equal: no object has a key twice. */
export const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

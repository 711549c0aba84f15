/** A value with one of its keys misspelt, and where. */
export type Misspelling = readonly [path: string, value: unknown];

/** The value with one key misspelt, once for each key of each object in it, but those of maps named in `free`. */
export function misspellingsOf(value: unknown, free: readonly string[], path = "", isFree = false): Misspelling[] {
  if (typeof value !== "object" || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, each]): Misspelling[] => {
    const replaced = (name: string, inner: unknown): unknown => {
      const entries = Object.entries(value).map(([other, kept]) => (other === key ? [name, inner] : [other, kept]));
      return isList ? entries.map(([, item]) => item) : Object.fromEntries(entries);
    };
    const at = `${path}.${key}`;
    const deeper = misspellingsOf(each, free, at, free.includes(key)).map(
      ([where, inner]): Misspelling => [where, replaced(key, inner)],
    );
    return isList || isFree ? deeper : [[at, replaced(`${key}x`, each)], ...deeper];
  });
}

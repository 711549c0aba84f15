/** Negative, zero or positive, as `sort` wants it: texts by their code units, which is the same on every machine. */
export function ascending<T extends string | number | bigint>(one: T, other: T): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** How many of the live objects stacks manage. */
export interface Coverage {
  managed: number;
  /** Null where a collection could not be read. */
  total: number | null;
}

/** Of several parts together; nobody knows the whole where a part was not read. */
export const coverageOf = (parts: readonly Coverage[]): Coverage =>
  parts.reduce<Coverage>(
    (sum, { managed, total }) => ({
      managed: sum.managed + managed,
      total: sum.total === null || total === null ? null : sum.total + total,
    }),
    { managed: 0, total: 0 },
  );

/** How many of the live objects stacks manage. */
export interface StackCoverage {
  managed: number;
  /** Null where a collection could not be read. */
  total: number | null;
}

/** Coverage of several parts together; unknown if a part was not read. */
export const coverageOf = (parts: readonly StackCoverage[]): StackCoverage =>
  parts.reduce<StackCoverage>(
    (sum, { managed, total }) => ({
      managed: sum.managed + managed,
      total: sum.total === null || total === null ? null : sum.total + total,
    }),
    { managed: 0, total: 0 },
  );

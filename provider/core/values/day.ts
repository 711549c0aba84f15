/** Milliseconds of a day; every day of UTC has as many. */
export const dayMs = 24 * 60 * 60 * 1000;

/** The day of an instant, UTC: `2026-01-31`. Takes milliseconds since 1970, or a timestamp. */
export const dayOf = (at: number | string): string => new Date(at).toISOString().slice(0, 10);

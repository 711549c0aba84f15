/** The time of day of an instant, UTC: `09:30:05Z`. Takes milliseconds since 1970. */
export const timeOfDay = (at: number): string => `${new Date(at).toISOString().slice(11, 19)}Z`;

const wait = "waits until ";

/** What somebody says who waits until then; its reason follows. */
export const waitsUntil = (at: number): string => `${wait}${timeOfDay(at)}`;

/** Whether a status is such a wait: it lasts, and is worth a line where statuses have none. */
export const isLongWait = (status: string): boolean => status.startsWith(wait);

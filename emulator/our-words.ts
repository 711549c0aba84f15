import type { DialectTable } from "../provider/core/dialect/table";

/** The spelling of a service that uses our words. */
export const ourWords: DialectTable = { fields: {}, values: {} };

import type { Prices } from "./prices/prices";

/** What an estimate is made with. */
export interface Basis {
  prices: Prices;
  /** Today in UTC, `YYYY-MM-DD`. */
  day: string;
}

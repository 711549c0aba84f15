import { type Nanos, nanosIn, whole } from "../cost/money";
import type { CostedResource } from "../cost/report";
import type { RowOp } from "./row";

/** What an hour of one resource costs at the most, before and after; an amount that is not known is absent. */
interface Rise {
  before: Nanos | undefined;
  after: Nanos | undefined;
}

/** Undefined for what is not paid for by the hour, and for what stays live outside the stack. */
export function riseOf(op: RowOp, cost: CostedResource | undefined): Rise | undefined {
  if (!cost || cost.once || op === "leave") return undefined;
  const read = (amount: string | undefined): Nanos | undefined => (amount === undefined ? undefined : nanosIn(amount));
  const { before, max } = cost.hourly;
  return { before: read(before), after: read(max) };
}

/** By how much a price may rise. */
export type RiseLimit = { by: "factor" | "amount"; limit: Nanos };

/** `2x`, `1.5x`, `10/h`; undefined for other text. */
export function riseLimitIn(text: string): RiseLimit | undefined {
  const [, digits = "", unit] = /^(\d+(?:\.\d{1,9})?)(x|\/h)$/.exec(text) ?? [];
  const limit = nanosIn(digits);
  if (limit === undefined || (unit === "x" && limit < whole)) return undefined;
  return { by: unit === "x" ? "factor" : "amount", limit };
}

/** Half as much again happens in every week; twice as much is worth a look. */
const marked: RiseLimit = { by: "factor", limit: 2n * whole };

/** Whether a reviewer has to look at a price that rises. */
export const isMarkedRise = (rise: Rise | undefined): boolean => rise !== undefined && isAbove(rise, marked);

/** Whether it rises by so much or more. What was nothing has no factor: any amount is above one. */
export function isAbove({ before, after }: Rise, { by, limit }: RiseLimit): boolean {
  if (before === undefined || after === undefined || after <= before) return false;
  return by === "amount" ? after - before >= limit : after * whole >= before * limit;
}

/** Whether it rises, or may. */
export const mayRise = ({ before, after }: Rise): boolean =>
  before === undefined || after === undefined || after > before;

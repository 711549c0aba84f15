import { isAbove, mayRise, type RiseLimit, riseLimitIn, riseOf } from "./rises";
import type { ChangeRow, RowRule } from "./row";
import { mayLoosen } from "./rules";

/** What a pipeline may refuse by its name; of a price, also by how much. */
export const refusals = [
  ...(["delete", "replace", "role", "loosening", "public", "secret", "unknown", "protection", "price"] as const),
];

export type Refusal = (typeof refusals)[number] | RiseLimit;

const price = "price=";

/** One word of `--fail-on`; undefined for any other. */
export function refusalIn(word: string): Refusal | undefined {
  if (word.startsWith(price)) return riseLimitIn(word.slice(price.length));
  return refusals.find((each) => each === word);
}

/** Rows that do what is refused. A price that nobody knows may rise, so that `price` alone refuses it. */
export const refusedRows = (rows: readonly ChangeRow[], refused: readonly Refusal[]): ChangeRow[] =>
  rows.filter((row) => refused.some((refusal) => doesRefuse(refusal, row)));

function doesRefuse(refusal: Refusal, { op, rules, cost, renamedFrom, spec }: ChangeRow): boolean {
  if (refusal === "price" || typeof refusal === "object") {
    const rise = riseOf(op, cost);
    if (!rise || op === "delete") return false;
    if (refusal === "price") return mayRise(rise);
    return isAbove(rise, refusal) && (refusal.by === "amount" || op !== "create");
  }
  if (refusal === "loosening" && mayLoosen(spec, op, rules)) return true;
  if (refusal === "delete" && renamedFrom !== undefined) return true;
  return refusal === op || rules.includes(refusal as RowRule);
}

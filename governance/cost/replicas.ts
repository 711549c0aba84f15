import { resetValue } from "../../provider/core/comparison/desired";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { HourlyBilling } from "../../provider/core/rules/billing";
import { isUnknown } from "../../provider/core/values/unknowns";
import type { Values } from "../../provider/core/values/values";

/** How many replicas are paid for: those at the full price, and those on revocable capacity. */
interface Replicas {
  full: number;
  revocable: number;
}

export type Counted = Replicas | { unknown: string };

/** A service or a file may say anything. */
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** At the least, at the most, and now. A bound that nobody sets is the documented default. */
export function replicasOf(spec: ResourceSpec, { replicas }: HourlyBilling, values: Values) {
  const bound = (name: string): number | { unknown: string } => {
    const field = spec.fields.message.find((each) => each.name === name)!;
    const value = values[name] ?? resetValue(field, values);
    if (isCount(value)) return value;
    return {
      unknown: isUnknown(value)
        ? `\`${name}\` is known only once the program has run`
        : `\`${name}\` is not a number of replicas`,
    };
  };
  const least = bound(replicas.least);
  const most = bound(replicas.most);
  const withRevocable =
    (values[replicas.withRevocable] ?? undefined) === undefined ? most : bound(replicas.withRevocable);
  const split = (all: number): Counted => {
    if (typeof most !== "number") return most;
    return { full: Math.min(all, most), revocable: Math.max(0, all - most) };
  };
  const mostOfAll = (): Counted => {
    if (typeof most !== "number") return most;
    if (typeof withRevocable !== "number") return withRevocable;
    return { full: most, revocable: Math.max(0, withRevocable - most) };
  };
  const now = values[replicas.now] ?? 0;
  return {
    least: typeof least === "number" ? { full: least, revocable: 0 } : least,
    most: mostOfAll(),
    /** More than `most` run only on revocable capacity. An absent number is 0 (A094). */
    now: isCount(now) ? split(now) : { unknown: `\`${replicas.now}\` is not a number of replicas` },
  };
}

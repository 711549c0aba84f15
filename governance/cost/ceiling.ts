import { ascending } from "../../provider/core/values/order";
import { titleOf } from "./formats/words";
import { formatAmount, type Nanos, nanosIn } from "./money";
import type { CostedResource, CostReport } from "./report";

/** The most that something may cost per hour, as `120/h` has it; undefined for other text. */
export function ceilingIn(text: string): Nanos | undefined {
  const [, digits] = /^(\d+(?:\.\d{1,9})?)(?:\/h)?$/.exec(text.trim()) ?? [];
  return digits === undefined ? undefined : nanosIn(digits);
}

interface CeilingOptions {
  ceiling: Nanos | undefined;
  /** Whether a cost that is not known is above it. */
  strict: boolean;
  /** What is held to it where there is no present cost: the most replicas, or the fewest. */
  bound?: Bound;
}

/**
 * Why a report is above the ceiling, in sentences: by how much, and which resource does most for it. What is not known
 * counts only where that is `strict`. Undefined: it is within.
 */
export function breachOf(
  { resources, total, currency }: CostReport,
  { ceiling, strict, bound = "max" }: CeilingOptions,
): string | undefined {
  if (ceiling === undefined) return undefined;
  const { now } = total.hourly;
  const cost = nanosIn(now ?? total.hourly[bound])!;
  if (cost > ceiling) {
    const [largest] = [...resources].sort(byWeight(bound));
    const was = largest && beforeOf(largest, bound);
    const more = largest && was !== undefined && was !== "0" ? raiseOf(largest, bound) : 0n;
    const culprit = largest
      ? ` ${titleOf(largest)} does most for it, with ${formatAmount(amountOf(largest, bound))}${more > 0n ? `, ${formatAmount(more)} more than before` : ""}.`
      : "";
    return `The cost of ${now === undefined ? `at ${bound === "max" ? "most" : "least"} ` : ""}${formatAmount(cost)} ${currency} per hour is ${formatAmount(cost - ceiling)} above the ceiling of ${formatAmount(ceiling)}.${culprit}`;
  }
  if (!strict || total.unknown === 0) return undefined;
  const missing = resources.filter(
    ({ hourly: { min, max }, once }) => min === undefined || max === undefined || once?.unknown !== undefined,
  );
  return `The cost of ${missing.map(titleOf).join(", ")} is not known, which counts as above the ceiling.`;
}

type Bound = "min" | "max";

const amountOf = ({ hourly }: CostedResource, bound: Bound): Nanos => nanosIn(hourly.now ?? hourly[bound] ?? "0")!;
const beforeOf = ({ hourly }: CostedResource, bound: Bound): string | undefined =>
  bound === "max" ? hourly.before : hourly.beforeMin;

/** Nothing where nothing changes, and where it becomes less. */
function raiseOf(resource: CostedResource, bound: Bound): Nanos {
  const before = beforeOf(resource, bound);
  const raise = before === undefined ? 0n : amountOf(resource, bound) - nanosIn(before)!;
  return raise > 0n ? raise : 0n;
}

/** What a change adds counts before what was there already. */
const byWeight =
  (bound: Bound) =>
  (one: CostedResource, other: CostedResource): number => {
    const byRaise = ascending(raiseOf(other, bound), raiseOf(one, bound));
    return byRaise || ascending(amountOf(other, bound), amountOf(one, bound));
  };

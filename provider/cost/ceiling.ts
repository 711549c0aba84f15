import { titleOf } from "./formats/words";
import { type Nanos, nanosIn, spelled } from "./money";
import type { CostedResource, CostReport } from "./report";

/** The most that something may cost per hour, as `120/h` has it; undefined for other text. */
export function ceilingIn(text: string): Nanos | undefined {
  const [, digits] = /^(\d+(?:\.\d{1,9})?)(?:\/h)?$/.exec(text.trim()) ?? [];
  return digits === undefined ? undefined : nanosIn(digits);
}

/**
 * Why a report is above the ceiling, in sentences: by how much, and which resource does most for it. What is not known
 * counts only where that is `strict`. Undefined: it is within.
 */
export function breachOf(
  { resources, total, currency }: CostReport,
  { ceiling, strict }: { ceiling: Nanos | undefined; strict: boolean },
): string | undefined {
  if (ceiling === undefined) return undefined;
  const { now, max } = total.hourly;
  const cost = nanosIn(now ?? max)!;
  if (cost > ceiling) {
    const [largest] = [...resources].sort(byWeight);
    const was = largest?.hourly.before;
    const more = largest && was !== undefined && was !== "0" ? raiseOf(largest) : 0n;
    const culprit = largest
      ? ` ${titleOf(largest)} does most for it, with ${spelled(amountOf(largest))}${more > 0n ? `, ${spelled(more)} more than before` : ""}.`
      : "";
    return `The cost of ${now === undefined ? "at most " : ""}${spelled(cost)} ${currency} per hour is ${spelled(cost - ceiling)} above the ceiling of ${spelled(ceiling)}.${culprit}`;
  }
  if (!strict || total.unknown === 0) return undefined;
  const missing = resources.filter(
    ({ hourly: { min, max }, once }) => min === undefined || max === undefined || once?.unknown !== undefined,
  );
  return `The cost of ${missing.map(titleOf).join(", ")} is not known, which counts as above the ceiling.`;
}

const amountOf = ({ hourly: { now, max } }: CostedResource): Nanos => nanosIn(now ?? max ?? "0")!;

/** Nothing where nothing changes, and where it becomes less. */
function raiseOf(resource: CostedResource): Nanos {
  const { before } = resource.hourly;
  const raise = before === undefined ? 0n : amountOf(resource) - nanosIn(before)!;
  return raise > 0n ? raise : 0n;
}

/** What a change adds counts before what was there already. */
function byWeight(one: CostedResource, other: CostedResource): number {
  const raise = raiseOf(other) - raiseOf(one);
  const size = amountOf(other) - amountOf(one);
  return raise !== 0n ? (raise > 0n ? 1 : -1) : size === 0n ? 0 : size > 0n ? 1 : -1;
}

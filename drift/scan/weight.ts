import { nanosIn } from "../../governance/cost/money";
import { ascending } from "../../provider/core/values/order";
import { type Severity, severities } from "./document";

/** What decides how soon somebody should look at something. */
export interface Weight {
  severity: Severity;
  /** A decimal text. */
  hourlyCostChange?: string | undefined;
  /** How much needs it. */
  dependents: number;
  firstSeen?: string | undefined;
}

/**
 * The severe first; of one severity, what changes the cost most, then what most depends on, then what has been there
 * longest.
 */
export const byWeight = (one: Weight, other: Weight): number =>
  severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
  Number(costOf(other) - costOf(one)) ||
  other.dependents - one.dependents ||
  ascending(one.firstSeen ?? "~", other.firstSeen ?? "~");

function costOf({ hourlyCostChange: change }: Weight): bigint {
  const nanos = (change === undefined ? undefined : nanosIn(change)) ?? 0n;
  return nanos < 0n ? -nanos : nanos;
}

import { nanosIn } from "../../governance/cost/money";
import { ascending } from "../../provider/core/values/order";
import { type Finding, type FindingGroup, type Severity, severities } from "./finding-schema";

/** What decides how soon somebody should look at something. */
interface Weight {
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

export const weightOf = ({ severity, hourlyCostChange, dependents, firstSeen }: Finding) => ({
  ...{ severity, hourlyCostChange, firstSeen },
  dependents: dependents?.length ?? 0,
});

export const weightOfGroup = ({ severity, hourlyCostChange, dependents, firstSeen }: FindingGroup) => ({
  ...{ severity, hourlyCostChange, firstSeen },
  dependents: dependents ?? 0,
});

import { setImmediate as turn } from "node:timers/promises";
import type { Change, Finding, Suppression } from "./document";
import { countText, worst } from "./verdict";

/** Why a change, or a finding without changes, does not count; undefined where it does. */
export type Suppressor = (finding: Finding, change: Change | undefined) => Suppression | undefined;

/**
 * The findings after suppression. The patterns may be any number, of anybody's writing: the signal is looked at after
 * each finding.
 */
export async function suppressed(
  findings: readonly Finding[],
  suppressors: readonly Suppressor[],
  signal: AbortSignal,
): Promise<Finding[]> {
  const judged: Finding[] = [];
  for (const finding of findings) {
    if (suppressors.length > 0) await turn();
    signal.throwIfAborted();
    judged.push(suppress(finding, suppressors));
  }
  return judged;
}

/**
 * The finding after suppression: suppressed if nothing of it counts, else without the changes that do not count. An
 * already suppressed finding is unchanged.
 */
function suppress(finding: Finding, suppressors: readonly Suppressor[]): Finding {
  if (finding.suppressed) return finding;
  const why = (change: Change | undefined): Suppression | undefined => {
    for (const suppressor of suppressors) {
      const suppressed = suppressor(finding, change);
      if (suppressed) return suppressed;
    }
    return undefined;
  };
  if (finding.changes.length === 0) return withReason(finding, why(undefined));
  const judged = finding.changes.map((change) => ({ change, suppressed: why(change) }));
  const counted = judged.flatMap(({ change, suppressed }) => (suppressed ? [] : [change]));
  if (counted.length === 0) return withReason(finding, judged[0]!.suppressed);
  if (counted.length === finding.changes.length) return finding;
  return {
    ...finding,
    changes: counted,
    severity: worst(counted.map(({ severity }) => severity)),
    reason: finding.reason.replace(countText(finding.changes), countText(counted)),
  };
}

const withReason = (finding: Finding, suppressed: Suppression | undefined): Finding =>
  suppressed ? { ...finding, suppressed } : finding;

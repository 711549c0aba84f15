import type { DriftReport, Finding, Verdict } from "./document";

/** Exit code of a scan: 3 if something could not be read, 2 if something drifted, else 0. */
export function exitCodeOf({ complete, drifted }: Pick<DriftReport, "complete" | "drifted">): number {
  if (!complete) return 3;
  return drifted ? 2 : 0;
}

/** Whether a finding counts. */
export const isDrift = (findings: readonly Finding[], failOn: readonly Verdict[]): boolean =>
  findings.some(({ verdict, suppressed }) => !suppressed && failOn.includes(verdict));

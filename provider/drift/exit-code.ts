import type { DriftReport, Finding, Verdict } from "./document";

/** What a scan's process ends with: 3 where something could not be read, 2 where something drifted, else 0. */
export const exitCodeOf = ({ complete, drifted }: Pick<DriftReport, "complete" | "drifted">): number =>
  !complete ? 3 : drifted ? 2 : 0;

/** Whether a finding counts. */
export const isDrift = (findings: readonly Finding[], failOn: readonly Verdict[]): boolean =>
  findings.some(({ verdict, suppressed }) => !suppressed && failOn.includes(verdict));

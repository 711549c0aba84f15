import type { DriftReport } from "./document";

/** What a scan's process ends with: 3 where something could not be read, 2 where something drifted, else 0. */
export const exitCodeOf = ({ complete, drifted }: Pick<DriftReport, "complete" | "drifted">): number => (!complete ? 3 : drifted ? 2 : 0);

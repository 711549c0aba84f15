import { defined } from "../../provider/core/values/defined";
import type { DriftReport } from "../scan/document";
import type { Finding } from "../scan/finding-schema";
import { withGroups } from "../scan/groups";
import type { History, Occurrence } from "./history";
import { isRecorded } from "./news";

/** The report, with what the history knows of each finding. */
export const dated = (report: DriftReport, { open }: Pick<History, "open">): DriftReport =>
  withGroups({
    ...report,
    findings: report.findings.map((finding) => {
      const known = isRecorded(finding) ? open.get(finding.fingerprint) : undefined;
      return known ? withTimes(finding, known) : finding;
    }),
  });

function withTimes(finding: Finding, { firstSeen, timesSeen, verdictSince }: Occurrence): Finding {
  const { verdict, changedBetween } = finding;
  // Nothing is left that could tell when it was deleted.
  const window = verdict === "missing" ? deletedBetween(changedBetween?.after, verdictSince) : changedBetween;
  return defined({ ...finding, firstSeen, timesSeen, changedBetween: window });
}

/** Two clocks may disagree: a time of recording that is not before the scan that missed the object says nothing. */
const deletedBetween = (after: string | undefined, before: string): Finding["changedBetween"] =>
  after !== undefined && Date.parse(after) < Date.parse(before) ? { after, before } : { before };

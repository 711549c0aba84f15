import type { DriftReport, Finding } from "./document";

/** What is known of a report before anything is read. */
export type ReportHeader = Pick<DriftReport, "schemaVersion" | "tool" | "startedAt" | "scope">;

/**
 * Told of a report while it is made: account by account, in the order in which they are read. What is known only at the
 * end, findings do not say yet: the group, when it was first seen, which live objects of other accounts need it.
 */
export interface ReportStream {
  begin(header: ReportHeader): void;
  /** Of one account. */
  found(findings: readonly Finding[]): void;
}

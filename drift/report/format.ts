import type { Format, Render } from "../../io/text/format";
import type { HistoryDay, RemedyTimes } from "../history/index";
import type { DriftReport } from "../scan/document";
import type { FindingPatch } from "./remedies";

/** Where a report is shown. */
export interface ReportContext {
  /** Characters in a line. */
  columns: number;
  /** Whether colours may be used. */
  color: boolean;
  /**
   * Folder of each stack's program, by the stack's name in the report: relative to the
   * repository's root, with `/`. Default: the root.
   */
  programs?: Readonly<Record<string, string>>;
  /** By a finding's fingerprint, where the programs have been read. */
  patches?: ReadonlyMap<string, FindingPatch> | undefined;
  /** With a history. */
  timeline?: readonly HistoryDay[] | undefined;
  remedies?: readonly RemedyTimes[] | undefined;
}

export type ReportWriter = Render<DriftReport, ReportContext>;
export type ReportFormat = Format<DriftReport, ReportContext>;

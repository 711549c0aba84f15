import type { DriftReport } from "../../../drift/scan/document";
import type { Finding } from "../../../drift/scan/finding-schema";
import type { StackSources } from "../../../drift/scan/stacks";
import type { ProjectStacks } from "./siblings";

/** What there is to accept, and what is known of the stacks. */
export interface AcceptInput extends ProjectStacks {
  findings: readonly Finding[];
  report: DriftReport;
  /** Full names of the stacks of this program that were looked at. */
  stacks: readonly string[];
  sources: StackSources;
}

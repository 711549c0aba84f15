import type { DriftReport, Finding } from "../../../drift/document";
import type { RecordedStack } from "../../../drift/recorded-object";
import type { StackSources } from "../../../drift/stacks";

/** What there is to accept, and what is known of the stacks. */
export interface Found {
  findings: readonly Finding[];
  report: DriftReport;
  /** Full names of the stacks of this program that were looked at. */
  stacks: readonly string[];
  /** Their resources, where the states were read and not only a report of them. */
  recorded: readonly RecordedStack[] | undefined;
  sources: StackSources;
}

/** `organization/project/stack`, or the end of that. */
export const projectIn = (stack: string): string | undefined => stack.split("/").at(-2);

import type { ScopeChoices } from "./plan/scope";
import type { UpdatePlan } from "./plan/update-plan";

/** What the user chooses for one operation, by the names of Pulumi's Automation API. */
export interface Choices extends ScopeChoices {
  /** URNs or patterns: these are replaced whether they differ or not. */
  replace?: readonly string[] | undefined;
  /** What does not depend on a failed resource continues. */
  continueOnError?: boolean | undefined;
  /** Read the live objects first. */
  refresh?: boolean | undefined;
  /**
   * Of a refresh or a destruction: the program says how providers are configured now. Of an
   * update: it also says when each resource is read.
   */
  runProgram?: boolean | undefined;
  /** Of a refresh: forget the creations of earlier runs whose end nobody has seen. */
  clearPendingCreates?: boolean | undefined;
  /** Nothing is done that exceeds this. */
  constraint?: UpdatePlan | undefined;
}

import type { ScopeChoices } from "./plan/scope";
import type { UpdatePlan } from "./plan/update-plan";

/** Options of one operation, named as in Pulumi's Automation API. */
export interface Choices extends ScopeChoices {
  /** URNs or patterns of resources to replace even without differences. */
  replace?: readonly string[] | undefined;
  /** Resources that do not depend on a failed one continue. */
  continueOnError?: boolean | undefined;
  /** Read the live objects first. */
  refresh?: boolean | undefined;
  /**
   * Of a refresh or a destruction: the program says how providers are configured now. Of an
   * update: it also says when each resource is read.
   */
  runProgram?: boolean | undefined;
  /** For a refresh: drops pending creates of earlier runs, whose outcome is unknown. */
  clearPendingCreates?: boolean | undefined;
  /** Nothing is done that exceeds this. */
  constraint?: UpdatePlan | undefined;
}

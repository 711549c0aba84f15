import type { ChangeSummary, EngineEvent, Outcomes } from "./events";
import type { ScopeChoices } from "./plan/scope";
import type { UpdatePlan } from "./plan/update-plan";
import type { ImportRequest } from "./program/import-resources";
import type { PropertyMap, StateValue } from "./state/resource-state";

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
  /** Steps that exceed this plan are errors. */
  constraint?: UpdatePlan | undefined;
}

export interface OperationSettings extends ScopeChoices {
  /** Concurrent steps. Default: PULUMI_PARALLEL, else 32. */
  parallel?: number | undefined;
  /** The result says whether something changed, or would have. */
  expectNoChanges?: boolean;
  /** Receives what happens. Secret values of states and outputs are `[secret]`, unless `showSecrets` is set. */
  onEvent?: (event: EngineEvent) => void;
  /** `onEvent` receives secret values in the clear. Default: false. */
  showSecrets?: boolean | undefined;
  /** The operation as lines of text. */
  onOutput?: (text: string) => void;
  /** Lines of `onOutput` show every change field by field. */
  diff?: boolean;
  /** Called with what the operation has waited for, after some seconds. */
  onWaiting?: ((what: string) => void) | undefined;
  /** For the stack's history. */
  message?: string | undefined;
  /** The first interrupt: nothing new starts; running steps are notified, awaited and recorded. */
  signal?: AbortSignal;
  /** The second interrupt: everything ends immediately, and the call rejects. */
  killSignal?: AbortSignal;
}

export interface UpdateSettings extends OperationSettings {
  replace?: Choices["replace"];
  refresh?: Choices["refresh"] | undefined;
  runProgram?: Choices["runProgram"];
  continueOnError?: Choices["continueOnError"];
  /** A file: a preview saves its steps there, and an update does nothing beyond them. */
  plan?: string | undefined;
}

export interface PreviewSettings extends UpdateSettings {
  /** A file with the plan that a later update will be held to: exceeding it is an error now. */
  heldTo?: string | undefined;
}

export interface PreviewableSettings extends OperationSettings {
  /** Say what would happen, and change nothing. */
  previewOnly?: boolean;
}

export interface RefreshSettings extends PreviewableSettings {
  runProgram?: Choices["runProgram"];
  clearPendingCreates?: Choices["clearPendingCreates"] | undefined;
}

export interface DestroySettings extends PreviewableSettings {
  refresh?: Choices["refresh"] | undefined;
  runProgram?: Choices["runProgram"];
  continueOnError?: Choices["continueOnError"];
  /** Protected resources stay, with all that they depend on. */
  excludeProtected?: boolean | undefined;
}

/** What to import, in the format of Pulumi's import file; secrets may be in plain text. */
export interface ImportSettings extends PreviewableSettings, ImportRequest {}

export interface OutputValue {
  /** In the clear, secret or not. */
  value: StateValue;
  secret: boolean;
}

export type OutputMap = { [name: string]: OutputValue };

export interface OperationResult {
  result: "succeeded" | "failed" | "interrupted";
  changes: ChangeSummary;
  /** Ids of objects that the state no longer has and that are still live. */
  left: readonly string[];
  /** The stack's; secrets as signature objects. */
  outputs: PropertyMap;
  /** The outcome of each resource, if not all succeeded. */
  outcomes?: Outcomes | undefined;
  /** The steps it came to. */
  plan: UpdatePlan;
  durationMs: number;
}

export interface OperationReport extends Omit<OperationResult, "outputs"> {
  outputs: OutputMap;
  /** With `expectNoChanges`: there were some. */
  unexpectedChanges: boolean;
}

/** An operation of a stack that did not succeed. Its errors are the message. */
export class OperationFailedError extends Error {
  override readonly name = "OperationFailedError";

  constructor(
    title: string,
    errors: readonly string[],
    /** What happened until then. */
    readonly report: OperationReport,
  ) {
    super([title, ...errors.map((error) => `  ${error}`)].join("\n"));
  }
}

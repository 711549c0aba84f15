import { type EmbeddedStack as Stack, stacksWith } from "../../engine/stack";
import { machineProviderHost } from "./machine";

export type {
  ChangeSummary,
  EngineEvent,
  Op,
  OperationKind,
  Outcomes,
  PropertyDiff,
  StepSummary,
} from "../../engine/events";
export type {
  Choices,
  DestroySettings,
  OperationReport,
  OperationSettings,
  OutputMap,
  OutputValue,
  PreviewableSettings,
  PreviewSettings,
  RefreshSettings,
  UpdateSettings,
} from "../../engine/settings";
export { OperationFailedError } from "../../engine/settings";
export type { ConfigValue, StackOptions } from "../../engine/stack";

/**
 * One stack of a project on Pulumi's file backend, run by the engine of this package, which serves this package's
 * resources in this process. Named as in Pulumi's Automation API.
 */
export const EmbeddedStack = stacksWith(machineProviderHost());
export type EmbeddedStack = Stack;

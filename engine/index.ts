export type { Choices } from "./choices";
export type { ChangeSummary, EngineEvent, Op, OperationKind, Outcomes, PropertyDiff, StepSummary } from "./events";
export type {
  DestroySettings,
  OperationReport,
  OperationSettings,
  OutputMap,
  OutputValue,
  PreviewableSettings,
  PreviewSettings,
  RefreshSettings,
  UpdateSettings,
} from "./settings";
export type { ConfigValue, StackOptions } from "./stack";

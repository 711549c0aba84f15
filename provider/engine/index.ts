export type { ChangeSummary, EngineEvent, Op, OperationKind, PropertyDiff, StepSummary } from "./events";
export { type ConfigValue, EmbeddedStack, type StackOptions } from "./stack";
export type {
  OperationReport,
  OperationSettings,
  OutputMap,
  OutputValue,
  PreviewableSettings,
  UpdateSettings,
} from "./stack-operation";

export type { Condition, Logic } from "./core/conditions";
export {
  isAborted,
  isAlreadyExists,
  isAmbiguousOutcome,
  isConfigurationError,
  isConflict,
  isDeadline,
  isFailedPrecondition,
  isForbidden,
  isModelPlatformError,
  isNotFound,
  isUnsupportedOperation,
  ModelPlatformError,
} from "./core/errors";
export type { FilterField, FilterFields } from "./pulumi/filter-fields";
export * from "./sdk/index";

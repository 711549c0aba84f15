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

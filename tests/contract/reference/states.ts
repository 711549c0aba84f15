export const jobStates = [
  "JOB_STATE_UNSPECIFIED",
  "JOB_STATE_CREATING",
  "JOB_STATE_RUNNING",
  "JOB_STATE_COMPLETED",
  "JOB_STATE_FAILED",
  "JOB_STATE_CANCELLED",
  "JOB_STATE_DELETING",
  "JOB_STATE_WRITING_RESULTS",
  "JOB_STATE_VALIDATING",
  "JOB_STATE_DELETING_CLEANING_UP",
  "JOB_STATE_PENDING",
  "JOB_STATE_EXPIRED",
  "JOB_STATE_RE_QUEUEING",
  "JOB_STATE_CREATING_INPUT_DATASET",
  "JOB_STATE_IDLE",
  "JOB_STATE_CANCELLING",
  "JOB_STATE_EARLY_STOPPED",
  "JOB_STATE_PAUSED",
  "JOB_STATE_DELETED",
] as const;

/** A071. `JOB_STATE_ARCHIVED` is seen in answers though it is not a documented value. */
export const jobStateClasses = {
  unset: ["JOB_STATE_UNSPECIFIED"],
  active: [
    "JOB_STATE_CREATING",
    "JOB_STATE_PENDING",
    "JOB_STATE_VALIDATING",
    "JOB_STATE_CREATING_INPUT_DATASET",
    "JOB_STATE_RUNNING",
    "JOB_STATE_WRITING_RESULTS",
    "JOB_STATE_RE_QUEUEING",
    "JOB_STATE_CANCELLING",
  ],
  success: ["JOB_STATE_COMPLETED", "JOB_STATE_EARLY_STOPPED"],
  failure: ["JOB_STATE_FAILED", "JOB_STATE_CANCELLED", "JOB_STATE_EXPIRED"],
  resting: ["JOB_STATE_PAUSED", "JOB_STATE_IDLE"],
  gone: ["JOB_STATE_DELETING", "JOB_STATE_DELETING_CLEANING_UP", "JOB_STATE_DELETED", "JOB_STATE_ARCHIVED"],
} as const;

export const undocumentedJobStates = ["JOB_STATE_ARCHIVED"] as const;

export const deployedModelStates = ["STATE_UNSPECIFIED", "UNDEPLOYING", "DEPLOYING", "DEPLOYED", "UPDATING"] as const;

export const userStates = ["STATE_UNSPECIFIED", "CREATING", "READY", "UPDATING", "DELETING"] as const;

export const modelStates = ["STATE_UNSPECIFIED", "UPLOADING", "READY"] as const;

export const deploymentStates = [
  "STATE_UNSPECIFIED",
  "CREATING",
  "READY",
  "DELETING",
  "FAILED",
  "UPDATING",
  "DELETED",
] as const;

export const storedResponseStatuses = ["completed", "in_progress", "incomplete", "failed", "cancelled"] as const;

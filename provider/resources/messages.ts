import { z } from "zod";
import { Flag, nameOf, Text, Timestamp } from "../core/atoms";
import { closedMessage, field, message, openEnum, optional, secret } from "../core/fields";

/** Messages and enums that more than one resource carries. */

export const Status = message("Status", {
  code: Text.optional().describe("What became of the last operation; `OK` when it went well."),
  message: Text.optional().describe("Detail for people."),
}).describe("Outcome of the last operation on the object.");

export const AcceleratorType = openEnum(
  "ACCELERATOR_TYPE_UNSPECIFIED",
  "VENDOR1_A100_80GB",
  "VENDOR1_H100_80GB",
  "VENDOR2_MI300X_192GB",
  "VENDOR1_A10G_24GB",
  "VENDOR1_A100_40GB",
  "VENDOR1_L4_24GB",
  "VENDOR1_H200_141GB",
  "VENDOR1_B200_180GB",
  "VENDOR2_MI325X_256GB",
  "VENDOR2_MI350X_288GB",
  "VENDOR1_B300_288GB",
  "VENDOR1_GB200",
  "VENDOR1_GB300",
);

export const Precision = openEnum(
  "PRECISION_UNSPECIFIED",
  "FP16",
  "FP8",
  "FP8_MM",
  "FP8_AR",
  "FP8_MM_KV_ATTN",
  "FP8_KV",
  "FP8_MM_V2",
  "FP8_V2",
  "FP8_MM_KV_ATTN_V2",
  "NF4",
  "FP4",
  "BF16",
  "FP4_BLOCKSCALED_MM",
  "FP4_MX_MOE",
);

/** Geographies. As a policy value the enum is closed: a typing error would mean "unrestricted" (A002). */
export const multiRegions = ["MULTI_REGION_UNSPECIFIED", "GLOBAL", "US", "CANADA", "EUROPE", "APAC"] as const;

export const CloudS3Config = closedMessage(
  "CloudS3Config",
  optional({
    credentialsSecret: nameOf("secrets").describe("Secret that holds the credentials."),
    iamRoleArn: Text.describe("Role to assume instead of using credentials."),
  }),
).describe("Object-storage access for the dataset.");

export const BlobStorageConfig = closedMessage(
  "BlobStorageConfig",
  optional({
    credentialsSecret: nameOf("secrets").describe("Secret that holds the credentials."),
    managedIdentityClientId: Text.describe("Client id of a managed identity to use instead of credentials."),
    tenantId: Text.describe("Tenant of the managed identity."),
  }),
).describe("Blob-storage access for the dataset.");

export const TrackingConfig = closedMessage(
  "TrackingConfig",
  optional({
    enabled: Flag.describe("Whether progress is logged."),
    apiKey: secret(field(Text, { inputOnly: true })).describe("Key of the experiment-tracking account."),
    project: Text.describe("Project to log to."),
    entity: Text.describe("Team or person the project belongs to."),
    runId: Text.describe("Run to continue; a new one otherwise."),
    url: field(Text, { outputOnly: true }).describe("Page of the run; set by the service."),
  }),
).describe("Experiment-tracking account that progress is logged to.");

export const JobProgress = message("JobProgress", {
  percent: z.number().optional().describe("Percent done."),
  epoch: z.number().optional().describe("Current pass over the dataset."),
  totalInputRequests: z.number().optional().describe("Requests in the input."),
  totalProcessedRequests: z.number().optional().describe("Requests processed, failed ones included."),
  successfullyProcessedRequests: z.number().optional().describe("Requests processed without error."),
  failedRequests: z.number().optional().describe("Requests that failed."),
  outputRows: z.number().optional().describe("Rows written."),
  inputTokens: z.number().optional().describe("Tokens read."),
  outputTokens: z.number().optional().describe("Tokens written."),
  cachedInputTokenCount: z.number().optional().describe("Input tokens served from a cache."),
}).describe("How far the job is.");

export const JobState = openEnum(
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
);

export const DeployedModelState = openEnum("STATE_UNSPECIFIED", "UNDEPLOYING", "DEPLOYING", "DEPLOYED", "UPDATING");

export const Purpose = openEnum("PURPOSE_UNSPECIFIED", "PURPOSE_PILOT").describe("Scheduling purpose.");

/** What every answered object tells about itself. */
export const times = {
  createTime: field(Timestamp, { watched: true, sameAs: "instant", severity: "error" })
    .optional()
    .describe("When the object was made."),
  updateTime: Timestamp.optional().describe("When the object last changed."),
};

/** What every job tells about itself besides its own outputs. */
export const jobOutputs = {
  name: Text.describe("Resource name of the job."),
  createTime: times.createTime,
  completedTime: Timestamp.optional().describe("When the job ended."),
  state: JobState.optional().describe("Place in the life cycle."),
  status: Status.optional(),
  createdBy: Text.optional().describe("E-mail address of the user who started the job."),
  jobProgress: JobProgress.optional(),
  outputModelName: Text.optional().describe("Resource name of the resulting model."),
  retired: Flag.optional().describe(
    "The job succeeded, and the service has since removed its record; it is not run again.",
  ),
};

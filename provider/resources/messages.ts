import { z } from "zod";
import { Flag, nameOf, Text, Timestamp } from "../core/fields/atoms";
import { closedMessage, field, message, openEnum, optional, secret } from "../core/fields/fields";

/** Messages and enums that more than one resource carries. */

export const Status = message("Status", {
  code: Text.optional().describe("Outcome as a code; `OK` when the operation succeeded."),
  message: Text.optional().describe("What went wrong, in words for people."),
}).describe("How the last operation on the object ended.");

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
    credentialsSecret: nameOf("secrets").describe("Secret of the account that holds the credentials."),
    iamRoleArn: Text.describe("ARN of the role that the service assumes instead of using credentials."),
  }),
).describe("How the service gets access to the object storage that holds the dataset.");

export const BlobStorageConfig = closedMessage(
  "BlobStorageConfig",
  optional({
    credentialsSecret: nameOf("secrets").describe("Secret of the account that holds the credentials."),
    managedIdentityClientId: Text.describe(
      "Client id of the managed identity that the service uses instead of credentials.",
    ),
    tenantId: Text.describe("Id of the tenant that the managed identity belongs to."),
  }),
).describe("How the service gets access to the blob storage that holds the dataset.");

export const TrackingConfig = closedMessage(
  "TrackingConfig",
  optional({
    enabled: Flag.describe("Whether the job logs its progress."),
    apiKey: secret(field(Text, { inputOnly: true })).describe("API key of the experiment-tracking account."),
    project: Text.describe("Project of the tracking account that the job logs to."),
    entity: Text.describe("Team or person that the project belongs to."),
    runId: field(Text, { default: "a new run" }).describe("Run of the tracking account that the job continues."),
    url: field(Text, { outputOnly: true }).describe("Address of the page that shows the run; set by the service."),
  }),
).describe("Experiment-tracking account that the job logs its progress to.");

export const JobProgress = message("JobProgress", {
  percent: z.number().optional().describe("How much of the job is done, in percent."),
  epoch: z.number().optional().describe("Pass over the dataset that the job is in."),
  totalInputRequests: z.number().optional().describe("Number of requests that the job has to process."),
  totalProcessedRequests: z
    .number()
    .optional()
    .describe("Number of requests that were processed, failed ones included."),
  successfullyProcessedRequests: z
    .number()
    .optional()
    .describe("Number of requests that were processed without an error."),
  failedRequests: z.number().optional().describe("Number of requests that ended with an error."),
  outputRows: z.number().optional().describe("Number of rows that the job has written."),
  inputTokens: z.number().optional().describe("Number of tokens that the job has read."),
  outputTokens: z.number().optional().describe("Number of tokens that the job has written."),
  cachedInputTokenCount: z.number().optional().describe("Number of tokens of the input that came from a cache."),
}).describe("How far the job has got.");

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
).meta({ id: "JobState" });

export const DeployedModelState = openEnum("STATE_UNSPECIFIED", "UNDEPLOYING", "DEPLOYING", "DEPLOYED", "UPDATING");

export const Purpose = openEnum("PURPOSE_UNSPECIFIED", "PURPOSE_PILOT").describe(
  "What the job is for, which the service schedules it by.",
);

/** What every answered object tells about itself. */
export const times = {
  createTime: field(Timestamp, { watched: true, sameAs: "instant", severity: "error" })
    .optional()
    .describe("When the service created the object."),
  updateTime: Timestamp.optional().describe("When the object was last changed."),
};

/** What every job tells about itself besides its own outputs. */
export const jobOutputs = {
  name: Text.describe("Resource name of the job, with its id as the last segment."),
  createTime: times.createTime,
  completedTime: Timestamp.optional().describe("When the job ended, whatever its outcome."),
  state: JobState.optional().describe("Where the object is in its life cycle."),
  status: Status.optional(),
  createdBy: Text.optional().describe("E-mail address of the user who created the job."),
  jobProgress: JobProgress.optional(),
  outputModelName: Text.optional().describe(
    "Resource name of the model that the job makes, known before there is one.",
  ),
  retired: Flag.optional().describe(
    "Whether the job succeeded and the service has since removed its record. Such a job is not run again.",
  ),
};

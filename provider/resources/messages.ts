import { BooleanField, nameOf, ObjectName, TextField, Timestamp } from "../core/fields/atoms";
import { closedMessage, field, guarded, message, openEnum, optional, secret } from "../core/fields/fields";
import { z } from "../core/zod";

/** How a preflight finds what another object refers to, and what it reads there. */

export const models = { kind: "Model", base: "peftDetails.baseModel" } as const;

export const shapes = {
  kind: "DeploymentShapeVersion",
  snapshot: "snapshot",
  model: "snapshot.baseModel",
  latest: "latestValidated",
  hardware: ["acceleratorType", "acceleratorCount", "precision"],
} as const;

/** Messages and enums that more than one resource carries. */

export const Status = message("Status", {
  code: field(TextField, { sameAs: "grpcCode" })
    .optional()
    .describe("Outcome as a code; `OK` when the operation succeeded."),
  message: TextField.optional().describe("What went wrong, in words for people."),
}).describe("How the last operation on the object ended.");

export const AcceleratorType = openEnum({
  ACCELERATOR_TYPE_UNSPECIFIED: "No type: the service chooses one.",
  VENDOR1_A100_80GB: "Replicas run on A100 accelerators of vendor 1, each with 80 GB of memory.",
  VENDOR1_H100_80GB: "Replicas run on H100 accelerators of vendor 1, each with 80 GB of memory.",
  VENDOR2_MI300X_192GB: "Replicas run on MI300X accelerators of vendor 2, each with 192 GB of memory.",
  VENDOR1_A10G_24GB: "Replicas run on A10G accelerators of vendor 1, each with 24 GB of memory.",
  VENDOR1_A100_40GB: "Replicas run on A100 accelerators of vendor 1, each with 40 GB of memory.",
  VENDOR1_L4_24GB: "Replicas run on L4 accelerators of vendor 1, each with 24 GB of memory.",
  VENDOR1_H200_141GB: "Replicas run on H200 accelerators of vendor 1, each with 141 GB of memory.",
  VENDOR1_B200_180GB: "Replicas run on B200 accelerators of vendor 1, each with 180 GB of memory.",
  VENDOR2_MI325X_256GB: "Replicas run on MI325X accelerators of vendor 2, each with 256 GB of memory.",
  VENDOR2_MI350X_288GB: "Replicas run on MI350X accelerators of vendor 2, each with 288 GB of memory.",
  VENDOR1_B300_288GB: "Replicas run on B300 accelerators of vendor 1, each with 288 GB of memory.",
  VENDOR1_GB200: "Replicas run on GB200 accelerators of vendor 1.",
  VENDOR1_GB300: "Replicas run on GB300 accelerators of vendor 1.",
});

export const Precision = openEnum({
  PRECISION_UNSPECIFIED: "No format: the service chooses one.",
  FP16: "16-bit floating point: half precision.",
  FP8: "8-bit floating point.",
  FP8_MM: "8-bit floating point, in the service's variant `MM`.",
  FP8_AR: "8-bit floating point, in the service's variant `AR`.",
  FP8_MM_KV_ATTN: "8-bit floating point, in the service's variant `MM_KV_ATTN`.",
  FP8_KV: "8-bit floating point, in the service's variant `KV`.",
  FP8_MM_V2: "8-bit floating point, in the service's variant `MM_V2`.",
  FP8_V2: "8-bit floating point, in the service's variant `V2`.",
  FP8_MM_KV_ATTN_V2: "8-bit floating point, in the service's variant `MM_KV_ATTN_V2`.",
  NF4: "4-bit normal float.",
  FP4: "4-bit floating point.",
  BF16: "16-bit brain floating point (bfloat16).",
  FP4_BLOCKSCALED_MM: "4-bit floating point, in the service's variant `BLOCKSCALED_MM`.",
  FP4_MX_MOE: "4-bit floating point, in the service's variant `MX_MOE`.",
});

export const CloudS3Config = closedMessage(
  "CloudS3Config",
  optional({
    credentialsSecret: nameOf("secrets").describe("Secret of the account that holds the credentials."),
    iamRoleArn: TextField.describe("ARN of the role that the service assumes instead of using credentials."),
  }),
).describe("How the service gets access to the object storage that holds the dataset.");

export const BlobStorageConfig = closedMessage(
  "BlobStorageConfig",
  optional({
    credentialsSecret: nameOf("secrets").describe("Secret of the account that holds the credentials."),
    managedIdentityClientId: TextField.describe(
      "Client id of the managed identity that the service uses instead of credentials.",
    ),
    tenantId: TextField.describe("Id of the tenant that the managed identity belongs to."),
  }),
).describe("How the service gets access to the blob storage that holds the dataset.");

export const TrackingConfig = closedMessage(
  "TrackingConfig",
  optional({
    enabled: BooleanField.describe("Whether the job logs its progress."),
    apiKey: secret(field(TextField, { inputOnly: true })).describe("API key of the experiment-tracking account."),
    project: TextField.describe("Project of the tracking account that the job logs to."),
    entity: TextField.describe("Team or person that the project belongs to."),
    runId: field(TextField, { default: "a new run" }).describe("Run of the tracking account that the job continues."),
    url: field(TextField, { outputOnly: true }).describe("Address of the page that shows the run; set by the service."),
  }),
).describe("Experiment-tracking account that the job logs its progress to.");

const JobProgress = message("JobProgress", {
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

const JobState = openEnum({
  JOB_STATE_UNSPECIFIED: "The service reports no state.",
  JOB_STATE_CREATING: "The service is setting the job up.",
  JOB_STATE_RUNNING: "The job is training.",
  JOB_STATE_COMPLETED: "The job succeeded, and its model exists.",
  JOB_STATE_FAILED: "The job did not succeed; `status` says why.",
  JOB_STATE_CANCELLED: "The job was stopped before its end, which counts as a failure.",
  JOB_STATE_DELETING: "The service is deleting the job, which counts as gone.",
  JOB_STATE_WRITING_RESULTS: "Training is over, and the service is storing the results.",
  JOB_STATE_VALIDATING: "The service is checking the job.",
  JOB_STATE_DELETING_CLEANING_UP: "The service is removing what the job left; it counts as gone.",
  JOB_STATE_PENDING: "The job has not started yet.",
  JOB_STATE_EXPIRED: "The job ran out of time, which counts as a failure.",
  JOB_STATE_RE_QUEUEING: "The service is putting the job back into its queue.",
  JOB_STATE_CREATING_INPUT_DATASET: "The service is preparing the dataset that the job reads.",
  JOB_STATE_IDLE: "The job waits for someone to give it work.",
  JOB_STATE_CANCELLING: "The service is stopping the job.",
  JOB_STATE_EARLY_STOPPED: "The job succeeded before its last epoch, because it no longer improved.",
  JOB_STATE_PAUSED:
    "The job waits for someone to resume it, typically because the account is suspended or somebody paused it.",
  JOB_STATE_DELETED: "The job is gone; its id can never be used again.",
}).meta({ id: "JobState" });

export const DeployedModelState = openEnum({
  STATE_UNSPECIFIED: "The service reports no state.",
  UNDEPLOYING: "The service is unloading the model from its deployment.",
  DEPLOYING: "The service is loading the model onto its deployment.",
  DEPLOYED: "The model is loaded, and answers requests.",
  UPDATING: "The service is applying a change of the deployed model.",
});

export const Purpose = openEnum({
  PURPOSE_UNSPECIFIED: "No purpose: as if unset.",
  PURPOSE_PILOT: "The job is scheduled as a pilot run.",
}).describe("What the job is for, which the service schedules it by.");

/** Fields of every object in a response. */
export const times = {
  createTime: guarded(Timestamp, { sameAs: "instant" }).optional().describe("When the service created the object."),
  updateTime: Timestamp.optional().describe("When the object was last changed."),
};

/** Fields of every job besides its own outputs; `chosen` is where a program names the model. */
export const jobOutputs = (chosen: string) => ({
  name: ObjectName.describe("Resource name of the job, with its id as the last segment."),
  createTime: times.createTime,
  completedTime: Timestamp.optional().describe("When the job ended, whatever its outcome."),
  state: JobState.optional().describe("Where the object is in its life cycle."),
  status: Status.optional(),
  createdBy: TextField.optional().describe("E-mail address of the user who created the job."),
  jobProgress: JobProgress.optional(),
  outputModelName: field(nameOf("models"), {
    follows: { template: "accounts/{account}/models/{value}", from: [chosen, "id"] },
  })
    .optional()
    .describe("Resource name of the model that the job makes, known before there is one."),
  retired: BooleanField.optional().describe(
    "Whether the job succeeded and the service has since removed its record. Such a job is not run again.",
  ),
});

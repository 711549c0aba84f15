import { defineResource, resourceId } from "../core/declaration/resource";
import {
  BooleanField,
  Money,
  NonNegativeInt,
  publicNameOf,
  ResourceId,
  TextField,
  Timestamp,
} from "../core/fields/atoms";
import { closedMessage, field, immutable, optional, providerOption, secret } from "../core/fields/fields";
import { z } from "../core/zod";
import {
  cosmetic,
  jobBehaviours,
  jobIdentity,
  jobLifecycle,
  jobTimeouts,
  metricsFileSignedUrl,
  OutputModel,
  oneEvaluation,
  PositiveCount,
  Rate,
  singleRunId,
  startingPoint,
} from "./jobs";
import { BlobStorageConfig, CloudS3Config, jobOutputs, models, Purpose, TrackingConfig } from "./messages";

const firstGeneration = { ...cosmetic, deprecated: "it is kept for first-generation jobs only; drop it" };

const CostBound = closedMessage("CostBound", {
  currencyCode: z
    .string()
    .regex(/^[A-Z]{3}$/, { error: "must be three capital letters such as `USD`" })
    .describe("Currency that the service estimates in, as its three-letter code."),
  units: z
    .string()
    .regex(/^\d+$/, { error: 'must be a whole number written as a string, such as `"40"`' })
    .describe("Whole units of the currency, as a string of digits."),
  nanos: z.int().min(0).max(999_999_999).optional().describe("Fraction of a unit of the currency, in billionths."),
});

export const SupervisedFineTuningJob = defineResource("SupervisedFineTuningJob", {
  summary: "A training run that fine-tunes a model on a dataset. Its outcome is a new model.",
  collection: "supervisedFineTuningJobs",
  name: "accounts/{account}/supervisedFineTuningJobs/{supervisedFineTuningJobId}",
  identity: jobIdentity,
  deletion: "forever",
  inputs: z.strictObject({
    supervisedFineTuningJobId: resourceId(
      field(ResourceId, { default: "derived from the Pulumi name", example: "support-2026-01" }),
    )
      .optional()
      .describe("Id of the job: the last segment of its resource name. The service never gives an id to another job."),
    ...optional({
      dataset: immutable(publicNameOf("datasets")).describe("Dataset that the job trains on."),
      displayName: field(TextField, cosmetic).describe("Display name, shown instead of the id."),
      cloudS3Config: field(CloudS3Config, cosmetic),
      blobStorageConfig: field(BlobStorageConfig, cosmetic),
      outputModel: immutable(OutputModel).describe("Model that the job makes. Its id alone is enough."),
      baseModel: immutable(publicNameOf("models")).describe("Model that the job fine-tunes."),
      warmStartFrom: immutable(publicNameOf("models")).describe("PEFT addon that the job continues to train."),
      jinjaTemplate: immutable(TextField).describe("Jinja template that turns a row of the dataset into a prompt."),
      earlyStop: immutable(BooleanField).describe("Whether to stop when the validation loss no longer improves."),
      epochs: immutable(PositiveCount).describe("Number of passes over the dataset."),
      learningRate: immutable(Rate).describe("Step size of the optimizer. The service keeps it with 32 bits."),
      maxContextLength: immutable(NonNegativeInt).describe("Longest context that the model is trained with."),
      loraRank: immutable(NonNegativeInt).describe("Rank of the LoRA adapter; 0 trains all parameters."),
      trackingConfig: secret(field(TrackingConfig, cosmetic)),
      evaluationDataset: immutable(publicNameOf("datasets")).describe("Dataset that the model is evaluated on."),
      isTurbo: immutable(BooleanField).describe("Whether the job runs in turbo mode."),
      evalAutoCarveout: immutable(BooleanField).describe("Whether to set part of the dataset aside for evaluation."),
      nodes: field(NonNegativeInt, firstGeneration).describe(
        "Number of machines, for first-generation jobs. Current jobs ignore it.",
      ),
      batchSize: immutable(NonNegativeInt).describe("How much of the dataset goes into one training batch."),
      mtpEnabled: field(BooleanField, firstGeneration).describe(
        "Whether multi-token prediction is trained, for first-generation jobs.",
      ),
      mtpNumDraftTokens: field(NonNegativeInt, firstGeneration).describe(
        "Number of draft tokens of multi-token prediction, for first-generation jobs.",
      ),
      mtpFreezeBaseModel: field(BooleanField, firstGeneration).describe(
        "Whether multi-token prediction leaves the base model unchanged, for first-generation jobs.",
      ),
      metricsFileSignedUrl,
      gradientAccumulationSteps: immutable(NonNegativeInt).describe(
        "Number of batches that make up one step of the optimizer.",
      ),
      learningRateWarmupSteps: immutable(NonNegativeInt).describe(
        "Number of steps in which the learning rate rises to its full value.",
      ),
      batchSizeSamples: immutable(NonNegativeInt).describe("Number of samples in a gradient batch."),
      optimizerWeightDecay: immutable(Rate).describe("Strength of the L2 regularization."),
      purpose: field(Purpose, cosmetic),
    }),
    ...jobBehaviours,
    maxEstimatedCost: field(providerOption(CostBound), { example: { currencyCode: "USD", units: "40" } })
      .optional()
      .describe(
        "Most that the run may be expected to cost. While create waits, a job whose `estimatedCost` is higher, or in another currency, is cancelled; `onFailure` does not run it again.",
      ),
  }),
  outputs: z.object({
    ...jobOutputs("outputModel"),
    updateTime: Timestamp.optional().describe("When the job was last changed."),
    trainerLogsSignedUrl: secret(field(TextField, { volatile: true }))
      .optional()
      .describe("Signed address that the log of the trainer is downloaded from, where the account may read it."),
    estimatedCost: Money.optional().describe("What the service expects the run to cost."),
  }),
  billing: {
    by: "trainingToken",
    estimate: "estimatedCost",
    tokens: "jobProgress.inputTokens",
    dataset: "dataset",
    epochs: "epochs",
  },
  costLimit: { input: "maxEstimatedCost", output: "estimatedCost" },
  rules: [{ rule: "exclusive", fields: ["baseModel", "warmStartFrom"] }],
  cautions: [startingPoint("baseModel", "warmStartFrom"), oneEvaluation, singleRunId("supervisedFineTuningJobId")],
  operations: {
    create: {
      route:
        "POST /v1/accounts/{account}/supervisedFineTuningJobs?supervisedFineTuningJobId={supervisedFineTuningJobId}",
      provenance: "listed",
      convention: "A011",
    },
    get: { route: "GET /v1/{name}?readMask={readMask}", provenance: "conventional", convention: "A070" },
    list: {
      route:
        "GET /v1/accounts/{account}/supervisedFineTuningJobs?pageSize={pageSize}&pageToken={pageToken}&filter={filter}&orderBy={orderBy}&readMask={readMask}",
      provenance: "listed",
    },
    delete: { route: "DELETE /v1/{name}", provenance: "conventional", convention: "A070" },
    cancel: { route: "POST /v1/{name}:cancel", provenance: "conventional", convention: "A070" },
    resume: { route: "POST /v1/{name}:resume", provenance: "conventional", convention: "A070" },
  },
  lifecycle: { ...jobLifecycle, goal: [{ is: "terminal" }] },
  timeouts: jobTimeouts,
  produces: { kind: "Model", name: "outputModelName", backReference: "fineTuningJob" },
  preflight: {
    model: { at: ["baseModel", "warmStartFrom"], ...models },
    grant: "allowTraining",
    retention: "training",
    tunable: {
      rank: "loraRank",
      lora: "supervisedLoraTunable",
      full: "supervisedFullParameterTunable",
      legacy: "tunable",
      public: "public",
    },
  },
  listOrder: "name",
  example: {
    dataset: "accounts/demo/datasets/support-tickets",
    baseModel: "accounts/platform/models/open-8b",
    epochs: 2,
    learningRate: 0.0001,
    outputModel: "support-8b",
  },
});

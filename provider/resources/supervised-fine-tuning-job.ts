import { z } from "zod";
import { Count, Flag, Float, Money, nameOf, ResourceId, Text, Timestamp } from "../core/atoms";
import { behaviour, closedMessage, field, immutable, optional, secret } from "../core/fields";
import { defineResource, resourceId } from "../core/resource";
import {
  cosmetic,
  jobBehaviours,
  jobIdentity,
  jobLifecycle,
  jobTimeouts,
  metricsFileSignedUrl,
  startingPoint,
} from "./jobs";
import { models } from "./lookups";
import { BlobStorageConfig, CloudS3Config, jobOutputs, Purpose, TrackingConfig } from "./messages";

const firstGeneration = { ...cosmetic, deprecated: "it is kept for first-generation jobs only; drop it" };

const CostBound = closedMessage("CostBound", {
  currencyCode: z
    .string()
    .regex(/^[A-Z]{3}$/, { error: "must be three capital letters such as `USD`" })
    .describe("Three-letter code of the currency that the service estimates in."),
  units: z
    .string()
    .regex(/^\d+$/, { error: 'must be a whole number written as a string, such as `"40"`' })
    .describe("Whole units, as a string of digits."),
  nanos: z.int().min(0).max(999_999_999).optional().describe("Billionths of a unit."),
});

export const SupervisedFineTuningJob = defineResource("SupervisedFineTuningJob", {
  summary: "A training run that fine-tunes a model on a dataset; its desired outcome is a model.",
  collection: "supervisedFineTuningJobs",
  name: "accounts/{account}/supervisedFineTuningJobs/{supervisedFineTuningJobId}",
  identity: jobIdentity,
  deletion: "forever",
  inputs: z.strictObject({
    supervisedFineTuningJobId: resourceId(ResourceId)
      .optional()
      .describe("Last segment of the resource name. Default: made from the Pulumi name. A job id is never free again."),
    ...optional({
      dataset: immutable(nameOf("datasets")).describe("Dataset to train on."),
      displayName: field(Text, cosmetic).describe("Name shown to people."),
      cloudS3Config: field(CloudS3Config, cosmetic),
      blobStorageConfig: field(BlobStorageConfig, cosmetic),
      outputModel: immutable(nameOf("models")).describe("Id of the resulting model. Default: the job's id."),
      baseModel: immutable(nameOf("models")).describe("Model to fine-tune; not together with `warmStartFrom`."),
      warmStartFrom: immutable(nameOf("models")).describe(
        "PEFT addon to continue from; not together with `baseModel`.",
      ),
      jinjaTemplate: immutable(Text).describe("Template that turns rows into prompts."),
      earlyStop: immutable(Flag).describe("Stops when the validation loss no longer improves."),
      epochs: immutable(Count).describe("Passes over the dataset."),
      learningRate: immutable(Float).describe("Step size of the optimizer; kept with 32 bits."),
      maxContextLength: immutable(Count).describe("Maximum context length."),
      loraRank: immutable(Count).describe("Rank of the adapter; 0 trains all parameters."),
      trackingConfig: secret(field(TrackingConfig, cosmetic)),
      evaluationDataset: immutable(nameOf("datasets")).describe("Dataset to evaluate on."),
      isTurbo: immutable(Flag).describe("Runs in turbo mode."),
      evalAutoCarveout: immutable(Flag).describe("Sets part of the dataset aside for evaluation."),
      nodes: field(Count, firstGeneration).describe("Ignored by current jobs."),
      batchSize: immutable(Count).describe("Size of a batch."),
      mtpEnabled: field(Flag, firstGeneration).describe("First-generation jobs only."),
      mtpNumDraftTokens: field(Count, firstGeneration).describe("First-generation jobs only."),
      mtpFreezeBaseModel: field(Flag, firstGeneration).describe("First-generation jobs only."),
      metricsFileSignedUrl,
      gradientAccumulationSteps: immutable(Count).describe("Batches per optimizer step."),
      learningRateWarmupSteps: immutable(Count).describe("Steps until the full learning rate."),
      batchSizeSamples: immutable(Count).describe("Samples per gradient batch."),
      optimizerWeightDecay: immutable(Float).describe("L2 regularization."),
      purpose: field(Purpose, cosmetic),
    }),
    ...jobBehaviours,
    maxEstimatedCost: behaviour(CostBound)
      .optional()
      .describe(
        'Most that the run may be expected to cost, such as `{ currencyCode: "USD", units: "40" }`. While create waits, a job whose `estimatedCost` is above it, or in another currency, is cancelled, and not run again by `onFailure`.',
      ),
  }),
  outputs: z.object({
    ...jobOutputs,
    updateTime: Timestamp.optional().describe("When the job last changed."),
    trainerLogsSignedUrl: secret(field(Text, { volatile: true }))
      .optional()
      .describe("Signed address of the trainer's log, where the account may read it."),
    estimatedCost: Money.optional().describe("What the run is expected to cost."),
  }),
  costLimit: { input: "maxEstimatedCost", output: "estimatedCost" },
  rules: [{ rule: "exclusive", fields: ["baseModel", "warmStartFrom"] }],
  cautions: [startingPoint("baseModel", "warmStartFrom")],
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
  derived: { outputModelName: { template: "accounts/{account}/models/{value}", from: ["outputModel", "id"] } },
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

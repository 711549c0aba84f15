import { z } from "zod";
import { Count, Flag, Float, Int64, nameOf, ResourceId, Text } from "../core/atoms";
import { closedMessage, field, immutable, openEnum, optional, secret } from "../core/fields";
import { defineResource, resourceId } from "../core/resource";
import { cosmetic, jobBehaviours, jobIdentity, jobLifecycle, jobTimeouts, startingPoint } from "./jobs";
import { models } from "./lookups";
import { BlobStorageConfig, CloudS3Config, jobOutputs, Purpose, TrackingConfig } from "./messages";

const TrainerShardingScheme = closedMessage(
  "TrainerShardingScheme",
  optional({
    tensorParallelism: Count.describe("Ways that tensors are split."),
    pipelineParallelism: Count.describe("Stages that layers are split into."),
    contextParallelism: Count.describe("Ways that a context is split."),
    expertParallelism: Count.describe("Ways that experts are split."),
    sequenceParallelism: Flag.describe("Whether sequences are split."),
  }),
);

const TrainingConfig = closedMessage(
  "TrainingConfig",
  optional({
    outputModel: nameOf("models").describe("Id of the resulting model. Default: the job's id."),
    baseModel: nameOf("models").describe("Model to fine-tune."),
    warmStartFrom: nameOf("models").describe("PEFT addon to continue from."),
    jinjaTemplate: Text.describe("Template that turns rows into prompts."),
    learningRate: Float.describe("Step size of the optimizer; kept with 32 bits."),
    maxContextLength: Count.describe("Maximum context length."),
    loraRank: Count.describe("Rank of the adapter; 0 trains all parameters."),
    epochs: Count.describe("Passes over the dataset."),
    batchSize: Count.describe("Size of a batch."),
    gradientAccumulationSteps: Count.describe("Batches per optimizer step."),
    learningRateWarmupSteps: Count.describe("Steps until the full learning rate."),
    batchSizeSamples: Count.describe("Samples per gradient batch."),
    optimizerWeightDecay: Float.describe("L2 regularization."),
    trainerShardingScheme: TrainerShardingScheme.describe("How training is spread over accelerators."),
    loraAlpha: Float.describe("Scale of the adapter."),
    loraDropout: Float.describe("Share of the adapter dropped while training."),
    loraTargetModules: field(z.array(Text), { setOf: true }).describe("Modules that the adapter changes."),
  }),
);

const LossConfig = closedMessage(
  "LossConfig",
  optional({
    method: openEnum("METHOD_UNSPECIFIED").describe("Loss to train with."),
    klBeta: Float.describe("Weight of the divergence from the reference model."),
    dpo: closedMessage(
      "DpoConfig",
      optional({
        beta: Float.describe("Strength of the preference."),
        refCacheConcurrency: Count.describe("Requests in flight when the reference is cached."),
        refCacheBatchSize: Count.describe("Rows per request when the reference is cached."),
      }),
    ).describe("Direct preference optimization."),
    orpo: closedMessage("OrpoConfig", optional({ lambda: Float.describe("Weight of the odds ratio.") })).describe(
      "Odds-ratio preference optimization.",
    ),
  }),
);

export const RlorTrainerJob = defineResource("RlorTrainerJob", {
  summary: "A reinforcement fine-tuning step.",
  collection: "rlorTrainerJobs",
  name: "accounts/{account}/rlorTrainerJobs/{rlorTrainerJobId}",
  identity: jobIdentity,
  deletion: "forever",
  inputs: z.strictObject({
    rlorTrainerJobId: resourceId(ResourceId)
      .optional()
      .describe("Last segment of the resource name. Default: made from the Pulumi name. A job id is never free again."),
    ...optional({
      displayName: field(Text, cosmetic).describe("Name shown to people."),
      dataset: immutable(nameOf("datasets")).describe("Dataset to train on."),
      evaluationDataset: immutable(nameOf("datasets")).describe("Dataset to evaluate on."),
      evalAutoCarveout: immutable(Flag).describe("Sets part of the dataset aside for evaluation."),
      trainingConfig: immutable(TrainingConfig).describe("How to train."),
      rewardWeights: field(
        immutable(z.array(z.string().regex(/^[^=]+=.+$/, { error: "must be `<reward name>=<weight>`" }))),
        { setOf: true },
      ).describe("Weight of each reward, as `<reward name>=<weight>`."),
      trackingConfig: secret(field(TrackingConfig, cosmetic)),
      cloudS3Config: field(CloudS3Config, cosmetic),
      blobStorageConfig: field(BlobStorageConfig, cosmetic),
      keepAlive: immutable(Flag).describe("Stays up, idle, when there is nothing to do."),
      rolloutDeploymentName: immutable(nameOf("deployments")).describe(
        "Deployment that new weights are synchronized to. Unset: none.",
      ),
      lossConfig: immutable(LossConfig).describe("What to minimize."),
      nodeCount: field(immutable(Count), { resetTo: 1 }).describe("Machines to train on. Default: 1."),
      serviceMode: immutable(Flag).describe("Serves training requests instead of running a dataset through."),
      hotLoadDeploymentId: immutable(Text).describe(
        "Deployment whose bucket receives checkpoints; only with `serviceMode` or `keepAlive`.",
      ),
      purpose: field(Purpose, cosmetic),
      forwardOnly: immutable(Flag).describe("Runs forward passes only, as a reference model."),
      managedBy: immutable(Text).describe("For managed-service use."),
    }),
    ...jobBehaviours,
  }),
  outputs: z.object({
    ...jobOutputs,
    acceleratorSeconds: z
      .record(z.string(), Int64)
      .optional()
      .describe("Accelerator seconds used, by accelerator type."),
    directRouteHandle: Text.optional().describe("Address of a service-mode trainer."),
  }),
  rules: [
    {
      rule: "onlyWith",
      field: "hotLoadDeploymentId",
      conditions: [
        { field: "serviceMode", in: [true] },
        { field: "keepAlive", in: [true] },
      ],
    },
  ],
  cautions: [startingPoint("trainingConfig.baseModel", "trainingConfig.warmStartFrom")],
  operations: {
    create: {
      route: "POST /v1/accounts/{account}/rlorTrainerJobs?rlorTrainerJobId={rlorTrainerJobId}",
      provenance: "conventional",
      convention: "A011",
    },
    get: { route: "GET /v1/{name}?readMask={readMask}", provenance: "listed" },
    list: {
      route:
        "GET /v1/accounts/{account}/rlorTrainerJobs?pageSize={pageSize}&pageToken={pageToken}&filter={filter}&orderBy={orderBy}&readMask={readMask}",
      provenance: "listed",
    },
    delete: { route: "DELETE /v1/{name}", provenance: "conventional", convention: "A070" },
    cancel: { route: "POST /v1/{name}:cancel", provenance: "conventional", convention: "A070" },
    resume: { route: "POST /v1/{name}:resume", provenance: "conventional", convention: "A070" },
  },
  lifecycle: {
    ...jobLifecycle,
    goal: [
      { when: { field: "keepAlive", in: [true] }, is: "running" },
      { when: { field: "serviceMode", in: [true] }, is: "running" },
      { is: "terminal" },
    ],
  },
  timeouts: jobTimeouts,
  derived: {
    outputModelName: { template: "accounts/{account}/models/{value}", from: ["trainingConfig.outputModel", "id"] },
  },
  produces: { kind: "Model", name: "outputModelName", backReference: "fineTuningJob" },
  preflight: {
    model: { at: ["trainingConfig.baseModel", "trainingConfig.warmStartFrom"], ...models },
    grant: "allowTraining",
    retention: "training",
    tunable: {
      rank: "trainingConfig.loraRank",
      lora: "rlLoraTunable",
      full: "rlFullParameterTunable",
      legacy: "rlTunable",
      public: "public",
    },
  },
  listOrder: "name",
  example: {
    dataset: "accounts/demo/datasets/preferences",
    trainingConfig: { baseModel: "accounts/platform/models/open-8b", epochs: 1 },
    rewardWeights: ["helpful=1.0"],
  },
});

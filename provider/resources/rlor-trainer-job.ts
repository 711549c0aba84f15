import { defineResource, resourceId } from "../core/declaration/resource";
import {
  BooleanField,
  Float,
  Int64,
  NonNegativeInt,
  nameOf,
  publicNameOf,
  ResourceId,
  TextField,
} from "../core/fields/atoms";
import { closedMessage, field, immutable, openEnum, optional, secret, setOf } from "../core/fields/fields";
import { z } from "../core/zod";
import {
  cosmetic,
  jobBehaviours,
  jobIdentity,
  jobLifecycle,
  jobTimeouts,
  OutputModel,
  oneEvaluation,
  PositiveCount,
  Rate,
  singleRunId,
  startingPoint,
} from "./jobs";
import { BlobStorageConfig, CloudS3Config, jobOutputs, models, Purpose, TrackingConfig } from "./messages";

const TrainerShardingScheme = closedMessage(
  "TrainerShardingScheme",
  optional({
    tensorParallelism: NonNegativeInt.describe("Number of accelerators that each tensor is split over."),
    pipelineParallelism: NonNegativeInt.describe("Number of stages that the layers are split into."),
    contextParallelism: NonNegativeInt.describe("Number of accelerators that a context is split over."),
    expertParallelism: NonNegativeInt.describe("Number of accelerators that the experts are split over."),
    sequenceParallelism: BooleanField.describe("Whether sequences are split over accelerators."),
  }),
);

const TrainingConfig = closedMessage(
  "TrainingConfig",
  optional({
    outputModel: OutputModel.describe("Model that the job makes. Its id alone is enough."),
    baseModel: publicNameOf("models").describe("Model that the job fine-tunes."),
    warmStartFrom: publicNameOf("models").describe("PEFT addon that the job continues to train."),
    jinjaTemplate: TextField.describe("Jinja template that turns a row of the dataset into a prompt."),
    learningRate: Rate.describe("Step size of the optimizer. The service keeps it with 32 bits."),
    maxContextLength: NonNegativeInt.describe("Longest context that the model is trained with."),
    loraRank: NonNegativeInt.describe("Rank of the LoRA adapter; 0 trains all parameters."),
    epochs: PositiveCount.describe("Number of passes over the dataset."),
    batchSize: NonNegativeInt.describe("How much of the dataset goes into one training batch."),
    gradientAccumulationSteps: NonNegativeInt.describe("Number of batches that make up one step of the optimizer."),
    learningRateWarmupSteps: NonNegativeInt.describe(
      "Number of steps in which the learning rate rises to its full value.",
    ),
    batchSizeSamples: NonNegativeInt.describe("Number of samples in a gradient batch."),
    optimizerWeightDecay: Rate.describe("Strength of the L2 regularization."),
    trainerShardingScheme: TrainerShardingScheme.describe("How the training is split over accelerators."),
    loraAlpha: Float.describe("Factor that the LoRA adapter is scaled by."),
    loraDropout: Float.describe("Share of the LoRA adapter that is dropped out in training."),
    loraTargetModules: setOf(TextField).describe("Modules of the model that the LoRA adapter changes."),
  }),
);

const LossConfig = closedMessage(
  "LossConfig",
  optional({
    method: openEnum({ METHOD_UNSPECIFIED: "No method: as if unset." }).describe("Loss that the training minimizes."),
    klBeta: Float.describe("Weight of the divergence (KL) from the reference model."),
    dpo: closedMessage(
      "DpoConfig",
      optional({
        beta: Float.describe("How strongly preferences are followed."),
        refCacheConcurrency: NonNegativeInt.describe(
          "Number of requests in flight while the answers of the reference model are cached.",
        ),
        refCacheBatchSize: NonNegativeInt.describe(
          "Number of rows per request while the answers of the reference model are cached.",
        ),
      }),
    ).describe("Settings of direct preference optimization."),
    orpo: closedMessage("OrpoConfig", optional({ lambda: Float.describe("Weight of the odds-ratio term.") })).describe(
      "Settings of odds-ratio preference optimization.",
    ),
  }),
);

export const RlorTrainerJob = defineResource("RlorTrainerJob", {
  summary: "A step of reinforcement fine-tuning, which trains a model on rewards. Its outcome is a new model.",
  collection: "rlorTrainerJobs",
  name: "accounts/{account}/rlorTrainerJobs/{rlorTrainerJobId}",
  identity: jobIdentity,
  deletion: "forever",
  inputs: z.strictObject({
    rlorTrainerJobId: resourceId(field(ResourceId, { default: "derived from the Pulumi name", example: "judgement-2" }))
      .optional()
      .describe("Id of the job: the last segment of its resource name. The service never gives an id to another job."),
    ...optional({
      displayName: field(TextField, cosmetic).describe("Display name, shown instead of the id."),
      dataset: immutable(publicNameOf("datasets")).describe("Dataset that the job trains on."),
      evaluationDataset: immutable(publicNameOf("datasets")).describe("Dataset that the model is evaluated on."),
      evalAutoCarveout: immutable(BooleanField).describe("Whether to set part of the dataset aside for evaluation."),
      trainingConfig: immutable(TrainingConfig).describe("What is trained, and with which settings."),
      rewardWeights: field(
        immutable(z.array(z.string().regex(/^[^=]+=.+$/, { error: "must be `<reward name>=<weight>`" }))),
        { setOf: true, example: ["helpful=1.0", "concise=0.3"] },
      ).describe("How much each reward counts, as `<reward name>=<weight>`."),
      trackingConfig: secret(field(TrackingConfig, cosmetic)),
      cloudS3Config: field(CloudS3Config, cosmetic),
      blobStorageConfig: field(BlobStorageConfig, cosmetic),
      keepAlive: immutable(BooleanField).describe("Whether the trainer stays up, idle, when it has nothing to do."),
      rolloutDeploymentName: field(immutable(nameOf("deployments")), { default: "none" }).describe(
        "Deployment that new weights are synchronized to.",
      ),
      lossConfig: immutable(LossConfig).describe("What the training minimizes."),
      nodeCount: field(immutable(PositiveCount), { resetTo: 1 }).describe("Number of machines that the job trains on."),
      serviceMode: immutable(BooleanField).describe(
        "Whether the trainer serves training requests instead of running a dataset through.",
      ),
      hotLoadDeploymentId: immutable(TextField).describe("Id of the deployment whose bucket receives the checkpoints."),
      purpose: field(Purpose, cosmetic),
      forwardOnly: immutable(BooleanField).describe(
        "Whether the trainer only runs forward passes, as a reference model.",
      ),
      managedBy: immutable(TextField).describe("Who manages the job, for use by managed services."),
    }),
    ...jobBehaviours,
  }),
  outputs: z.object({
    ...jobOutputs("trainingConfig.outputModel"),
    acceleratorSeconds: z
      .record(z.string(), Int64)
      .optional()
      .describe("Accelerator time that the job has used, in seconds, by accelerator type."),
    directRouteHandle: TextField.optional().describe("Where a trainer in service mode is reached."),
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
  cautions: [
    startingPoint("trainingConfig.baseModel", "trainingConfig.warmStartFrom"),
    oneEvaluation,
    singleRunId("rlorTrainerJobId"),
    {
      rule: { rule: "exclusive", fields: ["trainingConfig.baseModel", "trainingConfig.warmStartFrom"] },
      says: "`baseModel` and `warmStartFrom` are both set (A077); a job starts from one of them, and the service may refuse both",
    },
  ],
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
  billing: {
    by: "trainingToken",
    tokens: "jobProgress.inputTokens",
    dataset: "dataset",
    epochs: "trainingConfig.epochs",
    runsOn: ["keepAlive", "serviceMode"],
  },
  listOrder: "name",
  example: {
    dataset: "accounts/demo/datasets/preferences",
    trainingConfig: { baseModel: "accounts/platform/models/open-8b", epochs: 1 },
    rewardWeights: ["helpful=1.0"],
  },
});

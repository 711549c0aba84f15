import { asOutput, datasetAccess, progress, purposes, status, tracking, under } from "./shared-shapes";
import { jobStates } from "./states";
import type { CircumstanceFact, FieldFact, RuleFact } from "./types";

export const states = jobStates;

const training: readonly FieldFact[] = [
  { path: "outputModel", type: "string" },
  { path: "baseModel", type: "string" },
  { path: "warmStartFrom", type: "string" },
  { path: "jinjaTemplate", type: "string" },
  { path: "learningRate", type: "number" },
  { path: "maxContextLength", type: "integer" },
  { path: "loraRank", type: "integer" },
  { path: "epochs", type: "integer" },
  { path: "batchSize", type: "integer" },
  { path: "gradientAccumulationSteps", type: "integer" },
  { path: "learningRateWarmupSteps", type: "integer" },
  { path: "batchSizeSamples", type: "integer" },
  { path: "optimizerWeightDecay", type: "number" },
  { path: "trainerShardingScheme", type: "object" },
  { path: "trainerShardingScheme.tensorParallelism", type: "integer" },
  { path: "trainerShardingScheme.pipelineParallelism", type: "integer" },
  { path: "trainerShardingScheme.contextParallelism", type: "integer" },
  { path: "trainerShardingScheme.expertParallelism", type: "integer" },
  { path: "trainerShardingScheme.sequenceParallelism", type: "boolean" },
  { path: "loraAlpha", type: "number" },
  { path: "loraDropout", type: "number" },
  { path: "loraTargetModules", type: "array" },
  { path: "loraTargetModules[]", type: "string" },
];

const loss: readonly FieldFact[] = [
  { path: "method", type: "enum", enum: ["METHOD_UNSPECIFIED"], enumPartial: true, default: "METHOD_UNSPECIFIED" },
  { path: "klBeta", type: "number" },
  { path: "dpo", type: "object" },
  { path: "dpo.beta", type: "number" },
  { path: "dpo.refCacheConcurrency", type: "integer" },
  { path: "dpo.refCacheBatchSize", type: "integer" },
  { path: "orpo", type: "object" },
  { path: "orpo.lambda", type: "number" },
];

export const fields: readonly FieldFact[] = [
  { path: "name", type: "string", readOnly: true },
  { path: "displayName", type: "string" },
  ...asOutput([
    { path: "createTime", type: "date-time" },
    { path: "completedTime", type: "date-time" },
  ]),
  { path: "dataset", type: "string" },
  { path: "evaluationDataset", type: "string" },
  { path: "evalAutoCarveout", type: "boolean" },
  { path: "state", type: "enum", enum: jobStates, default: "JOB_STATE_UNSPECIFIED", readOnly: true },
  ...status,
  { path: "createdBy", type: "string", readOnly: true },
  { path: "trainingConfig", type: "object" },
  ...under("trainingConfig", training),
  { path: "rewardWeights", type: "array" },
  { path: "rewardWeights[]", type: "string", pattern: "[^=]+=.+", note: "the weight's type is not documented" },
  ...tracking,
  ...datasetAccess,
  { path: "jobProgress", type: "object", readOnly: true },
  ...under("jobProgress", progress),
  { path: "keepAlive", type: "boolean" },
  { path: "rolloutDeploymentName", type: "string", absentMeans: "no weight sync to the rollout engine" },
  { path: "lossConfig", type: "object" },
  ...under("lossConfig", loss),
  { path: "nodeCount", type: "integer", default: 1 },
  { path: "acceleratorSeconds", type: "map", readOnly: true, note: "keyed by accelerator type" },
  { path: "acceleratorSeconds{}", type: "unshown", readOnly: true, note: "A074: int64, so a string on the wire" },
  { path: "serviceMode", type: "boolean" },
  { path: "directRouteHandle", type: "string", readOnly: true },
  {
    path: "hotLoadDeploymentId",
    type: "string",
    validOnlyWith: [
      { field: "serviceMode", values: [true] },
      { field: "keepAlive", values: [true] },
    ],
  },
  { path: "purpose", type: "enum", enum: purposes, default: "PURPOSE_UNSPECIFIED" },
  { path: "forwardOnly", type: "boolean" },
  { path: "managedBy", type: "string", note: "for managed-service use only" },
];

const minimal = { dataset: "accounts/acme/datasets/d1", trainingConfig: { baseModel: "accounts/platform/models/m1" } };

export const rules: readonly RuleFact[] = [
  {
    id: "hot-load-needs-a-lasting-job",
    sentence: "Only a service-mode or keep-alive job can hand checkpoints to a deployment's hot-load bucket.",
    valid: [
      { body: { ...minimal, hotLoadDeploymentId: "chat", serviceMode: true } },
      { body: { ...minimal, hotLoadDeploymentId: "chat", keepAlive: true } },
      { body: minimal },
    ],
    invalid: [
      {
        body: { ...minimal, hotLoadDeploymentId: "chat" },
        because: "neither `serviceMode` nor `keepAlive` is set",
        path: "hotLoadDeploymentId",
      },
      {
        body: { ...minimal, hotLoadDeploymentId: "chat", serviceMode: false, keepAlive: false },
        because: "`serviceMode` and `keepAlive` are both false",
        path: "hotLoadDeploymentId",
      },
    ],
  },
  {
    id: "reward-weight-form",
    sentence: "A reward weight is a reward's name, an equals sign and the weight.",
    valid: [{ body: { ...minimal, rewardWeights: ["accuracy=1", "brevity=0.25"] } }],
    invalid: [
      { body: { ...minimal, rewardWeights: ["accuracy"] }, because: "there is no weight", path: "rewardWeights[0]" },
      { body: { ...minimal, rewardWeights: ["ok=1", "=0.5"] }, because: "there is no name", path: "rewardWeights[1]" },
      { body: { ...minimal, rewardWeights: ["accuracy="] }, because: "the weight is empty", path: "rewardWeights[0]" },
    ],
  },
];

export const circumstances: readonly CircumstanceFact[] = [
  { id: "accelerator-seconds", sentence: "acceleratorSeconds grows while the job runs and is refreshed now and then." },
  {
    id: "forward-only",
    sentence: "A forward-only trainer never runs backward passes or an optimizer; it serves reference models.",
  },
];

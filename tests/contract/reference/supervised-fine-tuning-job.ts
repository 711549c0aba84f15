import { asOutput, datasetAccess, money, progress, purposes, status, tracking, under } from "./shared-shapes";
import { jobStates } from "./states";
import type { CircumstanceFact, FieldFact, RuleFact } from "./types";

export const states = jobStates;

export const fields: readonly FieldFact[] = [
  { path: "name", type: "string", readOnly: true },
  { path: "dataset", type: "string" },
  { path: "displayName", type: "string" },
  ...datasetAccess,
  { path: "outputModel", type: "string", defaultIs: "the job id" },
  { path: "baseModel", type: "string", exclusiveWith: ["warmStartFrom"] },
  { path: "warmStartFrom", type: "string", exclusiveWith: ["baseModel"] },
  { path: "jinjaTemplate", type: "string" },
  { path: "earlyStop", type: "boolean" },
  { path: "epochs", type: "integer" },
  { path: "learningRate", type: "number" },
  { path: "maxContextLength", type: "integer" },
  { path: "loraRank", type: "integer" },
  ...tracking,
  { path: "evaluationDataset", type: "string" },
  { path: "isTurbo", type: "boolean" },
  { path: "evalAutoCarveout", type: "boolean" },
  { path: "nodes", type: "integer", deprecated: true },
  { path: "batchSize", type: "integer" },
  { path: "mtpEnabled", type: "boolean", deprecated: true },
  { path: "mtpNumDraftTokens", type: "integer", deprecated: true },
  { path: "mtpFreezeBaseModel", type: "boolean", deprecated: true },
  { path: "metricsFileSignedUrl", type: "string" },
  { path: "gradientAccumulationSteps", type: "integer" },
  { path: "learningRateWarmupSteps", type: "integer" },
  { path: "batchSizeSamples", type: "integer" },
  { path: "optimizerWeightDecay", type: "number" },
  { path: "purpose", type: "enum", enum: purposes },
  { path: "createTime", type: "date-time", readOnly: true },
  { path: "completedTime", type: "date-time", readOnly: true },
  { path: "state", type: "enum", enum: jobStates, default: "JOB_STATE_UNSPECIFIED", readOnly: true },
  ...status,
  { path: "createdBy", type: "string", readOnly: true },
  {
    path: "updateTime",
    type: "date-time",
    readOnly: true,
    note: "listed with the outputs without a type of its own; a timestamp by its name and the general rule",
  },
  { path: "jobProgress", type: "object", readOnly: true },
  ...under("jobProgress", progress),
  { path: "trainerLogsSignedUrl", type: "string", readOnly: true },
  { path: "estimatedCost", type: "object", readOnly: true },
  ...under("estimatedCost", asOutput(money)),
];

export const rules: readonly RuleFact[] = [
  {
    id: "one-starting-point",
    sentence: "A job starts from a base model or goes on from an addon, not both.",
    valid: [
      { body: { dataset: "accounts/acme/datasets/d1", baseModel: "accounts/platform/models/m1" } },
      { body: { dataset: "accounts/acme/datasets/d1", warmStartFrom: "accounts/acme/models/addon1" } },
    ],
    invalid: [
      {
        body: {
          dataset: "accounts/acme/datasets/d1",
          baseModel: "accounts/platform/models/m1",
          warmStartFrom: "accounts/acme/models/addon1",
        },
        because: "`baseModel` and `warmStartFrom` exclude each other",
        path: "warmStartFrom",
        orPath: "baseModel",
      },
    ],
  },
];

export const circumstances: readonly CircumstanceFact[] = [
  { id: "output-model-id", sentence: "Without outputModel the resulting model takes the job's id." },
  { id: "random-id", sentence: "A job created without an id gets a random UUID." },
  { id: "trainer-logs", sentence: "trainerLogsSignedUrl is filled only for accounts that may read trainer logs." },
  { id: "nodes-ignored", sentence: "V2 jobs ignore nodes; the three mtp fields matter to V1 jobs alone." },
  { id: "paused", sentence: "A paused job was usually stopped by a suspended account or by hand." },
];

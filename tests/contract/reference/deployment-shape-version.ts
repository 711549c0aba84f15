import { acceleratorTypes, asOutput, precisions, under } from "./shared-shapes";
import type { CircumstanceFact, FieldFact, RuleFact } from "./types";

const snapshot: readonly FieldFact[] = [
  { path: "baseModel", type: "string" },
  { path: "name", type: "string" },
  { path: "displayName", type: "string" },
  { path: "description", type: "string" },
  { path: "createTime", type: "date-time" },
  { path: "updateTime", type: "date-time" },
  { path: "modelType", type: "string" },
  { path: "parameterCount", type: "string" },
  { path: "acceleratorCount", type: "integer" },
  { path: "acceleratorType", type: "enum", enum: acceleratorTypes, default: "ACCELERATOR_TYPE_UNSPECIFIED" },
  { path: "precision", type: "enum", enum: precisions, default: "PRECISION_UNSPECIFIED" },
  { path: "disableDeploymentSizeValidation", type: "boolean" },
  { path: "enableAddons", type: "boolean" },
  { path: "draftTokenCount", type: "integer" },
  { path: "draftModel", type: "string" },
  { path: "ngramSpeculationLength", type: "integer" },
  { path: "disableSpeculativeDecoding", type: "boolean" },
  { path: "enableSessionAffinity", type: "boolean" },
  { path: "numLoraDeviceCached", type: "integer" },
  { path: "maxContextLength", type: "integer" },
  {
    path: "presetType",
    type: "enum",
    enum: ["PRESET_TYPE_UNSPECIFIED"],
    enumPartial: true,
    default: "PRESET_TYPE_UNSPECIFIED",
  },
];

export const fields: readonly FieldFact[] = asOutput([
  { path: "name", type: "string" },
  { path: "createTime", type: "date-time" },
  { path: "snapshot", type: "object" },
  ...under("snapshot", snapshot),
  { path: "validated", type: "boolean" },
  { path: "public", type: "boolean" },
  { path: "latestValidated", type: "boolean" },
]);

export const rules: readonly RuleFact[] = [];

export const circumstances: readonly CircumstanceFact[] = [
  {
    id: "one-latest-per-shape",
    sentence: "Filtering on latest_validated=true leaves each shape's newest validated version only.",
  },
];

import type { FieldFact } from "./types";

export const acceleratorTypes = [
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
] as const;

export const precisions = [
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
] as const;

export const purposes = ["PURPOSE_UNSPECIFIED", "PURPOSE_PILOT"] as const;

/** The same facts one message further down. */
export function under(parent: string, facts: readonly FieldFact[]): FieldFact[] {
  return facts.map((fact) => ({ ...fact, path: `${parent}.${fact.path}` }));
}

/** The same facts where everything is the service's to set. */
export function asOutput(facts: readonly FieldFact[]): FieldFact[] {
  return facts.map((fact) => ({ ...fact, readOnly: true }));
}

/** `OK` is a value of `code`; the others are not documented. */
export const status: readonly FieldFact[] = [
  { path: "status", type: "object", readOnly: true },
  { path: "status.code", type: "string", readOnly: true },
  { path: "status.message", type: "string", readOnly: true },
];

export const money: readonly FieldFact[] = [
  { path: "currencyCode", type: "string" },
  { path: "units", type: "string" },
  { path: "nanos", type: "integer" },
];

export const datasetAccess: readonly FieldFact[] = [
  { path: "cloudS3Config", type: "object" },
  { path: "cloudS3Config.credentialsSecret", type: "string" },
  { path: "cloudS3Config.iamRoleArn", type: "string" },
  { path: "blobStorageConfig", type: "object" },
  { path: "blobStorageConfig.credentialsSecret", type: "string" },
  { path: "blobStorageConfig.managedIdentityClientId", type: "string" },
  { path: "blobStorageConfig.tenantId", type: "string" },
];

export const tracking: readonly FieldFact[] = [
  { path: "trackingConfig", type: "object" },
  { path: "trackingConfig.enabled", type: "boolean" },
  { path: "trackingConfig.apiKey", type: "string" },
  { path: "trackingConfig.project", type: "string" },
  { path: "trackingConfig.entity", type: "string" },
  { path: "trackingConfig.runId", type: "string" },
  { path: "trackingConfig.url", type: "string", readOnly: true },
];

/** Documented as numeric without saying which kind of number. */
export const progress: readonly FieldFact[] = [
  { path: "percent", type: "number", readOnly: true },
  { path: "epoch", type: "number", readOnly: true },
  { path: "totalInputRequests", type: "number", readOnly: true },
  { path: "totalProcessedRequests", type: "number", readOnly: true },
  { path: "successfullyProcessedRequests", type: "number", readOnly: true },
  { path: "failedRequests", type: "number", readOnly: true },
  { path: "outputRows", type: "number", readOnly: true },
  { path: "inputTokens", type: "number", readOnly: true },
  { path: "outputTokens", type: "number", readOnly: true },
  { path: "cachedInputTokenCount", type: "number", readOnly: true },
];

import type { Kind } from "./types";

/** What the description says of a field and no type expresses: texts that a reader of the declaration has to find. */
export const told: readonly { readonly kind: Kind; readonly path: string; readonly says: readonly string[] }[] = [
  { kind: "PolicySettings", path: "cmekRequired", says: ["superuser", "primary external key", "READY"] },
  { kind: "PolicySettings", path: "zeroDataRetention", says: ["deletes nothing"] },
  { kind: "PolicySettings", path: "rules[].permissions", says: ["complete", "replaces"] },
  { kind: "Deployment", path: "directRouteApiKeys", says: ["unused"] },
  { kind: "Deployment", path: "directRouteType", says: ["bypasses", "gateway"] },
  { kind: "Deployment", path: "maxWithRevocableReplicaCount", says: ["revocable", "minus `maxReplicaCount`"] },
  { kind: "Model", path: "supervisedLoraTunable", says: ["DPO", "`lora_rank` above 0", "LORA_TRAINER"] },
  { kind: "Model", path: "supervisedFullParameterTunable", says: ["`lora_rank` 0", "POLICY_TRAINER"] },
  { kind: "Model", path: "rlLoraTunable", says: ["LORA_TRAINER", "deployment shape"] },
  { kind: "Model", path: "rlFullParameterTunable", says: ["POLICY_TRAINER", "FORWARD_ONLY", "deployment shape"] },
  { kind: "Model", path: "deprecationDate", says: ["serverless"] },
  { kind: "StoredResponse", path: "store", says: ["`previous_response_id`"] },
  { kind: "StoredResponse", path: "max_output_tokens", says: ["at least 1"] },
  { kind: "StoredResponse", path: "max_tool_calls", says: ["at least 1"] },
];

/** What the description does not say, and a declaration must not make up: units, ranges and meanings of its fields. */
export const notTold: readonly { readonly kind: Kind; readonly path: string; readonly invents: readonly string[] }[] = [
  { kind: "SupervisedFineTuningJob", path: "batchSize", invents: ["okens"] },
  { kind: "SupervisedFineTuningJob", path: "maxContextLength", invents: ["okens"] },
  { kind: "SupervisedFineTuningJob", path: "jobProgress.percent", invents: ["0 to 100"] },
  { kind: "RlorTrainerJob", path: "trainingConfig.batchSize", invents: ["okens"] },
  { kind: "Deployment", path: "ngramSpeculationLength", invents: ["okens"] },
  { kind: "DeployedModel", path: "serverless", invents: ["without a deployment"] },
  { kind: "Deployment", path: "maxWithRevocableReplicaCount", invents: ["Default"] },
];

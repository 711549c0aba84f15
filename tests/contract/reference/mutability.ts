/** A041. */
export const mutableDeploymentFields: readonly string[] = [
  "displayName",
  "description",
  "minReplicaCount",
  "maxReplicaCount",
  "maxWithRevocableReplicaCount",
  "autoscalingPolicy",
  "acceleratorCount",
  "acceleratorType",
  "precision",
  "deploymentShape",
  "draftModel",
  "draftTokenCount",
  "ngramSpeculationLength",
  "enableAddons",
  "enableSessionAffinity",
  "directRouteType",
  "directRouteApiKeys",
  "maxContextLength",
  "maxConcurrencyPerReplica",
  "autoTune",
  "hotLoadTrainerJob",
  "hotLoadTransitionType",
  "numPeftDeviceCached",
  "enableHotReloadLatestAddon",
  "annotations",
  "pricingPlanId",
  "activeModelVersion",
  "targetModelVersion",
];

/** A041: the fields whose change makes another deployment. */
export const replacingDeploymentFields: readonly string[] = [
  "baseModel",
  "placement",
  "preemptible",
  "enableHotLoad",
  "hotLoadBucketType",
  "hotLoadBucketUrl",
  "deploymentTemplate",
];

/** A080. */
export const mutableModelFields: readonly string[] = [
  "displayName",
  "description",
  "contextLength",
  "trainingContextLength",
  "defaultDraftModel",
  "defaultDraftTokenCount",
  "codeRepositoryUrl",
  "modelHubUrl",
  "public",
  "supportsImageInput",
  "supportsTools",
  "supportsLora",
  "useHubApplyChatTemplate",
  "conversationConfig",
  "deprecationDate",
];

/** A080: the fields whose change makes another model. */
export const replacingModelFields: readonly string[] = [
  "kind",
  "baseModelDetails",
  "peftDetails",
  "teftDetails",
  "snapshotType",
];

/** A070: a change of any other input of a job makes another job. */
export const notSemanticJobFields: readonly string[] = [
  "displayName",
  "trackingConfig",
  "cloudS3Config",
  "blobStorageConfig",
  "purpose",
  "metricsFileSignedUrl",
  "nodes",
  "mtpEnabled",
  "mtpNumDraftTokens",
  "mtpFreezeBaseModel",
];

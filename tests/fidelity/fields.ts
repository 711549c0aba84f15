/** What the API's description says of the fields that these tests declare: 2.1, 2.3 and 2.5 to 2.11 of it. */
export interface Fields {
  inputs: readonly string[];
  /** Query parameters of a create. */
  parameters: readonly string[];
  idParameter: string;
  /** The state of what is done, and of what is not. */
  state?: string;
  underWay?: string;
  /** It has no times in the description. */
  timeless?: true;
  /** The member of a create's body that has the message. */
  wrap?: string;
  /** Zero values of what nobody has set. */
  unset?: Readonly<Record<string, unknown>>;
}

const options = [
  ...["disableAutoDeploy", "disableSpeculativeDecoding", "deploymentId", "validateOnly", "skipShapeValidation"],
  ...["skipImageTagValidation", "acceptShapelessRisk"],
];

const collections: Readonly<Record<string, Fields>> = {
  users: {
    inputs: ["role", "displayName", "serviceAccount", "email", "permissionPreset"],
    parameters: ["userId"],
    idParameter: "userId",
    state: "READY",
    underWay: "CREATING",
    unset: { displayName: "", serviceAccount: false, permissionPreset: "" },
  },
  secrets: { inputs: ["name", "keyName", "value"], parameters: [], idParameter: "secretId", timeless: true },
  deployments: {
    inputs: [
      ...["baseModel", "displayName", "description", "annotations", "minReplicaCount", "maxReplicaCount"],
      ...["maxWithRevocableReplicaCount", "autoscalingPolicy", "autoTune", "placement", "acceleratorCount"],
      ...["acceleratorType", "precision", "maxConcurrencyPerReplica", "enableAddons", "draftTokenCount", "draftModel"],
      ...["ngramSpeculationLength", "enableSessionAffinity", "directRouteApiKeys", "numPeftDeviceCached"],
      ...["directRouteType", "deploymentTemplate", "maxContextLength", "disableDeploymentSizeValidation"],
      ...["enableHotLoad", "hotLoadBucketType", "hotLoadBucketUrl", "enableHotReloadLatestAddon", "deploymentShape"],
      ...["activeModelVersion", "targetModelVersion", "pricingPlanId", "hotLoadTrainerJob", "hotLoadTransitionType"],
      "preemptible",
    ],
    parameters: options,
    idParameter: "deploymentId",
    state: "READY",
    underWay: "CREATING",
    unset: {
      ...{ description: "", annotations: {}, draftModel: "", enableAddons: false, numPeftDeviceCached: 0 },
      ...{ directRouteType: "DIRECT_ROUTE_TYPE_UNSPECIFIED", precision: "PRECISION_UNSPECIFIED", draftTokenCount: 0 },
      ...{ enableHotLoad: false, hotLoadBucketUrl: "", cluster: "", directRouteApiKeys: [], pricingPlanId: "" },
    },
  },
  deployedModels: {
    inputs: ["name", "displayName", "description", "model", "deployment", "default", "serverless", "public"],
    parameters: ["replaceMergedAddon"],
    idParameter: "",
    state: "DEPLOYED",
    underWay: "DEPLOYING",
    unset: { displayName: "", description: "", serverless: false, public: false },
  },
  models: {
    inputs: [
      ...["displayName", "description", "kind", "codeRepositoryUrl", "modelHubUrl", "baseModelDetails", "peftDetails"],
      ...["teftDetails", "public", "conversationConfig", "contextLength", "supportsImageInput", "supportsTools"],
      ...["defaultDraftModel", "defaultDraftTokenCount", "deprecationDate", "supportsLora", "useHubApplyChatTemplate"],
      ...["trainingContextLength", "snapshotType"],
    ],
    parameters: [],
    idParameter: "modelId",
    wrap: "model",
    state: "READY",
    underWay: "UPLOADING",
    unset: { description: "", public: false, contextLength: 0, defaultDraftModel: "", snapshotType: "FULL_SNAPSHOT" },
  },
  supervisedFineTuningJobs: {
    inputs: [
      ...["dataset", "displayName", "cloudS3Config", "blobStorageConfig", "outputModel", "baseModel", "warmStartFrom"],
      ...["jinjaTemplate", "earlyStop", "epochs", "learningRate", "maxContextLength", "loraRank", "trackingConfig"],
      ...["evaluationDataset", "isTurbo", "evalAutoCarveout", "nodes", "batchSize", "metricsFileSignedUrl"],
      ...["gradientAccumulationSteps", "learningRateWarmupSteps", "batchSizeSamples", "optimizerWeightDecay"],
      "purpose",
    ],
    parameters: ["supervisedFineTuningJobId"],
    idParameter: "supervisedFineTuningJobId",
    state: "JOB_STATE_COMPLETED",
    underWay: "JOB_STATE_RUNNING",
    unset: { displayName: "", earlyStop: false, jinjaTemplate: "", nodes: 0, purpose: "PURPOSE_UNSPECIFIED" },
  },
  rlorTrainerJobs: {
    inputs: [
      ...["displayName", "dataset", "evaluationDataset", "evalAutoCarveout", "trainingConfig", "rewardWeights"],
      ...["trackingConfig", "cloudS3Config", "blobStorageConfig", "keepAlive", "rolloutDeploymentName", "lossConfig"],
      ...["nodeCount", "serviceMode", "hotLoadDeploymentId", "purpose", "forwardOnly", "managedBy"],
    ],
    parameters: ["rlorTrainerJobId"],
    idParameter: "rlorTrainerJobId",
    state: "JOB_STATE_COMPLETED",
    underWay: "JOB_STATE_RUNNING",
    unset: { displayName: "", keepAlive: false, serviceMode: false, forwardOnly: false, managedBy: "" },
  },
};

export const fieldsOf = (collection: string): Fields | undefined =>
  Object.hasOwn(collections, collection) ? collections[collection] : undefined;

/** What the API's description says of the fields that these tests declare: 2.3, 2.7, 2.10 and 2.11 of it. */
export interface Fields {
  inputs: readonly string[];
  /** Query parameters of a create. */
  parameters: readonly string[];
  idParameter: string;
  /** The state of what is done, and of what is not. */
  state?: string;
  underWay?: string;
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
  secrets: { inputs: ["name", "keyName", "value"], parameters: [], idParameter: "secretId" },
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
  deployedModels: { inputs: ["displayName", "model", "deployment"], parameters: [], idParameter: "deployedModelId" },
};

export const fieldsOf = (collection: string): Fields | undefined =>
  Object.hasOwn(collections, collection) ? collections[collection] : undefined;

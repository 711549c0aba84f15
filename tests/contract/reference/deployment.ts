import { acceleratorTypes, precisions, status } from "./shared-shapes";
import { deploymentStates } from "./states";
import type { CircumstanceFact, FieldFact, RuleFact } from "./types";

export const states = deploymentStates;

export const regions = [
  "REGION_UNSPECIFIED",
  "US_IOWA_1",
  "US_VIRGINIA_1",
  "US_VIRGINIA_2",
  "US_ILLINOIS_1",
  "AP_TOKYO_1",
  "US_ARIZONA_1",
  "US_TEXAS_1",
  "US_ILLINOIS_2",
  "EU_FRANKFURT_1",
  "US_TEXAS_2",
  "EU_ICELAND_1",
  "EU_ICELAND_2",
  "US_WASHINGTON_1",
  "US_WASHINGTON_2",
  "US_WASHINGTON_3",
  "AP_TOKYO_2",
  "US_CALIFORNIA_1",
  "US_UTAH_1",
  "US_ARIZONA_3",
  "US_GEORGIA_1",
  "US_GEORGIA_2",
  "US_WASHINGTON_4",
  "US_GEORGIA_3",
  "NA_BRITISHCOLUMBIA_1",
  "US_GEORGIA_4",
  "US_OHIO_1",
  "US_NEWYORK_1",
  "EU_NETHERLANDS_1",
  "US_WASHINGTON_5",
  "US_MINNESOTA_1",
  "US_CALIFORNIA_2",
  "NA_BRITISHCOLUMBIA_2",
  "AP_MALAYSIA_2",
  "US_OREGON_1",
  "NA_BRITISHCOLUMBIA_3",
  "AP_NEWSOUTHWALES_1",
  "AP_TAIWAN_1",
] as const;

export const directRouteTypes = [
  "DIRECT_ROUTE_TYPE_UNSPECIFIED",
  "INTERNET",
  "CLOUDB_PRIVATE_SERVICE_CONNECT",
  "CLOUDA_PRIVATELINK",
] as const;

export const bucketTypes = [
  "BUCKET_TYPE_UNSPECIFIED",
  "SELFHOSTED_STORE",
  "S3",
  "PROVIDERX_STORE",
  "SERVICE_HOSTED",
] as const;

export const transitionTypes = ["HOT_LOAD_TRANSITION_TYPE_UNSPECIFIED", "ASYNC", "SYNC"] as const;

export const fields: readonly FieldFact[] = [
  { path: "baseModel", type: "string", required: true },
  { path: "name", type: "string", readOnly: true },
  { path: "displayName", type: "string", maxLength: 63, dropped: "cleared" },
  { path: "description", type: "string", dropped: "cleared" },
  { path: "createTime", type: "date-time", readOnly: true },
  { path: "updateTime", type: "date-time", readOnly: true },
  { path: "purgeTime", type: "date-time", readOnly: true, note: "when it is deleted for good" },
  { path: "deleteTime", type: "date-time", readOnly: true, note: "when it was soft-deleted" },
  { path: "expireTime", type: "date-time", deprecated: true },
  { path: "state", type: "enum", enum: deploymentStates, readOnly: true },
  ...status,
  { path: "annotations", type: "map", keyPrefix: "custom/", dropped: "cleared" },
  { path: "annotations{}", type: "string" },
  { path: "minReplicaCount", type: "integer", default: 0, dropped: "reset" },
  {
    path: "maxReplicaCount",
    type: "integer",
    defaultIs: "max(minReplicaCount, 1)",
    zeroMeans: "scaled down to zero",
    dropped: "reset",
    zero: "value",
  },
  { path: "maxWithRevocableReplicaCount", type: "integer" },
  { path: "desiredReplicaCount", type: "integer", readOnly: true },
  { path: "replicaCount", type: "integer", readOnly: true },
  { path: "autoscalingPolicy", type: "object", membersNotShown: true },
  { path: "autoTune", type: "object", membersNotShown: true },
  { path: "placement", type: "object", membersNotShown: true, defaultIs: "the GLOBAL multi-region" },
  { path: "replicaStats", type: "object", membersNotShown: true, readOnly: true },
  { path: "acceleratorCount", type: "integer", defaultIs: "the estimated minimum for the base model" },
  { path: "acceleratorType", type: "enum", enum: acceleratorTypes, default: "ACCELERATOR_TYPE_UNSPECIFIED" },
  { path: "precision", type: "enum", enum: precisions, default: "PRECISION_UNSPECIFIED" },
  { path: "maxConcurrencyPerReplica", type: "integer", zeroMeans: "the platform's default", zero: "unset" },
  { path: "cluster", type: "string", readOnly: true },
  { path: "enableAddons", type: "boolean" },
  { path: "draftTokenCount", type: "integer", defaultIs: "the base model's draft token count" },
  {
    path: "draftModel",
    type: "string",
    defaultIs: "the base model's default draft model",
    zeroMeans: "no speculation by draft model",
    zero: "value",
  },
  { path: "ngramSpeculationLength", type: "integer" },
  { path: "enableSessionAffinity", type: "boolean" },
  { path: "directRouteApiKeys", type: "array" },
  { path: "directRouteApiKeys[]", type: "string" },
  { path: "numPeftDeviceCached", type: "integer" },
  {
    path: "directRouteType",
    type: "enum",
    enum: directRouteTypes,
    default: "DIRECT_ROUTE_TYPE_UNSPECIFIED",
    watched: true,
  },
  { path: "directRouteHandle", type: "string", readOnly: true },
  { path: "deploymentTemplate", type: "string", note: "enterprise accounts only" },
  { path: "region", type: "enum", enum: regions, default: "REGION_UNSPECIFIED", readOnly: true },
  { path: "maxContextLength", type: "integer", zeroMeans: "the model's default", zero: "unset" },
  { path: "disableDeploymentSizeValidation", type: "boolean" },
  { path: "enableHotLoad", type: "boolean" },
  { path: "hotLoadBucketType", type: "enum", enum: bucketTypes, default: "BUCKET_TYPE_UNSPECIFIED" },
  { path: "hotLoadBucketUrl", type: "string" },
  { path: "enableHotReloadLatestAddon", type: "boolean" },
  { path: "deploymentShape", type: "string", absentMeans: "a shapeless deployment", watched: true },
  { path: "activeModelVersion", type: "string" },
  { path: "targetModelVersion", type: "string" },
  { path: "pricingPlanId", type: "string" },
  { path: "hotLoadTrainerJob", type: "string" },
  {
    path: "hotLoadTransitionType",
    type: "enum",
    enum: transitionTypes,
    default: "HOT_LOAD_TRANSITION_TYPE_UNSPECIFIED",
    defaultIs: "ASYNC when enableHotLoad is set",
  },
  { path: "preemptible", type: "boolean" },
];

const minimal = { baseModel: "accounts/platform/models/m1" };

export const rules: readonly RuleFact[] = [
  {
    id: "annotation-prefix",
    sentence: "A customer's annotation keys begin with custom/ from the start.",
    answer: { http: 403, code: 7 },
    valid: [
      { body: { ...minimal, annotations: { "custom/team": "search" } } },
      { body: { ...minimal, annotations: {} } },
    ],
    invalid: [
      {
        body: { ...minimal, annotations: { team: "search" } },
        because: "the key is bare",
        path: "annotations.team",
      },
      {
        body: { ...minimal, annotations: { "custom/team": "search", customteam: "search" } },
        because: "one key lacks the slash",
        path: "annotations.customteam",
      },
    ],
  },
  {
    id: "shape-or-shapeless-risk",
    sentence: "Accepting the risk of having no shape and naming one contradict each other.",
    valid: [
      { body: { ...minimal, deploymentShape: "default" }, query: { acceptShapelessRisk: false } },
      { body: minimal, query: { acceptShapelessRisk: true } },
      { body: { ...minimal, deploymentShape: "default" } },
      { body: minimal },
    ],
    invalid: [
      {
        body: { ...minimal, deploymentShape: "default" },
        query: { acceptShapelessRisk: true },
        because: "`deploymentShape` is set as well",
        path: "acceptShapelessRisk",
        orPath: "deploymentShape",
      },
      {
        body: { ...minimal, deploymentShape: "accounts/platform/deploymentShapes/s1" },
        query: { acceptShapelessRisk: true },
        because: "`deploymentShape` is set as well",
        path: "acceptShapelessRisk",
        orPath: "deploymentShape",
      },
    ],
  },
];

export const circumstances: readonly CircumstanceFact[] = [
  {
    id: "auto-deploy",
    sentence: "Creating a deployment deploys an undeployed base model to it unless disableAutoDeploy is true.",
  },
  {
    id: "shape-default",
    sentence: "The shape `default` lets the server pick a validated one that fits model and request.",
  },
  {
    id: "shape-default-refused",
    sentence:
      "If no shape fits or each contradicts the request, it fails naming fields and shapes and overrides nothing.",
  },
  { id: "shape-resolved", sentence: "The server writes the shape version's name over the shape that was sent." },
  {
    id: "shape-brings-versions",
    sentence: "With a shape, activeModelVersion and targetModelVersion need not be sent.",
  },
  {
    id: "shapeless",
    sentence: "Without a shape nothing is validated, whatever accelerator fields are set.",
  },
  { id: "shapeless-later", sentence: "Creating without a shape will later need acceptShapelessRisk." },
  {
    id: "unsupported-combination",
    sentence:
      "Accelerator type, count and precision outside the model's shapes typically fail with a generic internal error.",
  },
  { id: "annotations-visible", sentence: "Regular users see custom/ annotations only." },
  { id: "full-replica", sentence: "A replica at maxConcurrencyPerReplica answers 429 at once instead of queueing." },
  {
    id: "direct-route",
    sentence: "Any direct route type but the default one opens an endpoint around the gateway.",
  },
  { id: "direct-route-keys", sentence: "A direct route is entered with directRouteApiKeys." },
  { id: "expire-time-inert", sentence: "expireTime deletes nothing any more." },
  { id: "versions-equal", sentence: "Target and active model version are equal once a rollout is over." },
  { id: "revocable", sentence: "Revocable capacity is maxWithRevocableReplicaCount less maxReplicaCount." },
  { id: "hot-load-default", sentence: "ASYNC is the transition of a deployment with enableHotLoad that names none." },
  { id: "hot-load-async", sentence: "ASYNC swaps models mid-flight; SYNC lets requests in flight finish first." },
];

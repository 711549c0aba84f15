import { defineResource, resourceId } from "../core/declaration/resource";
import {
  BooleanField,
  Duration,
  InputTimestamp,
  NonNegativeInt,
  nameOf,
  ObjectName,
  publicNameOf,
  ResourceId,
  requiredPublicReferenceTo,
  TextField,
  TextMap,
  Timestamp,
  textBelow,
} from "../core/fields/atoms";
import {
  closedEnum,
  descriptiveField,
  directive,
  field,
  guarded,
  immutable,
  message,
  openEnum,
  optional,
  providerOption,
  secret,
  setOf,
} from "../core/fields/fields";
import { z } from "../core/zod";
import { AcceleratorType, models, Precision, Status, shapes, times } from "./messages";
import { geographies, geographyMeanings, regionMeanings } from "./regions";

/** Measures of load that the autoscaler holds replicas to (A045). */
const loadMeasures = [
  "default",
  "tokens_generated_per_second",
  "prompt_tokens_per_second",
  "requests_per_second",
  "concurrent_requests",
] as const;

const AutoscalingPolicy = message(
  "AutoscalingPolicy",
  optional({
    scaleUpWindow: field(Duration, { resetTo: "30s", example: "1m" }).describe(
      "How long load must stay high before a replica is added.",
    ),
    scaleDownWindow: field(Duration, { resetTo: "10m", example: "15m" }).describe(
      "How long load must stay low before a replica is removed.",
    ),
    scaleToZeroWindow: field(Duration, {
      resetTo: "1h",
      example: "30m",
      convention: { number: "A045", atLeastSeconds: 300, rule: "should be at least 5m" },
    }).describe("Idle time before the last replica is removed."),
    loadTargets: field(z.record(z.string(), z.number()), {
      knownKeys: loadMeasures,
      example: { requests_per_second: 20 },
    }).describe(
      "Load that the autoscaler holds per replica, by measure: `default` (a share from 0 to 1, by default 0.8), `tokens_generated_per_second`, `prompt_tokens_per_second`, `requests_per_second`, `concurrent_requests`.",
    ),
  }),
);

const Placement = message(
  "Placement",
  optional({
    region: openEnum(regionMeanings).describe("The one region that replicas run in."),
    multiRegion: field(openEnum(geographyMeanings), { resetTo: "GLOBAL" }).describe(
      "The one geography whose regions replicas may run in.",
    ),
    regions: setOf(openEnum(regionMeanings)).describe("Regions that replicas may run in."),
  }),
);

const AutoTune = message(
  "AutoTune",
  optional({ longPrompt: BooleanField.describe("Whether to tune the deployment for prompts that are long.") }),
);

const ReplicaStats = message("ReplicaStats", {
  pendingSchedulingReplicaCount: NonNegativeInt.optional().describe("Number of replicas that wait for accelerators."),
  downloadingModelReplicaCount: NonNegativeInt.optional().describe(
    "Number of replicas that are downloading the weights of the model.",
  ),
  initializingReplicaCount: NonNegativeInt.optional().describe(
    "Number of replicas that have their weights and are starting up.",
  ),
  readyReplicaCount: NonNegativeInt.optional().describe("Number of replicas that serve requests."),
});

const inShape = (as?: string) => ({ ownedBy: { field: "deploymentShape", as } });

/** What is immutable, and what changes in place, is A041. */
export const inputs = z.strictObject({
  deploymentId: resourceId(field(ResourceId, { default: "derived from the Pulumi name", example: "chat" }))
    .optional()
    .describe("Id of the deployment: the last segment of its resource name."),
  baseModel: field(immutable(requiredPublicReferenceTo("models")), { alwaysSent: true }).describe(
    "Model that the deployment serves: a base model, or an addon with its base model.",
  ),
  ...optional({
    displayName: descriptiveField(textBelow(64)).describe("Display name, shown instead of the id."),
    description: descriptiveField(TextField).describe("What the deployment is for, in free text."),
    annotations: field(z.record(z.string(), field(TextField, { sameAs: "freeText" })), {
      onRemoval: "clear",
      keyPrefix: "custom/",
      example: { "custom/team": "assistants" },
      carriesOwner: { stack: "custom/pulumi-stack", urn: "custom/pulumi-urn" },
      ownRequest: { set: "setTags", remove: "deleteTags" },
      severity: "note",
      convention: {
        number: "A046",
        most: 64,
        pattern: /^[A-Za-z0-9._/-]{1,128}$/,
        valueLength: { min: 1, max: 128 },
        rule: "should have at most 64 entries, keys of at most 128 letters, digits and `._/-`, and values of 1 to 128 characters",
      },
    }).describe(
      "Your own labels, by key. Every key begins with `custom/`; entries without that prefix belong to the service.",
    ),
    minReplicaCount: field(NonNegativeInt, { onRemoval: "reset", resetTo: 0 }).describe(
      "Number of replicas that are kept when there is no load. With 0, the deployment can scale to zero.",
    ),
    maxReplicaCount: field(NonNegativeInt, {
      zero: "value",
      onRemoval: "reset",
      resetTo: { largerOf: ["minReplicaCount", 1] },
    }).describe("Largest number of replicas that the autoscaler may run; 0 parks the deployment."),
    maxWithRevocableReplicaCount: NonNegativeInt.describe(
      "Largest number of replicas including those on revocable capacity, of which there are at most this minus `maxReplicaCount`.",
    ),
    autoscalingPolicy: field(AutoscalingPolicy, { serverDefault: true }).describe(
      "How the number of replicas follows the load, between `minReplicaCount` and `maxReplicaCount`.",
    ),
    placement: field(immutable(Placement), { default: "the geography `GLOBAL`" }).describe(
      "Where replicas may run: exactly one of a region, a geography and a list of regions.",
    ),
    autoTune: AutoTune.describe("What the service tunes the performance of the deployment for."),
    deploymentShape: field(publicNameOf("deploymentShapes"), {
      sameAs: "resolvedVersion",
      anyValue: "default",
      watched: true,
    }).describe(
      "Validated template that decides the hardware and the serving options: a shape, one of its versions, or `default` for one that the service picks. The output is the version in use.",
    ),
    acceleratorCount: field(NonNegativeInt, {
      ...inShape(),
      serverDefault: true,
      default: "the least that the base model needs",
    }).describe("Number of accelerators that each replica has."),
    acceleratorType: field(AcceleratorType, { ...inShape(), serverDefault: true }).describe(
      "Kind of accelerator that each replica runs on.",
    ),
    precision: field(Precision, { ...inShape(), serverDefault: true }).describe(
      "Numeric format that the weights are served in.",
    ),
    maxConcurrencyPerReplica: field(NonNegativeInt, {
      zero: "unset",
      serverDefault: true,
      default: "the platform's, also for 0",
    }).describe("Number of requests that a replica handles at once; more are refused with status 429."),
    enableAddons: field(BooleanField, { ...inShape() }).describe(
      "Whether PEFT addons can be loaded onto the deployment.",
    ),
    draftTokenCount: field(NonNegativeInt, { ...inShape(), serverDefault: true, default: "the base model's" }).describe(
      "Number of tokens that the draft model proposes per step.",
    ),
    draftModel: field(publicNameOf("models"), {
      ...inShape(),
      zero: "value",
      serverDefault: true,
      default: "the base model's",
    }).describe("Smaller model that drafts tokens for speculative decoding. An empty string turns it off."),
    ngramSpeculationLength: field(NonNegativeInt, inShape()).describe(
      "Length of the earlier input used for N-gram speculation.",
    ),
    enableSessionAffinity: field(BooleanField, { ...inShape() }).describe(
      "Whether requests with the same `user` go to the same replica.",
    ),
    directRouteApiKeys: secret(setOf(TextField)).describe(
      "API keys that the direct route accepts; unused where `directRouteType` sets up none.",
    ),
    directRouteType: guarded(
      openEnum({
        DIRECT_ROUTE_TYPE_UNSPECIFIED: "No direct route: every request passes the API gateway.",
        INTERNET: "An endpoint on the internet; `directRouteHandle` is its host name.",
        CLOUDB_PRIVATE_SERVICE_CONNECT:
          "A private endpoint in cloud B; `directRouteHandle` is the name of its service attachment.",
        CLOUDA_PRIVATELINK: "A private endpoint in cloud A; `directRouteHandle` is the name of its service.",
      }),
      {
        default: "no direct route",
        opens: { rule: "public", order: ["DIRECT_ROUTE_TYPE_UNSPECIFIED"] },
      },
    ).describe("Kind of direct route: an endpoint that bypasses the API gateway."),
    numPeftDeviceCached: field(NonNegativeInt, inShape("numLoraDeviceCached")).describe(
      "Number of addons that are kept in accelerator memory.",
    ),
    deploymentTemplate: immutable(TextField).describe("Template to deploy from, for enterprise accounts."),
    maxContextLength: field(NonNegativeInt, {
      ...inShape(),
      zero: "unset",
      serverDefault: true,
      default: "the model's, also for 0",
    }).describe("Longest context that a request may have."),
    enableHotLoad: immutable(BooleanField).describe("Whether new weights can be loaded while the deployment serves."),
    hotLoadBucketType: immutable(
      openEnum({
        BUCKET_TYPE_UNSPECIFIED: "No kind of store: as if unset.",
        SELFHOSTED_STORE: "An object store that you host.",
        S3: "A bucket that speaks the S3 protocol.",
        PROVIDERX_STORE: "An object store of provider X.",
        SERVICE_HOSTED: "A store that the service hosts for you.",
      }),
    ).describe("Kind of store that new weights are loaded from."),
    hotLoadBucketUrl: immutable(TextField).describe("Address of the store that new weights are loaded from."),
    enableHotReloadLatestAddon: BooleanField.describe(
      "Whether the latest addon, one at a time, is merged into the base model.",
    ),
    hotLoadTrainerJob: nameOf("rlorTrainerJobs").describe(
      "Reinforcement fine-tuning job whose checkpoints are loaded.",
    ),
    hotLoadTransitionType: field(
      openEnum({
        HOT_LOAD_TRANSITION_TYPE_UNSPECIFIED: "As if unset: `ASYNC` with `enableHotLoad`.",
        ASYNC: "Pauses requests in flight while the weights change, without draining them.",
        SYNC: "Drains requests in flight before the weights change.",
      }),
      {
        serverDefault: true,
        default: "`ASYNC` with `enableHotLoad`",
      },
    ).describe(
      "What happens to requests in flight when new weights are loaded: they pause (`ASYNC`) or finish first (`SYNC`).",
    ),
    activeModelVersion: field(TextField, { serverMoved: true }).describe(
      "Version of the model that running replicas serve.",
    ),
    targetModelVersion: field(TextField, { serverMoved: true }).describe(
      "Version of the model that is being rolled out; at rest it equals `activeModelVersion`.",
    ),
    pricingPlanId: TextField.describe("Id of a billing plan that was agreed on with the service."),
    preemptible: immutable(BooleanField).describe(
      "Whether the deployment runs on capacity that the service may take away.",
    ),
    expireTime: field(InputTimestamp, { deprecated: "it no longer deletes anything; drop it" }).describe(
      "When the deployment was to be deleted; the service no longer acts on it.",
    ),
    disableDeploymentSizeValidation: field(BooleanField, { recordedOnly: true, ...inShape() }).describe(
      "Whether to skip the check that the model fits the accelerators.",
    ),
    disableAutoDeploy: directive(BooleanField).describe(
      "Whether to keep the service from loading the base model onto the new deployment, which it does where the model is deployed nowhere else.",
    ),
    disableSpeculativeDecoding: field(directive(BooleanField), inShape()).describe(
      "Whether to turn speculative decoding off instead of taking the base model's settings for it.",
    ),
    skipShapeValidation: directive(BooleanField).describe("Whether to accept a shape that is not validated."),
    skipImageTagValidation: directive(BooleanField).describe(
      "Whether to skip the policy that blocks certain image tags.",
    ),
    acceptShapelessRisk: directive(BooleanField).describe(
      "Whether to accept that a deployment without a shape is not validated, and far more likely to fail.",
    ),
  }),
  waitFor: providerOption(
    closedEnum({
      ready: "Waits until the deployment serves.",
      accepted: "Waits until the service has accepted the request.",
    }),
    "ready",
  )
    .optional()
    .describe(
      "How long create and update wait: until the deployment serves (`ready`), or until the service has accepted the request (`accepted`).",
    ),
  onTimeout: providerOption(
    closedEnum({
      keep: "Leaves the deployment in the state, and lets it continue.",
      delete: "Deletes the deployment, so that it costs nothing.",
    }),
    "keep",
  )
    .optional()
    .describe(
      "What to do with a deployment that is not ready in time: leave it in the state and let it continue (`keep`), or delete it (`delete`).",
    ),
  deletionMode: field(
    providerOption(
      closedEnum({
        soft: "Leaves a tombstone, which can be undeleted and keeps the id until it is purged.",
        hard: "Removes the deployment for good, and frees its id at once.",
      }),
    ),
    {
      default: "`soft`; `hard` where `deploymentId` is set, so that the id is free again",
    },
  )
    .optional()
    .describe(
      "Whether a delete leaves a tombstone, which can be undeleted until it is purged (`soft`), or removes the deployment for good (`hard`).",
    ),
  onSoftDeletedConflict: providerOption(
    closedEnum({
      error: "Fails, and names the deployment that has the id.",
      hardDelete: "Removes the deployment that has the id for good, then creates the new one.",
      undelete: "Brings the deployment that has the id back, and updates it to match the program.",
    }),
    "error",
  )
    .optional()
    .describe(
      "What to do when a soft-deleted deployment still has the chosen id: fail (`error`), delete it for good first (`hardDelete`), or undelete it (`undelete`).",
    ),
  ignoreChecks: providerOption(BooleanField, false)
    .optional()
    .describe("Whether to delete the deployment even if it served a request within the last hour."),
  drainTime: field(providerOption(Duration), { default: "no time", example: "10m" })
    .optional()
    .describe(
      "How long a replaced deployment keeps running after its successor has taken over, so that requests in flight can finish.",
    ),
});

export const outputs = z.object({
  name: ObjectName.describe("Resource name, `accounts/{account}/deployments/{id}`: what other resources refer to."),
  ...times,
  purgeTime: Timestamp.optional().describe("When the service removes a soft-deleted deployment for good."),
  deleteTime: Timestamp.optional().describe("When the deployment was soft-deleted."),
  state: openEnum({
    STATE_UNSPECIFIED: "The service reports no state.",
    CREATING: "The service is bringing the deployment up; it does not serve yet.",
    READY: "The deployment serves, or is scaled to zero.",
    DELETING: "The service is taking the deployment down, which counts as gone.",
    FAILED: "The deployment did not come up; `status` says why, and the next `up` replaces it.",
    UPDATING: "The service is applying a change; the deployment still serves.",
    DELETED: "The deployment is soft-deleted; it can be undeleted until `purgeTime`.",
  })
    .optional()
    .describe("Where the deployment is in its life cycle. `READY` with 0 replicas is scaled to zero, and healthy."),
  status: Status.optional(),
  desiredReplicaCount: NonNegativeInt.optional().describe("Number of replicas that the autoscaler aims for now."),
  replicaCount: NonNegativeInt.optional().describe("Current number of replicas."),
  replicaStats: ReplicaStats.optional().describe("Number of replicas now, by phase of their start."),
  cluster: TextField.optional().describe("Customer-operated cluster that it runs in; empty for the service's own."),
  directRouteHandle: TextField.optional().describe(
    "Where the direct route is reached: a host name, a service attachment or a service name.",
  ),
  region: openEnum(regionMeanings)
    .optional()
    .describe("Region that the deployment runs in now, within its `placement`."),
});

export const Deployment = defineResource("Deployment", {
  summary: "A model that is served on dedicated accelerators.",
  collection: "deployments",
  name: "accounts/{account}/deployments/{deploymentId}",
  identity: { decidedBy: "client", default: "automatic" },
  deletion: "soft",
  inputs,
  outputs,
  rules: [
    { rule: "exclusive", fields: ["acceptShapelessRisk", "deploymentShape"] },
    { rule: "notAbove", field: "minReplicaCount", bound: "maxReplicaCount", by: "A008" },
    { rule: "exclusive", fields: ["placement.region", "placement.multiRegion", "placement.regions"], by: "A045" },
  ],
  cautions: [
    {
      rule: { rule: "notAbove", field: "maxReplicaCount", bound: "maxWithRevocableReplicaCount" },
      says: "it is above `maxWithRevocableReplicaCount`, which counts these replicas as well; the service may refuse it",
    },
    {
      rule: {
        rule: "onlyWith",
        field: "directRouteApiKeys",
        conditions: [
          { field: "directRouteType", in: ["INTERNET", "CLOUDB_PRIVATE_SERVICE_CONNECT", "CLOUDA_PRIVATELINK"] },
        ],
      },
      says: "nothing uses the keys without a `directRouteType`",
    },
    {
      rule: { rule: "onlyWith", field: "hotLoadTransitionType", conditions: [{ field: "enableHotLoad", in: [true] }] },
      says: "it has no effect without `enableHotLoad`",
    },
    {
      whenNew: true,
      rule: {
        rule: "anyOf",
        groups: [[{ field: "deploymentShape" }], [{ field: "acceptShapelessRisk", in: [true] }]],
      },
      says: "without a shape nothing is validated, and the deployment is far more likely to fail; the service will require `acceptShapelessRisk` for that. Set it to `default` to have a shape picked",
    },
    {
      whenNew: true,
      rule: {
        rule: "exactlyOne",
        within: "placement",
        fields: ["placement.region", "placement.multiRegion", "placement.regions"],
      },
      says: "none of `region`, `multiRegion` and `regions` is set (A045); the service may refuse it or choose a place itself",
    },
  ],
  operations: {
    create: {
      route:
        "POST /v1/accounts/{account}/deployments?deploymentId={deploymentId}&disableAutoDeploy={disableAutoDeploy}&disableSpeculativeDecoding={disableSpeculativeDecoding}&validateOnly={validateOnly}&skipShapeValidation={skipShapeValidation}&skipImageTagValidation={skipImageTagValidation}&acceptShapelessRisk={acceptShapelessRisk}",
      provenance: "listed",
      convention: "A010",
      assumedPath: true,
    },
    get: { route: "GET /v1/{name}?readMask={readMask}", provenance: "conventional", convention: "A015" },
    list: {
      route:
        "GET /v1/accounts/{account}/deployments?pageSize={pageSize}&pageToken={pageToken}&filter={filter}&orderBy={orderBy}&readMask={readMask}&showDeleted={showDeleted}",
      provenance: "conventional",
      convention: "A040",
    },
    update: {
      route: "PATCH /v1/{name}?updateMask={updateMask}&skipShapeValidation={skipShapeValidation}",
      provenance: "conventional",
      convention: "A040",
    },
    delete: {
      route: "DELETE /v1/{name}?hard={hard}&ignoreChecks={ignoreChecks}",
      provenance: "conventional",
      convention: "A040",
    },
    undelete: { route: "POST /v1/{name}:undelete", provenance: "conventional", convention: "A040" },
    scale: {
      route: "PATCH /v1/{name}:scale",
      provenance: "conventional",
      convention: "A040",
      request: z.object({ replicaCount: NonNegativeInt }),
    },
    setTags: {
      route: "POST /v1/{name}:setTags",
      provenance: "conventional",
      convention: "A040",
      name: "setDeploymentTags",
      request: z.object({ tags: TextMap }),
    },
    deleteTags: {
      route: "POST /v1/{name}:deleteTags",
      provenance: "conventional",
      convention: "A040",
      name: "deleteDeploymentTags",
      request: z.object({ keys: z.array(TextField) }),
    },
  },
  lifecycle: {
    moving: ["CREATING", "UPDATING"],
    ready: ["READY"],
    failed: ["FAILED"],
    resting: [],
    gone: ["DELETING", "DELETED"],
    deleted: ["DELETED"],
    goals: { ready: ["READY"], accepted: ["*"] },
    goal: [{ is: "ready" }],
    paths: {
      create: [["CREATING", "4m"], ["READY"]],
      update: [["UPDATING", "1m"], ["READY"]],
      delete: [["DELETING", "20s"], ["DELETED"]],
    },
    progress: ["{replicaStats.readyReplicaCount} of {desiredReplicaCount} replicas ready"],
    longestPause: "5s",
  },
  timeouts: { create: "60m", update: "60m", delete: "15m" },
  preflight: {
    model: { at: ["baseModel"], ...models },
    grant: "allowDedicatedDeployments",
    placement: { field: "placement", geographies },
    shape: { at: "deploymentShape", ...shapes },
  },
  billing: {
    by: "acceleratorHour",
    accelerator: { type: "acceleratorType", count: "acceleratorCount" },
    replicas: {
      least: "minReplicaCount",
      most: "maxReplicaCount",
      withRevocable: "maxWithRevocableReplicaCount",
      now: "replicaCount",
    },
    preemptible: "preemptible",
    region: "region",
  },
  listOrder: "create_time",
  example: { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default", maxReplicaCount: 2 },
});

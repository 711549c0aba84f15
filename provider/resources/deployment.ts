import { z } from "zod";
import {
  Count,
  Duration,
  Flag,
  GivenTime,
  givenNameOf,
  nameOf,
  ResourceId,
  Text,
  TextMap,
  Timestamp,
  textBelow,
} from "../core/atoms";
import { behaviour, directive, field, immutable, message, openEnum, optional, secret } from "../core/fields";
import { defineResource, resourceId } from "../core/resource";
import { models, shapes } from "./lookups";
import { AcceleratorType, multiRegions, Precision, Status, times } from "./messages";
import { geographies, regions } from "./regions";

const AutoscalingPolicy = message(
  "AutoscalingPolicy",
  optional({
    scaleUpWindow: field(Duration, { resetTo: "30s" }).describe(
      "How long load must stay high before a replica is added. Default: 30s.",
    ),
    scaleDownWindow: field(Duration, { resetTo: "10m" }).describe(
      "How long load must stay low before a replica is removed. Default: 10m.",
    ),
    scaleToZeroWindow: field(Duration, {
      resetTo: "1h",
      convention: { number: "A045", atLeastSeconds: 300, rule: "should be at least 5m" },
    }).describe("How long there must be no request before the last replica goes; at least 5m. Default: 1h."),
    loadTargets: z
      .record(z.string(), z.number())
      .describe(
        "Load to hold per replica, by measure: `default` (0 to 1, default 0.8), `tokens_generated_per_second`, `prompt_tokens_per_second`, `requests_per_second`, `concurrent_requests`.",
      ),
  }),
);

const Placement = message(
  "Placement",
  optional({
    region: openEnum(...regions).describe("One region."),
    multiRegion: field(openEnum(...multiRegions), { resetTo: "GLOBAL" }).describe("One geography."),
    regions: field(z.array(openEnum(...regions)), { setOf: true }).describe("Any of these regions."),
  }),
);

const AutoTune = message("AutoTune", optional({ longPrompt: Flag.describe("Tuned for long prompts.") }));

const ReplicaStats = message("ReplicaStats", {
  pendingSchedulingReplicaCount: Count.optional().describe("Waiting for accelerators."),
  downloadingModelReplicaCount: Count.optional().describe("Fetching weights."),
  initializingReplicaCount: Count.optional().describe("Starting."),
  readyReplicaCount: Count.optional().describe("Serving."),
});

const inShape = (as?: string) => ({ ownedBy: { field: "deploymentShape", ...(as !== undefined && { as }) } });

/** What is immutable, and what changes in place, is A041. */
const inputs = z.strictObject({
  deploymentId: resourceId(ResourceId)
    .optional()
    .describe("Last segment of the resource name. Default: made from the Pulumi name."),
  baseModel: field(immutable(givenNameOf("models")), { alwaysSent: true }).describe("Model to serve."),
  ...optional({
    displayName: field(textBelow(64), { onRemoval: "clear", severity: "note" }).describe(
      "Name shown to people; fewer than 64 characters.",
    ),
    description: field(Text, { onRemoval: "clear", severity: "note" }).describe("Free text."),
    annotations: field(TextMap, {
      onRemoval: "clear",
      keyPrefix: "custom/",
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
    }).describe("Labels; every key begins with `custom/`."),
    minReplicaCount: field(Count, { onRemoval: "reset", resetTo: 0 }).describe("Replicas kept when idle. Default: 0."),
    maxReplicaCount: field(Count, {
      zero: "value",
      onRemoval: "reset",
      resetTo: { largerOf: ["minReplicaCount", 1] },
    }).describe("Replicas allowed under load; 0 parks the deployment. Default: the larger of `minReplicaCount` and 1."),
    maxWithRevocableReplicaCount: Count.describe(
      "Replicas allowed with revocable capacity included: that capacity is this less `maxReplicaCount`.",
    ),
    autoscalingPolicy: field(AutoscalingPolicy, { serverDefault: true }).describe(
      "When replicas are added and removed.",
    ),
    placement: immutable(Placement).describe(
      "Where replicas may run: exactly one of region, geography, list of regions. Default: the geography GLOBAL.",
    ),
    autoTune: AutoTune.describe("Performance profile."),
    deploymentShape: field(nameOf("deploymentShapes"), {
      sameAs: "resolvedVersion",
      anyValue: "default",
      watched: true,
    }).describe(
      "Validated template to deploy from: a shape, one of its versions, or `default` for one that the service picks. The output is the version in use.",
    ),
    acceleratorCount: field(Count, { ...inShape(), serverDefault: true }).describe(
      "Accelerators per replica. Default: the least that the base model needs.",
    ),
    acceleratorType: field(AcceleratorType, { ...inShape(), serverDefault: true }).describe(
      "Accelerator of every replica.",
    ),
    precision: field(Precision, { ...inShape(), serverDefault: true }).describe(
      "Numeric format that the model is served with.",
    ),
    maxConcurrencyPerReplica: field(Count, { zero: "unset", serverDefault: true }).describe(
      "Requests in flight per replica before more are refused with 429. 0 or unset: the platform's default.",
    ),
    enableAddons: field(Flag, { ...inShape() }).describe("Whether PEFT addons can be loaded."),
    draftTokenCount: field(Count, { ...inShape(), serverDefault: true }).describe(
      "Tokens drafted per step. Default: the base model's.",
    ),
    draftModel: field(nameOf("models"), { ...inShape(), zero: "value", serverDefault: true }).describe(
      "Draft model for speculation; empty turns it off. Default: the base model's.",
    ),
    ngramSpeculationLength: field(Count, inShape()).describe(
      "Length of the earlier input used for N-gram speculation.",
    ),
    enableSessionAffinity: field(Flag, { ...inShape() }).describe(
      "Whether requests of one `user` stay on one replica.",
    ),
    directRouteApiKeys: secret(field(z.array(Text), { setOf: true })).describe(
      "Keys that open the direct route; unused where `directRouteType` opens none.",
    ),
    directRouteType: field(
      openEnum("DIRECT_ROUTE_TYPE_UNSPECIFIED", "INTERNET", "CLOUDB_PRIVATE_SERVICE_CONNECT", "CLOUDA_PRIVATELINK"),
      { watched: true, severity: "error" },
    ).describe("How an endpoint that bypasses the API gateway is reached. Default: there is none."),
    numPeftDeviceCached: field(Count, inShape("numLoraDeviceCached")).describe("Addons kept in accelerator memory."),
    deploymentTemplate: immutable(Text).describe("Template for enterprise accounts."),
    maxContextLength: field(Count, { ...inShape(), zero: "unset", serverDefault: true }).describe(
      "Longest context. 0 or unset: the model's.",
    ),
    enableHotLoad: immutable(Flag).describe("Whether weights can be swapped while serving."),
    hotLoadBucketType: immutable(
      openEnum("BUCKET_TYPE_UNSPECIFIED", "SELFHOSTED_STORE", "S3", "PROVIDERX_STORE", "SERVICE_HOSTED"),
    ).describe("Kind of store that swapped weights come from."),
    hotLoadBucketUrl: immutable(Text).describe("Store that swapped weights come from."),
    enableHotReloadLatestAddon: Flag.describe("Whether one addon at a time is merged into the base model."),
    hotLoadTrainerJob: nameOf("rlorTrainerJobs").describe("Job whose checkpoints are loaded."),
    hotLoadTransitionType: field(openEnum("HOT_LOAD_TRANSITION_TYPE_UNSPECIFIED", "ASYNC", "SYNC"), {
      serverDefault: true,
    }).describe(
      "Whether requests in flight pause (`ASYNC`, the default with `enableHotLoad`) or finish first (`SYNC`) when weights are swapped.",
    ),
    activeModelVersion: field(Text, { serverMoved: true }).describe("Version on running replicas."),
    targetModelVersion: field(Text, { serverMoved: true }).describe(
      "Version being rolled out; equal to the active one at rest.",
    ),
    pricingPlanId: Text.describe("Custom billing plan."),
    preemptible: immutable(Flag).describe("Whether capacity may be taken away."),
    expireTime: field(GivenTime, { deprecated: "it no longer deletes anything; drop it" }).describe(
      "Has no effect any more.",
    ),
    disableDeploymentSizeValidation: field(Flag, { recordedOnly: true, ...inShape() }).describe(
      "Skips the check that the model fits the accelerators.",
    ),
    disableAutoDeploy: directive(Flag).describe("Does not load an undeployed base model onto the new deployment."),
    disableSpeculativeDecoding: field(directive(Flag), inShape()).describe(
      "Turns speculative decoding off instead of taking the base model's settings.",
    ),
    skipShapeValidation: directive(Flag).describe("Accepts a shape that is not validated."),
    skipImageTagValidation: directive(Flag).describe("Skips the policy that blocks certain image tags."),
    acceptShapelessRisk: directive(Flag).describe(
      "Accepts the risk of a deployment without a shape; not together with `deploymentShape`.",
    ),
  }),
  waitFor: behaviour(z.enum(["ready", "accepted"]), "ready")
    .optional()
    .describe("How far create and update wait: until serving, or until the service has accepted the request."),
  onTimeout: behaviour(z.enum(["keep", "delete"]), "keep")
    .optional()
    .describe("What happens to a deployment that is not ready in time: it stays recorded and goes on, or is deleted."),
  deletionMode: behaviour(z.enum(["soft", "hard"]))
    .optional()
    .describe(
      "Whether a delete leaves a tombstone that can be undeleted. Default: `soft`; `hard` where the program chose the id.",
    ),
  onSoftDeletedConflict: behaviour(z.enum(["error", "hardDelete", "undelete"]), "error")
    .optional()
    .describe("What to do when the chosen id belongs to a soft-deleted deployment."),
  ignoreChecks: behaviour(Flag, false)
    .optional()
    .describe("Deletes even if the deployment served a request within the last hour."),
  drainTime: behaviour(Duration)
    .optional()
    .describe(
      "How long a replaced deployment goes on after its successor has taken over, so that requests in flight can end. Default: none.",
    ),
});

const outputs = z.object({
  name: Text.describe("Resource name: `accounts/{account}/deployments/{id}`."),
  ...times,
  purgeTime: Timestamp.optional().describe("When a soft-deleted deployment is removed for good."),
  deleteTime: Timestamp.optional().describe("When the deployment was soft-deleted."),
  state: openEnum("STATE_UNSPECIFIED", "CREATING", "READY", "DELETING", "FAILED", "UPDATING", "DELETED")
    .optional()
    .describe("Place in the life cycle. READY with 0 replicas is scaled to zero, and fine."),
  status: Status.optional(),
  desiredReplicaCount: Count.optional().describe("Replicas that the autoscaler wants now."),
  replicaCount: Count.optional().describe("Replicas now."),
  replicaStats: ReplicaStats.optional().describe("Replicas now, by phase."),
  cluster: Text.optional().describe("Customer-operated cluster; empty for the service's own."),
  directRouteHandle: Text.optional().describe("Host name, service attachment or service name of the direct route."),
  region: openEnum(...regions)
    .optional()
    .describe("Where it runs now, within the placement."),
});

export const Deployment = defineResource("Deployment", {
  summary: "A model served on dedicated accelerators.",
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
      rule: {
        rule: "anyOf",
        groups: [[{ field: "deploymentShape" }], [{ field: "acceptShapelessRisk", in: [true] }]],
      },
      says: "without a shape nothing is validated, and the deployment is far more likely to fail; the service will require `acceptShapelessRisk` for that. Set it to `default` to have a shape picked",
    },
    {
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
      request: z.object({ replicaCount: Count }),
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
      request: z.object({ keys: z.array(Text) }),
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
    poll: { from: "1s", to: "5s" },
  },
  timeouts: { create: "60m", update: "60m", delete: "15m" },
  preflight: {
    model: { at: ["baseModel"], ...models },
    grant: "allowDedicatedDeployments",
    placement: { field: "placement", geographies },
    shape: { at: "deploymentShape", ...shapes },
  },
  listOrder: "create_time",
  example: { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default", maxReplicaCount: 2 },
});

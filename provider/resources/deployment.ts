import { defineResource } from "../core/declaration/resource";
import { NonNegativeInt, TextField, TextMap } from "../core/fields/atoms";
import { z } from "../core/zod";
import { inputs, outputs } from "./deployment-fields";
import { models, shapes } from "./lookups";
import { geographies } from "./regions";

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
      message:
        "it is above `maxWithRevocableReplicaCount`, which counts these replicas as well; the service may refuse it",
    },
    {
      rule: {
        rule: "onlyWith",
        field: "directRouteApiKeys",
        conditions: [
          { field: "directRouteType", in: ["INTERNET", "CLOUDB_PRIVATE_SERVICE_CONNECT", "CLOUDA_PRIVATELINK"] },
        ],
      },
      message: "nothing uses the keys without a `directRouteType`",
    },
    {
      rule: { rule: "onlyWith", field: "hotLoadTransitionType", conditions: [{ field: "enableHotLoad", in: [true] }] },
      message: "it has no effect without `enableHotLoad`",
    },
    {
      whenNew: true,
      rule: {
        rule: "anyOf",
        groups: [[{ field: "deploymentShape" }], [{ field: "acceptShapelessRisk", in: [true] }]],
      },
      message:
        "without a shape nothing is validated, and the deployment is far more likely to fail; the service will require `acceptShapelessRisk` for that. Set it to `default` to have a shape picked",
    },
    {
      whenNew: true,
      rule: {
        rule: "exactlyOne",
        within: "placement",
        fields: ["placement.region", "placement.multiRegion", "placement.regions"],
      },
      message:
        "none of `region`, `multiRegion` and `regions` is set (A045); the service may refuse it or choose a place itself",
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

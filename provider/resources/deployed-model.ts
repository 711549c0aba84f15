import { defineResource } from "../core/declaration/resource";
import {
  BooleanField,
  ObjectName,
  requiredPublicReferenceTo,
  requiredReferenceTo,
  TextField,
} from "../core/fields/atoms";
import { descriptiveField, directive, field, guarded, optional } from "../core/fields/fields";
import { z } from "../core/zod";
import { DeployedModelState, Status, times } from "./messages";

export const DeployedModel = defineResource("DeployedModel", {
  summary: "A model that is loaded onto a deployment.",
  collection: "deployedModels",
  name: "accounts/{account}/deployedModels/{deployedModelId}",
  identity: { decidedBy: "service", naturalKey: ["model", "deployment"] },
  inputs: z.strictObject({
    model: field(requiredPublicReferenceTo("models"), { severity: "error" }).describe("Model that is loaded."),
    deployment: requiredReferenceTo("deployments").describe("Deployment that the model is loaded onto."),
    ...optional({
      displayName: descriptiveField(TextField).describe("Display name, shown instead of the id."),
      description: descriptiveField(TextField).describe("What the deployed model is for, in free text."),
      default: field(BooleanField, { onRemoval: "keep" }).describe(
        "Whether requests that name the model without a deployment go here; `<model>#<deployment>` names one. Setting it here unsets it elsewhere. The first deployment of a model has it.",
      ),
      serverless: BooleanField.describe("Whether the model is served as a serverless one."),
      public: guarded(BooleanField, { opens: { rule: "public", order: [false] } }).describe(
        "Whether other accounts can query it.",
      ),
      replaceMergedAddon: directive(BooleanField).describe(
        "Whether to replace the addon that is merged into the deployment's base model.",
      ),
    }),
  }),
  outputs: z.object({
    name: ObjectName.describe("Resource name, `accounts/{account}/deployedModels/{id}`."),
    ...times,
    state: DeployedModelState.optional().describe("Where the deployed model is in its life cycle."),
    status: Status.optional(),
  }),
  operations: {
    create: {
      route: "POST /v1/accounts/{account}/deployedModels?replaceMergedAddon={replaceMergedAddon}",
      provenance: "conventional",
      convention: "A013",
    },
    get: { route: "GET /v1/{name}?readMask={readMask}", provenance: "conventional", convention: "A015" },
    list: {
      route:
        "GET /v1/accounts/{account}/deployedModels?pageSize={pageSize}&pageToken={pageToken}&filter={filter}&orderBy={orderBy}&readMask={readMask}",
      provenance: "listed",
    },
    update: {
      route: "PATCH /v1/{name}?updateMask={updateMask}",
      provenance: "listed",
      convention: "A004",
      body: { name: true },
    },
    delete: { route: "DELETE /v1/{name}", provenance: "conventional", convention: "A015" },
  },
  lifecycle: {
    moving: ["DEPLOYING", "UPDATING"],
    ready: ["DEPLOYED"],
    failed: [],
    resting: [],
    gone: ["UNDEPLOYING"],
    deleted: [],
    failsByStatus: true,
    paths: {
      create: [["DEPLOYING", "20s"], ["DEPLOYED"]],
      update: [["UPDATING", "5s"], ["DEPLOYED"]],
      delete: [["UNDEPLOYING", "5s"]],
    },
    longestPause: "5s",
  },
  host: { field: "deployment", content: "model", own: "baseModel", unless: "disableAutoDeploy", claim: "default" },
  timeouts: { create: "30m", update: "30m", delete: "15m" },
  listOrder: "name",
  example: { model: "accounts/demo/models/support-8b", deployment: "accounts/demo/deployments/chat" },
});

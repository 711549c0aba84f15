import { z } from "zod";
import { Count, Flag, Text, Timestamp } from "../core/atoms";
import { openEnum } from "../core/fields";
import { defineResource } from "../core/resource";
import { AcceleratorType, Precision, times } from "./messages";

const snapshotFields = {
  name: Text.optional().describe("Resource name of the shape."),
  ...times,
  baseModel: Text.optional().describe("Model that the shape is for."),
  displayName: Text.optional().describe("Name shown to people."),
  description: Text.optional().describe("Free text."),
  modelType: Text.optional().describe("Architecture that the shape is for."),
  parameterCount: Text.optional().describe("Number of parameters, as a string of digits."),
  acceleratorCount: Count.optional().describe("Accelerators per replica."),
  acceleratorType: AcceleratorType.optional().describe("Accelerator of every replica."),
  precision: Precision.optional().describe("Numeric format."),
  disableDeploymentSizeValidation: Flag.optional().describe("Skips the check that the model fits."),
  enableAddons: Flag.optional().describe("PEFT addons can be loaded."),
  draftTokenCount: Count.optional().describe("Tokens drafted per step."),
  draftModel: Text.optional().describe("Draft model for speculation."),
  ngramSpeculationLength: Count.optional().describe("Length of the input used for N-gram speculation."),
  disableSpeculativeDecoding: Flag.optional().describe("No speculative decoding."),
  enableSessionAffinity: Flag.optional().describe("Requests of one user stay on one replica."),
  numLoraDeviceCached: Count.optional().describe("Addons kept in accelerator memory."),
  maxContextLength: Count.optional().describe("Longest context."),
  presetType: openEnum("PRESET_TYPE_UNSPECIFIED").optional().describe("What the shape is tuned for."),
};

export const DeploymentShape = defineResource("DeploymentShape", {
  summary: "A pre-configured template for deployments of one model.",
  collection: "deploymentShapes",
  name: "accounts/{account}/deploymentShapes/{deploymentShapeId}",
  identity: { decidedBy: "service" },
  inputs: z.strictObject({}),
  outputs: z.object(snapshotFields),
  operations: {
    get: { route: "GET /v1/{name}?readMask={readMask}", provenance: "conventional", convention: "A020" },
    list: {
      route:
        "GET /v1/accounts/{account}/deploymentShapes?pageSize={pageSize}&pageToken={pageToken}&filter={filter}&orderBy={orderBy}&readMask={readMask}",
      provenance: "conventional",
      convention: "A020",
    },
  },
  listOrder: "name",
  example: {},
});

export const DeploymentShapeVersion = defineResource("DeploymentShapeVersion", {
  summary: "A version of a deployment shape, validated or not.",
  collection: "deploymentShapeVersions",
  name: "accounts/{account}/deploymentShapes/{deploymentShapeId}/versions/{versionId}",
  identity: { decidedBy: "service" },
  inputs: z.strictObject({}),
  outputs: z.object({
    name: Text.describe("Resource name: `accounts/{account}/deploymentShapes/{id}/versions/{id}`."),
    createTime: Timestamp.optional().describe("When the version was made."),
    snapshot: z
      .object(snapshotFields)
      .meta({ id: "DeploymentShapeSnapshot" })
      .optional()
      .describe("The shape as it was then."),
    validated: Flag.optional().describe("Tried out by the service."),
    public: Flag.optional().describe("Usable by every account."),
    latestValidated: Flag.optional().describe("The newest validated version of its shape."),
  }),
  operations: {
    get: { route: "GET /v1/{name}?readMask={readMask}", provenance: "conventional", convention: "A020" },
    list: {
      route:
        "GET /v1/accounts/{account}/deploymentShapes/{deploymentShapeId}/versions?pageSize={pageSize}&pageToken={pageToken}&filter={filter}&orderBy={orderBy}&readMask={readMask}",
      provenance: "listed",
    },
    match: {
      route: "POST /v1/accounts/{account}/deploymentShapeVersions:match",
      provenance: "conventional",
      convention: "A020",
      effect: "readViaPost",
      name: "matchDeploymentShapeVersions",
      body: { within: { kind: "Deployment", path: ["createDeploymentRequest", "deployment"] } },
    },
  },
  listOrder: "create_time",
  example: {},
});

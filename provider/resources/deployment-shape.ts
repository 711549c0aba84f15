import { defineResource } from "../core/declaration/resource";
import { Count, Flag, Text, Timestamp } from "../core/fields/atoms";
import { openEnum } from "../core/fields/fields";
import { z } from "../core/zod";
import { AcceleratorType, Precision, times } from "./messages";

const snapshotFields = {
  name: Text.optional().describe("Resource name of the shape, `accounts/{account}/deploymentShapes/{id}`."),
  ...times,
  baseModel: Text.optional().describe("Model that deployments of the shape serve."),
  displayName: Text.optional().describe("Name that people see for the shape."),
  description: Text.optional().describe("What the shape is for, in free text."),
  modelType: Text.optional().describe("Architecture of the models that the shape is for."),
  parameterCount: Text.optional().describe("Number of parameters of the model, as a string of digits."),
  acceleratorCount: Count.optional().describe("Number of accelerators that each replica has."),
  acceleratorType: AcceleratorType.optional().describe("Kind of accelerator that each replica runs on."),
  precision: Precision.optional().describe("Numeric format that the weights are served in."),
  disableDeploymentSizeValidation: Flag.optional().describe(
    "Whether the check that the model fits the accelerators is skipped.",
  ),
  enableAddons: Flag.optional().describe("Whether PEFT addons can be loaded."),
  draftTokenCount: Count.optional().describe("Number of tokens that the draft model proposes per step."),
  draftModel: Text.optional().describe("Smaller model that drafts tokens for speculative decoding."),
  ngramSpeculationLength: Count.optional().describe("Length of the input used for N-gram speculation."),
  disableSpeculativeDecoding: Flag.optional().describe("Whether speculative decoding is off."),
  enableSessionAffinity: Flag.optional().describe("Whether requests with the same `user` go to the same replica."),
  numLoraDeviceCached: Count.optional().describe("Number of addons that are kept in accelerator memory."),
  maxContextLength: Count.optional().describe("Longest context that a request may have."),
  presetType: openEnum({ PRESET_TYPE_UNSPECIFIED: "The service reports no preset." })
    .optional()
    .describe("What the shape is tuned for."),
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
    name: Text.describe("Resource name, `accounts/{account}/deploymentShapes/{shape}/versions/{id}`."),
    createTime: Timestamp.optional().describe("When the version was created."),
    snapshot: z
      .object(snapshotFields)
      .meta({ id: "DeploymentShapeSnapshot" })
      .optional()
      .describe("Settings of the shape in this version."),
    validated: Flag.optional().describe("Whether the service has tried the version out."),
    public: Flag.optional().describe("Whether every account can use the version."),
    latestValidated: Flag.optional().describe("Whether it is the newest validated version of its shape."),
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
      lists: true,
      ofAnyAccount: true,
      body: { within: { kind: "Deployment", path: ["createDeploymentRequest", "deployment"] } },
    },
  },
  listOrder: "create_time",
  example: {},
});

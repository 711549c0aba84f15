import { defineResource } from "../core/declaration/resource";
import { BooleanField, NonNegativeInt, TextField, Timestamp } from "../core/fields/atoms";
import { openEnum } from "../core/fields/fields";
import { z } from "../core/zod";
import { AcceleratorType, Precision, times } from "./messages";

const snapshotFields = {
  name: TextField.optional().describe("Resource name of the shape, `accounts/{account}/deploymentShapes/{id}`."),
  ...times,
  baseModel: TextField.optional().describe("Model that deployments of the shape serve."),
  displayName: TextField.optional().describe("Name that people see for the shape."),
  description: TextField.optional().describe("What the shape is for, in free text."),
  modelType: TextField.optional().describe("Architecture of the models that the shape is for."),
  parameterCount: TextField.optional().describe("Number of parameters of the model, as a string of digits."),
  acceleratorCount: NonNegativeInt.optional().describe("Number of accelerators that each replica has."),
  acceleratorType: AcceleratorType.optional().describe("Kind of accelerator that each replica runs on."),
  precision: Precision.optional().describe("Numeric format that the weights are served in."),
  disableDeploymentSizeValidation: BooleanField.optional().describe(
    "Whether the check that the model fits the accelerators is skipped.",
  ),
  enableAddons: BooleanField.optional().describe("Whether PEFT addons can be loaded."),
  draftTokenCount: NonNegativeInt.optional().describe("Number of tokens that the draft model proposes per step."),
  draftModel: TextField.optional().describe("Smaller model that drafts tokens for speculative decoding."),
  ngramSpeculationLength: NonNegativeInt.optional().describe("Length of the input used for N-gram speculation."),
  disableSpeculativeDecoding: BooleanField.optional().describe("Whether speculative decoding is off."),
  enableSessionAffinity: BooleanField.optional().describe(
    "Whether requests with the same `user` go to the same replica.",
  ),
  numLoraDeviceCached: NonNegativeInt.optional().describe("Number of addons that are kept in accelerator memory."),
  maxContextLength: NonNegativeInt.optional().describe("Longest context that a request may have."),
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
    name: TextField.describe("Resource name, `accounts/{account}/deploymentShapes/{shape}/versions/{id}`."),
    createTime: Timestamp.optional().describe("When the version was created."),
    snapshot: z
      .object(snapshotFields)
      .meta({ id: "DeploymentShapeSnapshot" })
      .optional()
      .describe("Settings of the shape in this version."),
    validated: BooleanField.optional().describe("Whether the service has tried the version out."),
    public: BooleanField.optional().describe("Whether every account can use the version."),
    latestValidated: BooleanField.optional().describe("Whether it is the newest validated version of its shape."),
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

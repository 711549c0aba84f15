import type { FunctionSpec } from "../core/declaration/surface";
import { BooleanField, TextField } from "../core/fields/atoms";
import { field } from "../core/fields/fields";
import { z } from "../core/zod";
import { FileAddresses, UploadRequest } from "./model";

const as = {
  as: field(TextField, { default: "`accountId` where there is a key for it, else the default account" })
    .optional()
    .describe("Account whose key is used."),
};
const accountId = field(TextField, { default: "the default account", example: "acme" });
const account = { accountId: accountId.optional().describe("Account that is asked about."), ...as };
const readMask = {
  readMask: field(TextField, { default: "all", example: "name,createTime" })
    .optional()
    .describe("Names of the fields to return, in camel case, separated by commas."),
};
const selection = {
  filter: field(TextField, { default: "all objects", example: 'create_time>"2026-01-01T00:00:00Z"' })
    .optional()
    .describe("Which objects to return, in AIP-160 syntax with field names in snake case."),
  pageSize: field(z.int().min(1), { default: "200" })
    .optional()
    .describe("Number of objects per request, at most 200. Every page is read, whatever the size."),
  ...readMask,
};
const ordered = {
  ...selection,
  orderBy: field(TextField, { default: "the order of the service", example: "create_time desc" })
    .optional()
    .describe(
      "Names of the fields to sort by, in snake case, separated by commas. ` desc` after a name reverses its order.",
    ),
};

/** The functions of this package. Lists read every page. */
export const functions = {
  getPolicySettings: {
    summary: "Reads the governance policy of an account. Fails where none was ever saved.",
    inputs: z.strictObject(account),
    answer: { one: "PolicySettings" },
    example: {},
  },
  getModel: {
    summary: "Reads a model: its metadata, its state and where it is deployed.",
    inputs: z.strictObject({
      modelId: field(TextField, { example: "support-8b" }).describe(
        "Id of the model: the last segment of its resource name.",
      ),
      ...account,
      ...readMask,
    }),
    answer: { one: "Model" },
    example: { modelId: "open-8b", accountId: "platform" },
  },
  getDeployment: {
    summary: "Reads a deployment: its settings, its state and its replicas.",
    inputs: z.strictObject({
      deploymentId: field(TextField, { example: "chat" }).describe(
        "Id of the deployment: the last segment of its resource name.",
      ),
      ...account,
      ...readMask,
    }),
    answer: { one: "Deployment" },
    example: { deploymentId: "chat" },
  },
  getRlorTrainerJob: {
    summary: "Reads a reinforcement fine-tuning job: its settings, its state and how far it has got.",
    inputs: z.strictObject({
      rlorTrainerJobId: field(TextField, { example: "judgement-2" }).describe(
        "Id of the job: the last segment of its resource name.",
      ),
      ...account,
      ...readMask,
    }),
    answer: { one: "RlorTrainerJob" },
    example: { rlorTrainerJobId: "judgement" },
  },
  getResponse: {
    summary: "Reads a model's response that the service has stored.",
    inputs: z.strictObject({
      responseId: field(TextField, { example: "resp_1" }).describe("Id of the response, as the service returned it."),
      ...as,
    }),
    answer: { one: "StoredResponse" },
    example: { responseId: "resp_1" },
  },
  listAccounts: {
    summary: "Lists the accounts that a key can see, by name.",
    inputs: z.strictObject({ ...as, ...selection }),
    answer: { all: "Account", as: "accounts" },
    example: {},
  },
  listDeployments: {
    summary: "Lists the deployments of an account.",
    inputs: z.strictObject({
      ...account,
      ...ordered,
      showDeleted: field(BooleanField, { default: "`false`" })
        .optional()
        .describe("Whether to return soft-deleted deployments too."),
    }),
    answer: { all: "Deployment", as: "deployments" },
    example: { filter: 'state="READY"' },
  },
  listUsers: {
    summary: "Lists the users of an account.",
    inputs: z.strictObject({ ...account, ...ordered }),
    answer: { all: "User", as: "users" },
    example: { orderBy: "email" },
  },
  listDeployedModels: {
    summary: "Lists the models that are loaded onto an account's deployments.",
    inputs: z.strictObject({ ...account, ...ordered }),
    answer: { all: "DeployedModel", as: "deployedModels" },
    example: {},
  },
  listSupervisedFineTuningJobs: {
    summary: "Lists the supervised fine-tuning jobs of an account.",
    inputs: z.strictObject({ ...account, ...ordered }),
    answer: { all: "SupervisedFineTuningJob", as: "supervisedFineTuningJobs" },
    example: { orderBy: "create_time desc" },
  },
  listRlorTrainerJobs: {
    summary: "Lists the reinforcement fine-tuning steps of an account.",
    inputs: z.strictObject({ ...account, ...ordered }),
    answer: { all: "RlorTrainerJob", as: "rlorTrainerJobs" },
    example: {},
  },
  listDeploymentShapeVersions: {
    summary: "Lists versions of deployment shapes, such as the validated ones for a model.",
    inputs: z.strictObject({
      deploymentShapeId: field(TextField, { example: "-" }).describe(
        "Id of the shape, the last segment of its resource name, or `-` for all shapes.",
      ),
      accountId: accountId
        .optional()
        .describe("Account that has the shape, or `-` for all accounts that show their shapes."),
      ...as,
      ...ordered,
    }),
    answer: { all: "DeploymentShapeVersion", as: "deploymentShapeVersions" },
    example: { accountId: "platform", deploymentShapeId: "-", filter: "latest_validated=true" },
  },
  matchDeploymentShapeVersions: {
    summary: "Finds the validated shape versions that fit a deployment. Takes the inputs of the resource `Deployment`.",
    inputs: z.strictObject(as),
    inputsOfKind: "Deployment",
    answer: { all: "DeploymentShapeVersion", as: "deploymentShapeVersions" },
    example: { baseModel: "accounts/platform/models/open-8b" },
  },
  validateDeployment: {
    summary:
      "Asks the service whether and how it would create a deployment, without creating it. Takes the inputs of the resource `Deployment`.",
    operation: "createDeployment",
    inputs: z.strictObject(as),
    inputsOfKind: "Deployment",
    answer: { one: "Deployment" },
    example: { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" },
    fixed: { validateOnly: true },
  },
  getModelUploadEndpoint: {
    summary:
      "Gets signed addresses to upload a model's files to. They are credentials: a preview does not ask for them.",
    inputs: z.strictObject({
      modelId: field(TextField, { example: "support-8b" }).describe(
        "Id of the model: the last segment of its resource name.",
      ),
      ...UploadRequest.shape,
      ...account,
    }),
    answer: { message: FileAddresses },
    example: { modelId: "support-8b", filenameToSize: { "model.safetensors": 1048576 } },
  },
} as const satisfies Record<string, FunctionSpec>;

export type FunctionName = keyof typeof functions;

import { z } from "zod";
import { Flag, Text } from "../core/atoms";
import type { FunctionSpec } from "../core/functions";
import { FileAddresses, UploadRequest } from "./model";

const as = {
  as: Text.optional().describe(
    "Account whose key is used. Default: the one in `accountId` where its key is held, else the default account.",
  ),
};
const account = { accountId: Text.optional().describe("Account to look in. Default: the default account."), ...as };
const readMask = { readMask: Text.optional().describe("Fields to return, separated by commas. Default: all.") };
const selection = {
  filter: Text.optional().describe(
    'Which objects, in AIP-160 syntax: `state="READY" AND create_time>"2026-01-01T00:00:00Z"`. Default: all.',
  ),
  pageSize: z
    .int()
    .min(1)
    .optional()
    .describe("Objects per request, at most 200. Every page is read, whatever the size. Default: 200."),
  ...readMask,
};
const ordered = {
  ...selection,
  orderBy: Text.optional().describe("Fields to sort by, separated by commas, each with ` desc` or without."),
};

/** The functions of this package. Lists read every page. */
export const functions = {
  getPolicySettings: {
    summary: "Reads the governance policy of an account; fails where none was ever saved.",
    inputs: z.strictObject(account),
    answer: { one: "PolicySettings" },
    example: {},
  },
  getModel: {
    summary: "Reads a model.",
    inputs: z.strictObject({ modelId: Text.describe("Last segment of the model's name."), ...account, ...readMask }),
    answer: { one: "Model" },
    example: { modelId: "open-8b", accountId: "platform" },
  },
  getDeployment: {
    summary: "Reads a deployment.",
    inputs: z.strictObject({
      deploymentId: Text.describe("Last segment of the deployment's name."),
      ...account,
      ...readMask,
    }),
    answer: { one: "Deployment" },
    example: { deploymentId: "chat" },
  },
  getRlorTrainerJob: {
    summary: "Reads a reinforcement fine-tuning step.",
    inputs: z.strictObject({
      rlorTrainerJobId: Text.describe("Last segment of the job's name."),
      ...account,
      ...readMask,
    }),
    answer: { one: "RlorTrainerJob" },
    example: { rlorTrainerJobId: "judgement" },
  },
  getResponse: {
    summary: "Reads a stored response.",
    inputs: z.strictObject({ responseId: Text.describe("Id of the response."), ...as }),
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
      showDeleted: Flag.optional().describe("Whether soft-deleted ones are listed too. Default: false."),
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
      deploymentShapeId: Text.describe("Last segment of the shape's name, or `-` for all shapes."),
      accountId: Text.optional().describe(
        "Account to look in, or `-` for all accounts that show their shapes. Default: the default account.",
      ),
      ...as,
      ...ordered,
    }),
    answer: { all: "DeploymentShapeVersion", as: "deploymentShapeVersions" },
    example: { accountId: "platform", deploymentShapeId: "-", filter: "latest_validated=true" },
  },
  matchDeploymentShapeVersions: {
    summary: "Finds the validated shape versions that fit a deployment. Takes what the resource `Deployment` takes.",
    inputs: z.strictObject(as),
    takes: "Deployment",
    answer: { all: "DeploymentShapeVersion", as: "deploymentShapeVersions" },
    example: { baseModel: "accounts/platform/models/open-8b" },
  },
  validateDeployment: {
    summary:
      "Asks the service whether it would create a deployment, and how; nothing is created. Takes what the resource `Deployment` takes.",
    operation: "createDeployment",
    inputs: z.strictObject(as),
    takes: "Deployment",
    answer: { one: "Deployment" },
    example: { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" },
    fixed: { validateOnly: true },
  },
  getModelUploadEndpoint: {
    summary:
      "Gets signed addresses to upload a model's files to. They are credentials: a preview does not ask for them.",
    inputs: z.strictObject({
      modelId: Text.describe("Last segment of the model's name."),
      ...UploadRequest.shape,
      ...account,
    }),
    answer: { message: FileAddresses },
    example: { modelId: "support-8b", filenameToSize: { "model.safetensors": 1048576 } },
  },
} as const satisfies Record<string, FunctionSpec>;

export type FunctionName = keyof typeof functions;

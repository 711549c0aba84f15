import { z } from "zod";
import { Count, Flag, Text } from "../core/atoms";
import { field, secret } from "../core/fields";
import type { ResourceSpec } from "../core/resource";
import { Account } from "./account";
import { DeployedModel } from "./deployed-model";
import { Deployment } from "./deployment";
import { DeploymentShapeVersion } from "./deployment-shape";
import { Model } from "./model";
import { PolicySettings } from "./policy-settings";
import { RlorTrainerJob } from "./rlor-trainer-job";
import { StoredResponse } from "./stored-response";
import { SupervisedFineTuningJob } from "./supervised-fine-tuning-job";
import { User } from "./user";

/** A function that programs can call. Its arguments are an operation's parameters and body, by name. */
export interface FunctionSpec<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  summary: string;
  /** Catalogue name of the operation, where it is not the function's own. */
  operation?: string;
  inputs: I;
  outputs: O;
  /** Query parameters that are always sent. */
  fixed?: Readonly<Record<string, boolean>>;
  /** The arguments that are in neither path nor query are fields of that kind; `within` says where in the body they stand. */
  message?: { kind: string; within: readonly string[] };
}

const as = { as: Text.optional().describe("Account whose key is used. Default: the one in `accountId` where its key is held, else the default account.") };
const account = { accountId: Text.optional().describe("Account to look in. Default: the default account."), ...as };
const readMask = { readMask: Text.optional().describe("Fields to return, separated by commas. Default: all.") };
const selection = {
  filter: Text.optional().describe('Which objects, in AIP-160 syntax: `state="READY" AND create_time>"2026-01-01T00:00:00Z"`. Default: all.'),
  pageSize: z.int().min(1).optional().describe("Objects per request, at most 200. Every page is read, whatever the size. Default: 200."),
  ...readMask,
};
const ordered = { ...selection, orderBy: Text.optional().describe("Fields to sort by, separated by commas, each with ` desc` or without.") };

type Observed<I extends z.ZodObject, O extends z.ZodObject> = z.ZodObject<{ [F in keyof I["shape"]]: z.ZodOptional<I["shape"][F]> } & O["shape"]>;

/** An object as the service answers it: no options of this provider, and nothing that is never answered. */
function observed<K extends string, I extends z.ZodObject, O extends z.ZodObject>(spec: ResourceSpec<K, I, O>): Observed<I, O> {
  const names = spec.fields.message.filter(({ markers }) => !markers.inputOnly).map(({ name }) => name);
  const inputs = Object.fromEntries(names.map((name) => [name, (spec.inputs.shape[name] as z.ZodType).optional()]));
  return z.object({ ...inputs, ...spec.outputs.shape }) as unknown as Observed<I, O>;
}

/** All objects of a collection. */
function listed<const C extends string, K extends string, I extends z.ZodObject, O extends z.ZodObject>(collection: C, spec: ResourceSpec<K, I, O>) {
  const shape = {
    [collection]: z.array(observed(spec).meta({ id: `Listed${spec.kind}` })).describe("The objects, of all pages."),
    totalSize: Count.optional().describe("How many objects there are, as the service counts them."),
  } as { [P in C]: z.ZodArray<Observed<I, O>> } & { totalSize: z.ZodOptional<typeof Count> };
  return z.object(shape);
}

/** The functions of this package. Lists read every page. */
export const functions = {
  getPolicySettings: { summary: "Reads the governance policy of an account; fails where none was ever saved.", inputs: z.strictObject(account), outputs: observed(PolicySettings) },
  getModel: { summary: "Reads a model.", inputs: z.strictObject({ modelId: Text.describe("Last segment of the model's name."), ...account, ...readMask }), outputs: observed(Model) },
  getDeployment: { summary: "Reads a deployment.", inputs: z.strictObject({ deploymentId: Text.describe("Last segment of the deployment's name."), ...account, ...readMask }), outputs: observed(Deployment) },
  getRlorTrainerJob: { summary: "Reads a reinforcement fine-tuning step.", inputs: z.strictObject({ rlorTrainerJobId: Text.describe("Last segment of the job's name."), ...account, ...readMask }), outputs: observed(RlorTrainerJob) },
  getResponse: { summary: "Reads a stored response.", inputs: z.strictObject({ responseId: Text.describe("Id of the response."), ...as }), outputs: StoredResponse.outputs },
  listAccounts: { summary: "Lists the accounts that a key can see, by name.", inputs: z.strictObject({ ...as, ...selection }), outputs: listed("accounts", Account) },
  listDeployments: {
    summary: "Lists the deployments of an account.",
    inputs: z.strictObject({ ...account, ...ordered, showDeleted: Flag.optional().describe("Whether soft-deleted ones are listed too. Default: false.") }),
    outputs: listed("deployments", Deployment),
  },
  listUsers: { summary: "Lists the users of an account.", inputs: z.strictObject({ ...account, ...ordered }), outputs: listed("users", User) },
  listDeployedModels: { summary: "Lists the models that are loaded onto an account's deployments.", inputs: z.strictObject({ ...account, ...ordered }), outputs: listed("deployedModels", DeployedModel) },
  listSupervisedFineTuningJobs: { summary: "Lists the supervised fine-tuning jobs of an account.", inputs: z.strictObject({ ...account, ...ordered }), outputs: listed("supervisedFineTuningJobs", SupervisedFineTuningJob) },
  listRlorTrainerJobs: { summary: "Lists the reinforcement fine-tuning steps of an account.", inputs: z.strictObject({ ...account, ...ordered }), outputs: listed("rlorTrainerJobs", RlorTrainerJob) },
  listDeploymentShapeVersions: {
    summary: "Lists versions of deployment shapes, such as the validated ones for a model.",
    inputs: z.strictObject({
      deploymentShapeId: Text.describe("Last segment of the shape's name, or `-` for all shapes."),
      accountId: Text.optional().describe("Account to look in, or `-` for all accounts that show their shapes. Default: the default account."),
      ...as,
      ...ordered,
    }),
    outputs: listed("deploymentShapeVersions", DeploymentShapeVersion),
  },
  matchDeploymentShapeVersions: {
    summary: "Finds the validated shape versions that fit a deployment. Takes what the resource `Deployment` takes.",
    inputs: Deployment.inputs.extend(as),
    outputs: listed("deploymentShapeVersions", DeploymentShapeVersion).omit({ totalSize: true }),
    message: { kind: "Deployment", within: ["createDeploymentRequest", "deployment"] },
  },
  validateDeployment: {
    summary: "Asks the service whether it would create a deployment, and how; nothing is created. Takes what the resource `Deployment` takes.",
    operation: "createDeployment",
    inputs: Deployment.inputs.extend(as),
    outputs: observed(Deployment),
    fixed: { validateOnly: true },
    message: { kind: "Deployment", within: [] },
  },
  getModelUploadEndpoint: {
    summary: "Gets signed addresses to upload a model's files to. They are credentials: a preview does not ask for them.",
    inputs: z.strictObject({
      modelId: Text.describe("Last segment of the model's name."),
      filenameToSize: z.record(z.string(), Count).describe("Files to upload, with their sizes in bytes."),
      enableResumableUpload: Flag.optional().describe("Whether uploads are resumable instead of one PUT. Default: false."),
      ...account,
      ...readMask,
    }),
    outputs: z.object({
      filenameToSignedUrls: secret(field(z.record(z.string(), Text), { volatile: true })).optional().describe("Signed addresses, by file."),
      filenameToUnsignedUris: z.record(z.string(), Text).optional().describe("Storage addresses, by file, where the caller may write to them directly."),
    }),
  },
} as const satisfies Record<string, FunctionSpec>;

export type FunctionName = keyof typeof functions;

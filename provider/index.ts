import { type DynamicResource, dynamicResource } from "./pulumi/dynamic";
import { invocation } from "./pulumi/functions";
import type { Args } from "./pulumi/types";

export {
  isAborted,
  isAlreadyExists,
  isAmbiguousOutcome,
  isConfigurationError,
  isConflict,
  isDeadline,
  isFailedPrecondition,
  isForbidden,
  isModelPlatformError,
  isNotFound,
  isUnsupportedOperation,
  ModelPlatformError,
} from "./core/errors";
export { filterFor } from "./pulumi/filter";
export type { FunctionOptions, Result } from "./pulumi/functions";
export { Provider, type ProviderArgs } from "./pulumi/provider";

export const Deployment = dynamicResource("Deployment");
export const User = dynamicResource("User");
export const Secret = dynamicResource("Secret");
export const PolicySettings = dynamicResource("PolicySettings");
export const SupervisedFineTuningJob = dynamicResource("SupervisedFineTuningJob");
export const RlorTrainerJob = dynamicResource("RlorTrainerJob");
export const DeployedModel = dynamicResource("DeployedModel");
export const Model = dynamicResource("Model");

export type Deployment = DynamicResource<"Deployment">;
export type User = DynamicResource<"User">;
export type Secret = DynamicResource<"Secret">;
export type PolicySettings = DynamicResource<"PolicySettings">;
export type SupervisedFineTuningJob = DynamicResource<"SupervisedFineTuningJob">;
export type RlorTrainerJob = DynamicResource<"RlorTrainerJob">;
export type DeployedModel = DynamicResource<"DeployedModel">;
export type Model = DynamicResource<"Model">;

export interface DeploymentArgs extends Args<"Deployment"> {}
export interface UserArgs extends Args<"User"> {}
export interface SecretArgs extends Args<"Secret"> {}
export interface PolicySettingsArgs extends Args<"PolicySettings"> {}
export interface SupervisedFineTuningJobArgs extends Args<"SupervisedFineTuningJob"> {}
export interface RlorTrainerJobArgs extends Args<"RlorTrainerJob"> {}
export interface DeployedModelArgs extends Args<"DeployedModel"> {}
export interface ModelArgs extends Args<"Model"> {}

export const { plain: getPolicySettings, output: getPolicySettingsOutput } = invocation("getPolicySettings");
export const { plain: getModel, output: getModelOutput } = invocation("getModel");
export const { plain: getDeployment, output: getDeploymentOutput } = invocation("getDeployment");
export const { plain: getRlorTrainerJob, output: getRlorTrainerJobOutput } = invocation("getRlorTrainerJob");
export const { plain: getResponse, output: getResponseOutput } = invocation("getResponse");
export const { plain: listAccounts, output: listAccountsOutput } = invocation("listAccounts");
export const { plain: listDeployments, output: listDeploymentsOutput } = invocation("listDeployments");
export const { plain: listUsers, output: listUsersOutput } = invocation("listUsers");
export const { plain: listDeployedModels, output: listDeployedModelsOutput } = invocation("listDeployedModels");
export const { plain: listSupervisedFineTuningJobs, output: listSupervisedFineTuningJobsOutput } =
  invocation("listSupervisedFineTuningJobs");
export const { plain: listRlorTrainerJobs, output: listRlorTrainerJobsOutput } = invocation("listRlorTrainerJobs");
export const { plain: listDeploymentShapeVersions, output: listDeploymentShapeVersionsOutput } =
  invocation("listDeploymentShapeVersions");
export const { plain: matchDeploymentShapeVersions, output: matchDeploymentShapeVersionsOutput } =
  invocation("matchDeploymentShapeVersions");
export const { plain: validateDeployment, output: validateDeploymentOutput } = invocation("validateDeployment");
export const { plain: getModelUploadEndpoint, output: getModelUploadEndpointOutput } =
  invocation("getModelUploadEndpoint");

import * as account from "./account";
import * as deployedModel from "./deployed-model";
import * as deployment from "./deployment";
import * as deploymentShapeVersion from "./deployment-shape-version";
import * as jobProgress from "./job-progress";
import * as model from "./model";
import * as policySettings from "./policy-settings";
import * as rlorTrainerJob from "./rlor-trainer-job";
import * as secret from "./secret";
import * as storedResponse from "./stored-response";
import * as supervisedFineTuningJob from "./supervised-fine-tuning-job";
import type { FieldFact, Kind, ResourceFacts, SettableKind } from "./types";
import * as user from "./user";

export const reference: Readonly<Record<Kind, ResourceFacts>> = {
  PolicySettings: { ...policySettings, name: "accounts/{account_id}/policySettings", settable: true },
  DeploymentShapeVersion: {
    ...deploymentShapeVersion,
    name: "accounts/{account_id}/deploymentShapes/{deployment_shape_id}/versions/{version_id}",
    settable: false,
  },
  SupervisedFineTuningJob: {
    ...supervisedFineTuningJob,
    name: "accounts/{account_id}/supervisedFineTuningJobs/{supervised_fine_tuning_job_id}",
    settable: true,
  },
  JobProgress: { ...jobProgress, settable: false },
  RlorTrainerJob: {
    ...rlorTrainerJob,
    name: "accounts/{account_id}/rlorTrainerJobs/{rlor_trainer_job_id}",
    settable: true,
  },
  DeployedModel: {
    ...deployedModel,
    name: "accounts/{account_id}/deployedModels/{deployed_model_id}",
    settable: true,
  },
  User: { ...user, name: "accounts/{account_id}/users/{user_id}", settable: true },
  Account: { ...account, name: "accounts/{account_id}", settable: false },
  Model: { ...model, name: "accounts/{account_id}/models/{model_id}", settable: true },
  Deployment: { ...deployment, name: "accounts/{account_id}/deployments/{deployment_id}", settable: true },
  Secret: { ...secret, name: "accounts/{account_id}/secrets/{secret_id}", settable: true },
  StoredResponse: { ...storedResponse, settable: false },
};

export const settableKinds = (Object.keys(reference) as Kind[]).filter(
  (kind): kind is SettableKind => reference[kind].settable,
);

/** What a program can set: all but the outputs and the resource name. */
export function settableFields(kind: SettableKind): FieldFact[] {
  return reference[kind].fields.filter((field) => !field.readOnly && field.path !== "name");
}

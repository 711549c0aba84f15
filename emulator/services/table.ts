import { deployedModels } from "./deployed-models";
import { deployments } from "./deployments";
import { reinforcementJobs, supervisedJobs } from "./jobs";
import { models } from "./models";
import { policySettings } from "./policy-settings";
import { responses } from "./responses";
import { secrets } from "./secrets";
import type { Service } from "./service";
import { shapeVersions } from "./shapes";
import { users } from "./users";

const services: Readonly<Record<string, Service>> = {
  Deployment: deployments,
  DeployedModel: deployedModels,
  DeploymentShapeVersion: shapeVersions,
  Model: models,
  PolicySettings: policySettings,
  RlorTrainerJob: reinforcementJobs,
  Secret: secrets,
  StoredResponse: responses,
  SupervisedFineTuningJob: supervisedJobs,
  User: users,
};

const nothingMore: Service = {};

/** What a kind of object does beyond create, read, update and delete. */
export const serviceOf = (kind: string): Service => services[kind] ?? nothingMore;

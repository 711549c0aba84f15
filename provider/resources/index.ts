import type { ResourceSpec } from "../core/declaration/resource";
import { Account } from "./account";
import { DeployedModel } from "./deployed-model";
import { Deployment } from "./deployment";
import { DeploymentShape, DeploymentShapeVersion } from "./deployment-shape";
import { Model } from "./model";
import { PolicySettings } from "./policy-settings";
import { RlorTrainerJob } from "./rlor-trainer-job";
import { Secret } from "./secret";
import { BatchInferenceJob, StoredResponse } from "./stored-response";
import { SupervisedFineTuningJob } from "./supervised-fine-tuning-job";
import { User } from "./user";

/** Every kind of object of the service. */
export const specs = {
  Deployment,
  User,
  Secret,
  PolicySettings,
  SupervisedFineTuningJob,
  RlorTrainerJob,
  DeployedModel,
  Model,
  Account,
  DeploymentShape,
  DeploymentShapeVersion,
  StoredResponse,
  BatchInferenceJob,
} as const;

export type Kind = keyof typeof specs;

export const allSpecs: readonly ResourceSpec[] = Object.values(specs) as unknown as readonly ResourceSpec[];

/** Kinds that a program can declare: those it can create, and the ones that always exist. */
export const managedSpecs: readonly ResourceSpec[] = allSpecs.filter(
  (spec) => spec.operations["create"] !== undefined || spec.singleton,
);

/** The spec of a kind, or undefined for a kind that is not the service's. */
export const specOf = (kind: string): ResourceSpec | undefined => allSpecs.find((spec) => spec.kind === kind);

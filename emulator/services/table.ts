import { specOf } from "../../provider/resources";
import { withUpdateTime } from "../times";
import { removed } from "../transitions";
import type { StoredObject, World } from "../types";
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

/** Lets the next planned state of an object begin: the object with it, or without the object. */
export function arrive(world: World, object: StoredObject): void {
  const { plan = [] } = object;
  const next = plan[1]!;
  if (next.state === removed) {
    world.remove(object.name);
    return;
  }
  const fields = withUpdateTime(specOf(object.kind)!, { ...object.fields, state: next.state }, next.at);
  const moved = { ...object, fields, plan: plan.length > 2 ? plan.slice(1) : undefined };
  world.put(serviceOf(object.kind).onStateReached?.(moved, world, next.at) ?? moved);
}

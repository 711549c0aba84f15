import { slug } from "../../provider/core/values/names";
import { specOf } from "../../provider/resources/index";
import { unimplemented } from "../refusals";
import { nameOf } from "../routes";
import { withUpdateTime } from "../timestamps";
import { removed } from "../transitions";
import { ApiError, type Fields, type StoredObject, type World } from "../types";
import { deployedModels } from "./deployed-models";
import { deployments } from "./deployments";
import { shapeVersions } from "./hardware";
import { reinforcementJobs, supervisedJobs } from "./jobs";
import { models } from "./models";
import { policySettings } from "./policy-settings";
import type { Service, ServiceCall } from "./service";

/** A response that is not stored cannot be read back. */
const responses: Service = { isHidden: (object) => object.fields["store"] === false };

/** A read of a secret that is not there fails in one of two ways (A053). */
const secrets: Service = {
  missing: ({ settings, request, name }) =>
    request.method === "GET" && settings.missingSecret === 500
      ? new ApiError(500, 13, `internal error while reading ${name}`)
      : undefined,
};

/** The id comes from the address: its local part, then all of it, then with a number. */
function idFrom(fields: Fields, { world, spec, account }: ServiceCall): string {
  const email = String(fields["email"] ?? "");
  const whole = slug(email);
  const candidates = [slug(email.split("@")[0]!), whole];
  const free = candidates.find((id) => isFree(id));
  if (free !== undefined) return free;
  for (let number = 2; ; number++) if (isFree(`${whole}-${number}`)) return `${whole}-${number}`;

  function isFree(userId: string): boolean {
    return world.get(nameOf(spec, { account, userId })) === undefined;
  }
}

export const users: Service = {
  id: idFrom,
  // A preset means nothing without the role that it is for; one that the request itself brings is judged by the rule.
  update: ({ after, changed }) => {
    if (after.fields["role"] === "custom" || changed.has("permissionPreset")) return after;
    const { permissionPreset: _, ...fields } = after.fields;
    return { ...after, fields };
  },
  delete: (object, { settings, name }) => {
    if (settings.userDelete === "unimplemented")
      throw unimplemented(`deleting users is not implemented: DELETE ${name}`);
    return object;
  },
};

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

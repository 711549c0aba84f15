import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { lastSegment } from "../../provider/core/values/names";
import { specs } from "../../provider/resources/index";
import { failedPrecondition } from "../refusals";
import { flag } from "../routes";
import { withUpdateTime } from "../timestamps";
import { declaredPath, isGone, paceOf, startPath, stateOf, stayOf, stopAt } from "../transitions";
import type { StoredObject, World } from "../types";
import { rejectUnusableModel } from "./models";
import type { Service, ServiceCall } from "./service";

const spec = specs.DeployedModel as unknown as ResourceSpec;

const deployment = specs.Deployment as unknown as ResourceSpec;

/** Records of a model that are there or on their way. */
const recordsOf = (world: World, account: string, model: unknown): StoredObject[] =>
  world.list(spec.kind, account).filter((record) => record.fields["model"] === model && !isGone(spec, record));

const isDeployed = (world: World, account: string, model: string): boolean =>
  recordsOf(world, account, model).length > 0;

/** The id that the service gives. */
const newDeployedModelId = (model: string, uuid: string): string => `${lastSegment(model)}-${uuid.slice(0, 8)}`;

/** Loading begins once the deployment serves. */
function startLoading(object: StoredObject, world: World, now: number, pace: number): StoredObject {
  const target = world.get(String(object.fields["deployment"]));
  const start = target && stateOf(target) === "CREATING" ? (stayOf(target)?.to ?? now) : now;
  const begunThen = startPath(object, declaredPath(spec, "create")!, start, pace);
  return { ...begunThen, plan: [{ state: "DEPLOYING", at: now }, ...begunThen.plan!.slice(1)] };
}

/** The first record of a model is its default, regardless of the request (section 3). */
function withDefaultIfFirst(object: StoredObject, world: World, account: string): StoredObject {
  if (isDeployed(world, account, String(object.fields["model"]))) return object;
  return { ...object, fields: { ...object.fields, default: true } };
}

/** A model has one default: who gets it takes it from the others (A081). */
function handOver(object: StoredObject, { world, account, now }: ServiceCall): void {
  if (object.fields["default"] !== true) return;
  for (const other of recordsOf(world, account, object.fields["model"])) {
    if (other.name === object.name || other.fields["default"] !== true) continue;
    world.put({ ...other, fields: withUpdateTime(spec, { ...other.fields, default: false }, now) });
  }
}

/** There is no failed state: a record that cannot be loaded stays DEPLOYING and says why in its status (A081). */
function loaded(object: StoredObject, world: World): StoredObject {
  if (stateOf(object) !== "DEPLOYED") return object;
  const target = world.get(String(object.fields["deployment"]));
  const serves = target !== undefined && !isGone(deployment, target) && stateOf(target) !== "FAILED";
  if (serves) return object;
  const message = `${String(object.fields["deployment"])} ${target ? `is ${stateOf(target)}` : "does not exist"}`;
  return stopAt(
    {
      ...object,
      fields: { ...object.fields, status: { code: target ? "FAILED_PRECONDITION" : "NOT_FOUND", message } },
    },
    "DEPLOYING",
  );
}

/** Addons beside `object` on a deployment that merges one at a time into its base model. */
function mergedBeside(object: StoredObject, { world, account }: ServiceCall): StoredObject[] {
  const target = world.get(String(object.fields["deployment"]));
  if (target?.fields["enableHotReloadLatestAddon"] !== true || object.fields["model"] === target.fields["baseModel"])
    return [];
  const beside = world
    .list(spec.kind, account)
    .filter((other) => other.name !== object.name && other.fields["deployment"] === target.name);
  return beside.filter((other) => other.fields["model"] !== target.fields["baseModel"] && !isGone(spec, other));
}

function newDeployedModel(object: StoredObject, call: ServiceCall): StoredObject {
  const { world, account, now, settings, request } = call;
  rejectUnusableModel(call, "model", object.fields["model"]);
  const [other] = mergedBeside(object, call);
  if (other && !flag(request.query, "replaceMergedAddon")) {
    throw failedPrecondition(
      `${String(object.fields["deployment"])} has ${String(other.fields["model"])} merged in; pass \`replaceMergedAddon=true\` to replace it`,
    );
  }
  return startLoading(withDefaultIfFirst(object, world, account), world, now, paceOf(world, settings));
}

export const deployedModels: Service = {
  id: (fields, { world }) => newDeployedModelId(String(fields["model"]), world.uuid()),
  create: newDeployedModel,
  created: (object, call) => {
    handOver(object, call);
    for (const other of mergedBeside(object, call)) unload(other, call);
  },
  updated: (object, call) => {
    // Its status is of the operation that has just begun.
    call.world.put({ ...object, fields: { ...object.fields, status: { code: "OK" } } });
    handOver(object, call);
  },
  onStateReached: loaded,
};

/** Loads the base model with a new deployment. */
export function autoDeploy(target: StoredObject, { world, account, now, settings }: ServiceCall): void {
  const model = String(target.fields["baseModel"]);
  if (isDeployed(world, account, model)) return;
  const name = `accounts/${account}/deployedModels/${newDeployedModelId(model, world.uuid())}`;
  const fields = withUpdateTime(
    spec,
    { name, model, deployment: target.name, default: true, status: { code: "OK" } },
    now,
  );
  const object = { kind: spec.kind, name, fields: { ...fields, createTime: fields["updateTime"] } };
  world.put(startLoading(object, world, now, paceOf(world, settings)));
}

/** A service may want a deployment to be empty before it goes; the reference says nothing about it. */
export function rejectInUse(target: StoredObject, { world, account, settings }: ServiceCall): void {
  if (settings.deploymentInUse !== "refuse") return;
  const loaded = world.list(spec.kind, account).filter((record) => record.fields["deployment"] === target.name);
  if (loaded.length > 0)
    throw failedPrecondition(
      `${target.name} has deployed models: ${loaded.map(({ name }) => name).join(", ")}; undeploy them first`,
    );
}

export function unloadAll(target: StoredObject, call: ServiceCall): void {
  for (const record of call.world.list(spec.kind, call.account))
    if (record.fields["deployment"] === target.name) unload(record, call);
}

function unload(record: StoredObject, { world, now, settings }: ServiceCall): void {
  if (isGone(spec, record)) return;
  const going = { ...record, fields: withUpdateTime(spec, record.fields, now) };
  world.put(startPath(going, declaredPath(spec, "delete")!, now, paceOf(world, settings)));
}

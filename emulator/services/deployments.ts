import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { lastSegment } from "../../provider/core/values/names";
import { omitUndefined } from "../../provider/core/values/values";
import { specs } from "../../provider/resources/index";
import { failedPrecondition, invalidField } from "../refusals";
import { directivesOf, flag } from "../routes";
import { withUpdateTime } from "../times";
import { declaredPath, paceOf, startPath, stateOf, stopAt } from "../transitions";
import type { Fields, StoredObject } from "../types";
import {
  annotationsOf,
  changeAnnotations,
  deleteTags,
  rejectInTransition,
  rejectUnprefixedKeys,
  setTags,
} from "./annotations";
import { autoDeploy, rejectInUse, unloadAll } from "./deployed-models";
import { hardwareFor, outcomeOf, regionFor } from "./hardware";
import { rejectUnusableModel } from "./models";
import { rejectForbiddenDeployment } from "./policy-settings";
import { hasRecentTraffic, recordTraffic, withReplicas } from "./replicas";
import type { ObjectChange, Service, ServiceCall } from "./service";
import { isOwned, resolveShape, shapedFields, withoutSpeculation } from "./shapes";

const spec = specs.Deployment as unknown as ResourceSpec;

export { recordTraffic };

function newDeployment(object: StoredObject, call: ServiceCall): StoredObject {
  const { world, account, request } = call;
  const model = String(object.fields["baseModel"]);
  const directives = directivesOf(spec, request.query);
  rejectUnusableModel(call, "baseModel", model);
  rejectUnprefixedKeys(Object.keys(annotationsOf(object)), call);
  rejectForbiddenDeployment(world, account, model, object.fields["placement"] as Fields | undefined);
  const input = String(object.fields["deploymentShape"] ?? "");
  const plain = directives["disableSpeculativeDecoding"] === true;
  const asked = plain ? withoutSpeculation(object.fields) : object.fields;
  const shapeRequest = {
    input,
    model,
    fields: { ...asked, ...directives },
    unvalidated: flag(request.query, "skipShapeValidation"),
  };
  if (input === "") rejectShapeless(call);
  const shape = input === "" ? undefined : resolveShape(world, account, shapeRequest);
  const shaped = shape ? { ...asked, ...shapedFields(shape), deploymentShape: shape.name } : asked;
  const fields = withDefaults(plain ? { ...shaped, draftModel: "" } : shaped, undefined, call);
  const version = String(fields["targetModelVersion"] ?? fields["activeModelVersion"] ?? "v1");
  const placed = {
    ...fields,
    activeModelVersion: version,
    targetModelVersion: version,
    region: regionFor(world, account, fields),
  };
  return failIfUnservable(
    { ...object, fields: placed, notes: { defaultMost: defaultMost(shaped, undefined, fields) } },
    call,
  );
}

/** The description announces that a deployment without a shape will need the caller's word for it. */
function rejectShapeless({ settings, request }: ServiceCall): void {
  if (settings.shapeless === "refuse" && !flag(request.query, "acceptShapelessRisk"))
    throw invalidField(
      "deploymentShape",
      "is required; pass `acceptShapelessRisk=true` to create a deployment without a shape",
    );
}

/** Whether the largest number of replicas is the service's to choose: absent, or still what it chose last. */
const isOpen = (fields: Fields, notes: Fields | undefined): boolean =>
  fields["maxReplicaCount"] === undefined || fields["maxReplicaCount"] === notes?.["defaultMost"];

/** The number that the service chose, to distinguish it from a user's. */
const defaultMost = (input: Fields, notes: Fields | undefined, chosen: Fields): unknown =>
  isOpen(input, notes) ? chosen["maxReplicaCount"] : undefined;

/** The members that the request leaves to the service. */
function withDefaults(fields: Fields, notes: Fields | undefined, { world }: ServiceCall): Fields {
  const least = Number(fields["minReplicaCount"] ?? 0);
  const needsTransition = fields["enableHotLoad"] === true && !isChosen(fields["hotLoadTransitionType"]);
  return {
    ...fields,
    ...hardwareFor(world, fields),
    minReplicaCount: least,
    maxReplicaCount: isOpen(fields, notes) ? Math.max(least, 1) : fields["maxReplicaCount"],
    ...omitUndefined({ hotLoadTransitionType: needsTransition ? "ASYNC" : undefined }),
    ...handle(fields),
  };
}

const isChosen = (value: unknown): boolean => holdsText(value) && !String(value).endsWith("_UNSPECIFIED");

/** The address of a direct route; its form depends on its type. */
function handle(fields: Fields): Fields {
  const id = lastSegment(String(fields["name"]));
  switch (fields["directRouteType"]) {
    case "INTERNET":
      return { directRouteHandle: `${id}.direct.example.com` };
    case "CLOUDB_PRIVATE_SERVICE_CONNECT":
      return { directRouteHandle: `projects/platform/serviceAttachments/${id}` };
    case "CLOUDA_PRIVATELINK":
      return { directRouteHandle: `com.example.vpce.${id}` };
    default:
      return { directRouteHandle: "" };
  }
}

/** The service accepts a combination that the model was never validated for, then fails without saying why. */
function failIfUnservable(object: StoredObject, { world }: ServiceCall): StoredObject {
  const { failure: _, ...notes } = object.notes ?? {};
  return { ...object, notes: outcomeOf(world, object.fields) === "fails" ? { ...notes, failure: true } : notes };
}

function changedDeployment({ before, after: asked, changed }: ObjectChange, call: ServiceCall): StoredObject {
  const after = changed.has("annotations") ? changeAnnotations(before, asked, call) : asked;
  const changedFields = Object.fromEntries([...changed].map((name) => [name, after.fields[name]]));
  const shaped = applyNewShape(before, after, changedFields, call);
  const fields = withDefaults(shaped, after.notes, call);
  const notes = { ...after.notes, defaultMost: defaultMost(shaped, after.notes, fields) };
  const whole = { ...after, notes, fields: bumpVersion(before, fields, changed) };
  return [...changed].some(isOwned) || changed.has("deploymentShape") ? failIfUnservable(whole, call) : whole;
}

/** The shape that holds after the change, and what it decides. */
function applyNewShape(
  before: StoredObject,
  after: StoredObject,
  changedFields: Fields,
  { world, account, request }: ServiceCall,
): Fields {
  const input = String(after.fields["deploymentShape"] ?? "");
  if (input === "") return after.fields;
  const stays =
    input === before.fields["deploymentShape"] || (input === "default" && holdsText(before.fields["deploymentShape"]));
  const chosen = stays ? String(before.fields["deploymentShape"]) : input;
  if (stays && !Object.keys(changedFields).some(isOwned)) return { ...after.fields, deploymentShape: chosen };
  const unvalidated = stays || flag(request.query, "skipShapeValidation");
  const shape = resolveShape(world, account, {
    input: chosen,
    model: String(after.fields["baseModel"]),
    fields: changedFields,
    unvalidated,
  });
  return { ...after.fields, ...shapedFields(shape), deploymentShape: shape.name };
}

const holdsText = (value: unknown): boolean => typeof value === "string" && value !== "";

/** A new target is rolled out; until then the old version stays active. */
function bumpVersion(before: StoredObject, fields: Fields, changed: ReadonlySet<string>): Fields {
  const named = ["targetModelVersion", "activeModelVersion"].find((name) => changed.has(name));
  return {
    ...fields,
    activeModelVersion: before.fields["activeModelVersion"],
    targetModelVersion: (named && fields[named]) ?? before.fields["targetModelVersion"],
  };
}

/** What changes without touching a replica. */
const metadata: ReadonlySet<string> = new Set(["displayName", "description", "annotations"]);

function onRunning(object: StoredObject, at: number): StoredObject {
  switch (stateOf(object)) {
    case "READY": {
      const failure = { ...object.fields, status: { code: "INTERNAL", message: "internal error" } };
      if (object.notes?.["failure"] === true) return stopAt({ ...object, fields: failure }, "FAILED");
      const active = object.fields["targetModelVersion"];
      return {
        ...object,
        fields: { ...object.fields, status: { code: "OK" }, activeModelVersion: active },
        notes: { ...object.notes, readyAt: object.notes?.["readyAt"] ?? at },
      };
    }
    default:
      return object;
  }
}

function rejectIfUsed(object: StoredObject, call: ServiceCall): StoredObject {
  const { request, now } = call;
  if (hasRecentTraffic(object, now) && !flag(request.query, "ignoreChecks")) {
    throw failedPrecondition(
      `${object.name} served a request within the last hour; pass \`ignoreChecks=true\` to delete it all the same`,
    );
  }
  rejectInUse(object, call);
  return object;
}

function undelete(object: StoredObject, { world, settings, now }: ServiceCall): undefined {
  if (stateOf(object) !== "DELETED") throw failedPrecondition(`${object.name} is ${stateOf(object)}, not DELETED`);
  const { deleteTime: _, purgeTime: __, ...fields } = object.fields;
  const { readyAt: ___, servedAt: ____, ...notes } = object.notes ?? {};
  world.put(
    startPath(
      { ...object, fields: withUpdateTime(spec, fields, now), notes },
      declaredPath(spec, "create")!,
      now,
      paceOf(world, settings),
    ),
  );
}

function scale(object: StoredObject, { world, request, now }: ServiceCall): Fields {
  rejectInTransition(object);
  const count = (request.body as Fields | undefined)?.["replicaCount"];
  const most = Number(object.fields["maxReplicaCount"]);
  const fits = typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= most;
  if (!fits)
    throw invalidField(
      "replicaCount",
      `must be a whole number from 0 to ${most}, the deployment's \`maxReplicaCount\``,
    );
  world.put({
    ...object,
    fields: withUpdateTime(spec, object.fields, now),
    notes: { ...object.notes, scaledTo: count, scaledAt: now },
  });
  return {};
}

export const deployments: Service = {
  create: newDeployment,
  created: (object, call) => {
    if (!flag(call.request.query, "disableAutoDeploy")) autoDeploy(object, call);
  },
  update: changedDeployment,
  requiresRollout: ({ before, after, changed }) =>
    before.fields["targetModelVersion"] !== after.fields["targetModelVersion"] ||
    [...changed].some((name) => !metadata.has(name)),
  delete: rejectIfUsed,
  deleted: unloadAll,
  onStateReached: (object, _, at) => onRunning(object, at),
  view: (object, _, now) => withReplicas(object, now),
  verbs: { undelete, scale, setTags, deleteTags },
};

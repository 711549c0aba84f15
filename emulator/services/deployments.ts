import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { durationSeconds } from "../../provider/core/fields/equality";
import { lastSegment } from "../../provider/core/values/names";
import { isObject, omitUndefined } from "../../provider/core/values/values";
import { specs } from "../../provider/resources/index";
import { failedPrecondition, invalidField, permissionDenied } from "../refusals";
import { directivesOf, flag } from "../routes";
import { withUpdateTime } from "../timestamps";
import { declaredPath, inTransition, isGone, paceOf, startPath, stateOf, stayOf, stopAt } from "../transitions";
import type { Fields, StoredObject, World } from "../types";
import { autoDeploy, rejectInUse, unloadAll } from "./deployed-models";
import { hardwareFor, isOwned, outcomeOf, regionFor, resolveShape, shapedFields, withoutSpeculation } from "./hardware";
import { rejectUnusableModel } from "./models";
import { rejectForbiddenDeployment } from "./policy-settings";
import type { ObjectChange, Service, ServiceCall } from "./service";

/** Labels of deployments: the customer's own start with a prefix, others are the service's. */

const spec = specs.Deployment as unknown as ResourceSpec;

const customPrefix = "custom/";

/** Keys without the prefix are the service's own; a customer who writes one is refused (section 5, rule 5). */
function rejectUnprefixedKeys(keys: readonly string[], { caller }: ServiceCall): void {
  const bare = keys.find((key) => !key.startsWith(customPrefix));
  if (bare !== undefined && caller.role !== "superuser")
    throw permissionDenied(`the annotation key \`${bare}\` is reserved; keys must begin with \`${customPrefix}\``);
}

const annotationsOf = (object: StoredObject): Fields => (object.fields["annotations"] ?? {}) as Fields;

function changeAnnotations(before: StoredObject, after: StoredObject, call: ServiceCall): StoredObject {
  if (call.settings.annotationsPatch === "refuse")
    throw invalidField("annotations", "cannot be changed by an update; use `:setTags` and `:deleteTags`");
  const [was, is] = [annotationsOf(before), annotationsOf(after)];
  rejectUnprefixedKeys(
    Object.keys(is).filter((key) => is[key] !== was[key]),
    call,
  );
  if (call.caller.role === "superuser") return after;
  const reserved = Object.fromEntries(Object.entries(was).filter(([key]) => !key.startsWith(customPrefix)));
  return { ...after, fields: { ...after.fields, annotations: { ...reserved, ...is } } };
}

function rejectInTransition(object: StoredObject): void {
  if (isGone(spec, object) || inTransition(spec, object))
    throw failedPrecondition(`${object.name} is ${stateOf(object)}`);
}

export function setTags(object: StoredObject, call: ServiceCall): undefined {
  rejectInTransition(object);
  const tags = (call.request.body as Fields | undefined)?.["tags"];
  if (!isObject(tags) || Object.values(tags).some((value) => typeof value !== "string"))
    throw invalidField("tags", "must be a map of text");
  rejectUnprefixedKeys(Object.keys(tags), call);
  retag(object, { ...annotationsOf(object), ...tags }, call);
}

export function deleteTags(object: StoredObject, call: ServiceCall): undefined {
  rejectInTransition(object);
  const keys = (call.request.body as Fields | undefined)?.["keys"];
  if (!Array.isArray(keys) || keys.some((key) => typeof key !== "string"))
    throw invalidField("keys", "must be a list of text");
  rejectUnprefixedKeys(keys as string[], call);
  retag(object, Object.fromEntries(Object.entries(annotationsOf(object)).filter(([key]) => !keys.includes(key))), call);
}

function retag(object: StoredObject, annotations: Fields, { world, now }: ServiceCall): void {
  world.put({ ...object, fields: withUpdateTime(spec, { ...object.fields, annotations }, now) });
}

/**
 * Replica counts of a deployment, which its autoscaler moves: one replica while
 * it was used lately, none after (A048, A049).
 */

const defaultIdleWindow = "3600s";

/** Notes that a deployment answered a request at `at` (milliseconds since 1970). */
export function recordTraffic(world: World, name: string, at: number = world.clock.now()): boolean {
  const object = world.get(name);
  if (object?.kind !== "Deployment") return false;
  world.put({ ...object, notes: { ...object.notes, servedAt: at } });
  return true;
}

/** Whether a deployment answered a request within the last hour (A043). */
function hasRecentTraffic(object: StoredObject, now: number): boolean {
  const servedAt = object.notes?.["servedAt"];
  return typeof servedAt === "number" && now - servedAt < 3_600_000;
}

interface Counts {
  desired: number;
  ready: number;
  phase?: "pendingSchedulingReplicaCount" | "downloadingModelReplicaCount" | "initializingReplicaCount";
}

const startPhases = [
  "pendingSchedulingReplicaCount",
  "downloadingModelReplicaCount",
  "initializingReplicaCount",
] as const;

function countsAt(object: StoredObject, now: number): Counts {
  const bound = (name: string): number => Number(object.fields[name] ?? 0);
  const [least, most] = [bound("minReplicaCount"), bound("maxReplicaCount")];
  switch (stateOf(object)) {
    case "CREATING": {
      const desired = Math.min(Math.max(least, 1), most);
      const { from, to } = stayOf(object) ?? { from: now, to: now + 1 };
      return { desired, ready: 0, phase: startPhases[Math.min(2, Math.floor((3 * (now - from)) / (to - from)))]! };
    }
    case "READY":
    case "UPDATING": {
      const ready = Math.min(Math.max(least, awakeReplicas(object, now)), most);
      return { desired: ready, ready };
    }
    default:
      return { desired: 0, ready: 0 };
  }
}

/**
 * Replicas that recent use asks for: those scaled to by hand, else one until nothing has happened for the idle window.
 */
function awakeReplicas(object: StoredObject, now: number): number {
  const {
    servedAt = 0,
    readyAt = 0,
    scaledTo,
    scaledAt = 0,
  } = (object.notes ?? {}) as Record<string, number | undefined>;
  const policy = object.fields["autoscalingPolicy"] as Fields | undefined;
  const idle = durationSeconds(String(policy?.["scaleToZeroWindow"] ?? defaultIdleWindow)) * 1000;
  const lastUse = Math.max(servedAt, readyAt, scaledAt);
  if (scaledTo !== undefined && scaledAt >= servedAt) return now - scaledAt < idle || scaledTo === 0 ? scaledTo : 0;
  return lastUse > 0 && now - lastUse >= idle ? 0 : 1;
}

const replicaCache = new WeakMap<StoredObject, { key: string; fields: Fields }>();

/** The deployment's message with its replicas as they are now; the same object as long as the counts are. */
function withReplicas(object: StoredObject, now: number): Fields {
  const { desired, ready, phase } = countsAt(object, now);
  const key = `${desired} ${ready} ${phase}`;
  const last = replicaCache.get(object);
  if (last?.key === key) return last.fields;
  const starting = phase ? { [phase]: desired } : {};
  // Counts set by hand are kept while it serves.
  const byHand = ready > 0 ? object.fields : {};
  const fields = {
    ...object.fields,
    desiredReplicaCount: desired,
    replicaCount: ready,
    replicaStats: ready > 0 ? { ...starting, readyReplicaCount: ready } : starting,
    ...byHand,
  };
  replicaCache.set(object, { key, fields });
  return fields;
}

const deploymentsSpec = specs.Deployment as unknown as ResourceSpec;

function newDeployment(object: StoredObject, call: ServiceCall): StoredObject {
  const { world, account, request } = call;
  const model = String(object.fields["baseModel"]);
  const directives = directivesOf(deploymentsSpec, request.query);
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
      { ...object, fields: withUpdateTime(deploymentsSpec, fields, now), notes },
      declaredPath(deploymentsSpec, "create")!,
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
    fields: withUpdateTime(deploymentsSpec, object.fields, now),
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

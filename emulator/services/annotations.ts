import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { isObject } from "../../provider/core/values/values";
import { specs } from "../../provider/resources/index";
import { failedPrecondition, invalidField, permissionDenied } from "../refusals";
import { withUpdateTime } from "../times";
import { inTransition, isGone, stateOf } from "../transitions";
import type { Fields, StoredObject } from "../types";
import type { ServiceCall } from "./service";

/** Labels of deployments: the customer's own start with a prefix, others are the service's. */

const spec = specs.Deployment as unknown as ResourceSpec;

const customPrefix = "custom/";

/** Keys without the prefix are the service's own; a customer who writes one is refused (section 5, rule 5). */
export function rejectUnprefixedKeys(keys: readonly string[], { caller }: ServiceCall): void {
  const bare = keys.find((key) => !key.startsWith(customPrefix));
  if (bare !== undefined && caller.role !== "superuser")
    throw permissionDenied(`the annotation key \`${bare}\` is reserved; keys must begin with \`${customPrefix}\``);
}

export const annotationsOf = (object: StoredObject): Fields => (object.fields["annotations"] ?? {}) as Fields;

export function changeAnnotations(before: StoredObject, after: StoredObject, call: ServiceCall): StoredObject {
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

export function rejectInTransition(object: StoredObject): void {
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

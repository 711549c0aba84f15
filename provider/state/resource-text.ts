import { byKey, objectText } from "./canonical-json";
import type { ResourceState } from "./types";

/** Keys of a resource in the order of Pulumi's own files. */
const resourceKeys: readonly string[] = [
  ...["urn", "custom", "delete", "id", "type", "inputs", "outputs", "parent", "protect", "taint", "external", "dependencies", "initErrors"],
  ...["provider", "propertyDependencies", "pendingReplacement", "additionalSecretOutputs", "aliases", "customTimeouts", "importID"],
  ...["retainOnDelete", "deletedWith", "replaceWith", "created", "modified", "sourcePosition", "stackTrace", "ignoreChanges", "hideDiff"],
  ...["replaceOnChanges", "replacementTrigger", "refreshBeforeUpdate", "viewOf", "resourceHooks", "extensionRef", "snippetID"],
];
const known = new Set(resourceKeys);
const required = new Set(["urn", "custom", "type"]);

/** A state is written many times, and each time a few of its resources are new: the text of one that was written is kept. */
const texts = new WeakMap<ResourceState, string>();

/** The resource as it stands in a file: known keys in Pulumi's order and only when they say something, others after them as they are. */
export function resourceText(resource: ResourceState): string {
  const written = texts.get(resource);
  if (written !== undefined) return written;
  const said = resourceKeys.filter((key) => required.has(key) || !isZero(resource[key]));
  const others = Object.entries(resource).filter(([key]) => !known.has(key));
  const text = objectText([...said.map((key): [string, unknown] => [key, resource[key]]), ...others.sort(byKey)]);
  texts.set(frozen(resource), text);
  return text;
}

/** Freezes the value and all that it holds, so that a later change is an error and not a stale text. */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) frozen(member);
  return value;
}

function isZero(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === false || value === "" || value === 0;
}

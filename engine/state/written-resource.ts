import { byKey, objectText } from "../../io/text/canonical-json";
import { featuresIn } from "./features";
import { type ResourceState, secretSignature } from "./types";

/** A resource in file form. */
interface WrittenResource {
  json: Buffer;
  /** Pulumi's features that it uses. */
  features: readonly string[];
  /** It holds a secret that is not ciphertext. */
  isOpen: boolean;
}

/** Keys of a resource in the order of Pulumi's own files. */
const resourceKeys: readonly string[] = [
  ...[
    "urn",
    "custom",
    "delete",
    "id",
    "type",
    "inputs",
    "outputs",
    "parent",
    "protect",
    "taint",
    "external",
    "dependencies",
    "initErrors",
  ],
  ...[
    "provider",
    "propertyDependencies",
    "pendingReplacement",
    "additionalSecretOutputs",
    "aliases",
    "customTimeouts",
    "importID",
  ],
  ...[
    "retainOnDelete",
    "deletedWith",
    "replaceWith",
    "created",
    "modified",
    "sourcePosition",
    "stackTrace",
    "ignoreChanges",
    "hideDiff",
  ],
  ...[
    "replaceOnChanges",
    "replacementTrigger",
    "refreshBeforeUpdate",
    "viewOf",
    "resourceHooks",
    "extensionRef",
    "snippetID",
  ],
];

const known = new Set(resourceKeys);
const required = new Set(["urn", "custom", "type"]);

/** How a secret in the clear begins in canonical JSON; within a string the quotes would be escaped. */
const openSecrets = ["plaintext", "value"].map(
  (form) => `"${secretSignature.key}":"${secretSignature.value}","${form}":`,
);

/** A state is written many times, and few of its resources change each time: the texts of the others are reused. */
const writtenByResource = new WeakMap<ResourceState, WrittenResource>();

/** Freezes the resource. */
export function serializeResource(resource: ResourceState): WrittenResource {
  const before = writtenByResource.get(resource);
  if (before !== undefined) return before;
  const text = textOf(resource);
  const written = {
    json: Buffer.from(text),
    features: featuresIn(resource),
    isOpen: openSecrets.some((open) => text.includes(open)),
  };
  writtenByResource.set(deepFreeze(resource), written);
  return written;
}

/** Freezes the value and all that it holds, so that a later change is an error and not a stale file. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}

/** Known keys in Pulumi's order, without zero values; then the other keys. */
function textOf(resource: ResourceState): string {
  const present = resourceKeys.filter((key) => required.has(key) || !isZero(resource[key]));
  const others = Object.entries(resource).filter(([key]) => !known.has(key));
  return objectText([...present.map((key): [string, unknown] => [key, resource[key]]), ...others.sort(byKey)]);
}

function isZero(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === false || value === "" || value === 0;
}

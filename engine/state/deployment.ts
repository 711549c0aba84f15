import { createHash } from "node:crypto";
import { byKey, canonicalJson, objectText } from "../../io/text/canonical-json";
import { inDependencyOrder, withoutDangling } from "./order";
import {
  isObject,
  type JsonObject,
  type PendingOperation,
  type ResourceState,
  type Snapshot,
  type StateValue,
  secretSignature,
} from "./resource-state";
import { assertDeployment, assertFeatures, DamagedStateError, readShapes } from "./shapes";

interface Feature {
  /** The key of a resource that is set when it uses the feature. */
  key: string;
  /** Why this resource is unsupported here; absent if it is supported. */
  unsupportedMessage?: (resource: ResourceState) => string | undefined;
}

const unsupportedMessage = (): string => "is not supported here";

/** What a state file of version 4 can hold beyond version 3, by Pulumi's names, in order. */
const features: { [name: string]: Feature } = {
  extensionParameterization: { key: "extensionRef", unsupportedMessage },
  hooks: { key: "resourceHooks", unsupportedMessage: deletionHook },
  refreshBeforeUpdate: { key: "refreshBeforeUpdate", unsupportedMessage },
  replaceWith: { key: "replaceWith", unsupportedMessage },
  "snippets-prototype": { key: "snippetID", unsupportedMessage },
  taint: { key: "taint" },
  views: { key: "viewOf", unsupportedMessage },
};

function featuresIn(resource: ResourceState): string[] {
  return Object.keys(features).filter((name) => isSet(resource[features[name]?.key ?? ""]));
}

/**
 * Rejects a state with an unsupported feature: operations on it would not do what it says. `declared` are the names in
 * the file.
 */
function checkFeatures(declared: readonly string[], snapshot: Snapshot): void {
  for (const name of declared) {
    const feature = features[name];
    if (feature === undefined) throw unsupportedFeatureError(name, "is not known here");
    if (feature.unsupportedMessage === unsupportedMessage) throw unsupportedFeatureError(name, unsupportedMessage());
  }
  for (const resource of snapshot.resources) {
    for (const name of featuresIn(resource)) {
      const refusal = features[name]?.unsupportedMessage?.(resource);
      if (refusal !== undefined) throw unsupportedFeatureError(name, refusal);
    }
  }
}

/**
 * Other hooks run in the program that registers them, and such programs are rejected. A deletion happens without the
 * program.
 */
function deletionHook(resource: ResourceState): string | undefined {
  const hooks = Object.entries(resource["resourceHooks"] ?? {});
  const runs = hooks.some(([hook, names]) => (hook === "BeforeDelete" || hook === "AfterDelete") && isSet(names));
  return runs ? `runs code when \`${resource.urn}\` is deleted; that is not supported here` : undefined;
}

function isSet(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== false && value !== "";
}

function unsupportedFeatureError(name: string, why: string): Error {
  return new Error(`The state uses Pulumi's feature \`${name}\`, which ${why}. Use the Pulumi CLI for this stack.`);
}

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
function serializeResource(resource: ResourceState): WrittenResource {
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

interface WrittenDeployment {
  version: 3 | 4;
  features: string[];
  /** The text of the `deployment` object, in pieces. */
  json: readonly Buffer[];
  /** It holds a secret that is not ciphertext. */
  isOpen: boolean;
}

const cli = "Use the Pulumi CLI for this stack.";

/** A stack without resources. `version` is the writing engine's, e.g. `v3.248.0`. */
export function emptySnapshot(time: Date, version = ""): Snapshot {
  return {
    manifest: { time: time.toISOString(), magic: magicOf(version), version },
    resources: [],
    pendingOperations: [],
  };
}

/** Why a state is read: to work on it, which requires support for every feature in it, or only to inspect it. */
export type Purpose = "work" | "inspect";

/** Leaves secrets as they are. Throws for another version and, for `work`, for an unsupported feature. */
export function readDeployment(
  version: StateValue | undefined,
  features: StateValue | undefined,
  deployment: JsonObject,
  purpose: Purpose = "work",
): Snapshot {
  if (version !== 3 && version !== 4) throw unknownVersion(version);
  const { manifest, secrets_providers, resources, pending_operations, metadata, ...other } = deployment;
  assertDeployment(deployment);
  const snapshot: Snapshot = {
    manifest: readManifest(manifest),
    ...readSecretsProvider(secrets_providers),
    resources: listOf(resources).map((resource, index) => readShapes(resource, `resource ${index + 1}`)),
    pendingOperations: listOf(pending_operations).map(readOperation),
    metadata,
    other: Object.keys(other).length > 0 ? other : undefined,
  };
  if (version === 4) assertFeatures(features ?? null);
  if (purpose === "work") checkFeatures(version === 4 ? listOf(features).map(String) : [], snapshot);
  return snapshot;
}

export const unknownVersion = (version: StateValue | undefined): Error =>
  new Error(`The state has format version ${canonicalJson(version)}, not 3 or 4. ${cli}`);

/**
 * In dependency order, without references to missing resources; equal snapshots have equal bytes. Freezes the
 * resources.
 */
export function writeDeployment(snapshot: Snapshot): WrittenDeployment {
  const { manifest, secretsProvider, metadata = {}, other = {} } = snapshot;
  const urns = new Set(snapshot.resources.map(({ urn }) => urn));
  const resources = inDependencyOrder(snapshot.resources).map((resource) =>
    serializeResource(withoutDangling(resource, urns)),
  );
  const operations = snapshot.pendingOperations.map(({ resource, type }) => ({ type, ...serializeResource(resource) }));
  const before = [
    `"manifest":${manifestText(manifest)}`,
    ...(secretsProvider ? [`"secrets_providers":${providerText(secretsProvider)}`] : []),
  ];
  const after = [
    `"metadata":${canonicalJson(metadata)}`,
    ...Object.entries(other)
      .sort(byKey)
      .map(([key, value]) => memberText(key, value)),
  ];
  const json = [
    Buffer.from(`{${before.join(",")},`),
    ...listJson(
      "resources",
      resources.map(({ json }) => [json]),
    ),
    ...listJson(
      "pending_operations",
      operations.map(({ json, type }) => [Buffer.from(`{"resource":`), json, Buffer.from(`,"type":"${type}"}`)]),
    ),
    Buffer.from(`${after.join(",")}}`),
  ];
  const features = [...new Set(resources.flatMap((resource) => resource.features))].sort();
  return {
    version: features.length > 0 ? 4 : 3,
    features,
    json,
    isOpen: [...resources, ...operations].some(({ isOpen }) => isOpen),
  };
}

/** Pulumi checks it against the version when it reads. */
function magicOf(version: string): string {
  return version === "" ? "" : createHash("sha256").update(version).digest("hex");
}

function manifestText({ time, magic: _, version, ...others }: Snapshot["manifest"]): string {
  return objectText([
    ["time", time],
    ["magic", magicOf(version)],
    ["version", version],
    ...Object.entries(others).sort(byKey),
  ]);
}

function providerText({ type, state }: NonNullable<Snapshot["secretsProvider"]>): string {
  return objectText([
    ["type", type],
    ["state", state],
  ]);
}

function memberText(key: string, value: StateValue): string {
  return `${JSON.stringify(key)}:${canonicalJson(value)}`;
}

/** A member with a list, and the comma after it; nothing when the list is empty. */
function listJson(key: string, elements: Buffer[][]): Buffer[] {
  if (elements.length === 0) return [];
  const comma = Buffer.from(",");
  const list = elements.flatMap((element, index) => (index === 0 ? element : [comma, ...element]));
  return [Buffer.from(`"${key}":[`), ...list, Buffer.from("],")];
}

function readManifest(manifest: StateValue | undefined): Snapshot["manifest"] {
  const { time, magic, version, ...others } = isObject(manifest) ? manifest : {};
  return {
    ...others,
    time: textOr(time, new Date(0).toISOString()),
    magic: textOr(magic, ""),
    version: textOr(version, ""),
  };
}

function readSecretsProvider(provider: StateValue | undefined): Pick<Snapshot, "secretsProvider"> {
  if (!isObject(provider) || provider["type"] === undefined || provider["type"] === "") return {};
  if (typeof provider["type"] !== "string") throw new DamagedStateError("the type of its secrets provider is not text");
  return {
    secretsProvider: { type: provider["type"], state: provider["state"] },
  };
}

function readOperation(operation: StateValue, index: number): PendingOperation {
  const { resource, type } = isObject(operation) ? operation : {};
  const place = `pending operation ${index + 1}`;
  if (typeof type !== "string") throw new DamagedStateError(`the type of ${place} is not text`);
  return { resource: readShapes(resource ?? null, `the resource of ${place}`), type };
}

function listOf(value: StateValue | undefined): StateValue[] {
  return Array.isArray(value) ? value : [];
}

function textOr(value: StateValue | undefined, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

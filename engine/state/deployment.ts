import { createHash } from "node:crypto";
import { byKey, canonicalJson, objectText } from "../../io/text/canonical-json";
import { checkFeatures } from "./features";
import { inDependencyOrder, withoutDangling } from "./order";
import {
  isObject,
  type JsonObject,
  type PendingOperation,
  type ResourceState,
  type Snapshot,
  type StateValue,
} from "./types";
import { serializeResource } from "./written-resource";

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
  const snapshot: Snapshot = {
    manifest: readManifest(manifest),
    ...readSecretsProvider(secrets_providers),
    resources: listOf(resources).map(readResource),
    pendingOperations: listOf(pending_operations).map(readOperation),
    metadata,
    other: Object.keys(other).length > 0 ? other : undefined,
  };
  if (purpose === "work") checkFeatures(version === 4 ? listOf(features).map(String) : [], snapshot);
  return snapshot;
}

export const unknownVersion = (version: StateValue | undefined): Error =>
  new Error(`The state has format version ${canonicalJson(version)}, not 3 or 4. ${cli}`);

/**
 * In dependency order, without references to resources that are gone; equal
 * snapshots have equal bytes. Freezes the resources.
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
  if (!isObject(provider) || typeof provider["type"] !== "string" || provider["type"] === "") return {};
  return {
    secretsProvider: { type: provider["type"], state: provider["state"] },
  };
}

function readResource(resource: StateValue): ResourceState {
  if (!isResource(resource))
    throw new Error(`The state holds a resource without \`urn\` or \`type\`: it is damaged. ${cli}`);
  return resource;
}

function isResource(value: StateValue): value is JsonObject & { urn: string; type: string; custom: boolean } {
  return (
    isObject(value) &&
    typeof value["urn"] === "string" &&
    typeof value["type"] === "string" &&
    typeof value["custom"] === "boolean"
  );
}

function readOperation(operation: StateValue): PendingOperation {
  const { resource, type } = isObject(operation) ? operation : {};
  if (typeof type !== "string")
    throw new Error(`The state holds a pending operation of type ${canonicalJson(type)}. ${cli}`);
  return { resource: readResource(resource ?? null), type };
}

function listOf(value: StateValue | undefined): StateValue[] {
  return Array.isArray(value) ? value : [];
}

function textOr(value: StateValue | undefined, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

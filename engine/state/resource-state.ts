/**
 * What a Pulumi stack's state holds, in memory. Secrets are signature objects with their plain
 * `value`; only a checkpoint file holds ciphertext.
 */

export type StateValue = null | boolean | number | string | StateValue[] | { [key: string]: StateValue };

/**
 * Property values in Pulumi's wire form: plain JSON, with signature objects for
 * secrets, assets, resource references and outputs.
 */
export type PropertyMap = { [key: string]: StateValue };

/** One resource of a checkpoint, named as in Pulumi's file format. An absent key is Pulumi's zero value. */
export interface ResourceState {
  urn: string;
  custom: boolean;
  id?: string | undefined;
  type: string;
  inputs?: PropertyMap | undefined;
  outputs?: PropertyMap | undefined;
  parent?: string | undefined;
  dependencies?: string[] | undefined;
  propertyDependencies?: { [property: string]: string[] } | undefined;
  provider?: string | undefined;
  /** A replaced resource that still has to be deleted. */
  delete?: boolean;
  /** Deleted ahead of its replacement, which does not exist yet. */
  pendingReplacement?: boolean;
  external?: boolean;
  protect?: boolean;
  taint?: boolean;
  retainOnDelete?: boolean;
  deletedWith?: string | undefined;
  initErrors?: string[];
  additionalSecretOutputs?: string[];
  aliases?: string[];
  ignoreChanges?: string[];
  replaceOnChanges?: string[];
  /** In seconds. */
  customTimeouts?: { create?: number; update?: number; delete?: number };
  sourcePosition?: string;
  created?: string | undefined;
  modified?: string | undefined;
  /** Keys of the file format that this package does not act on; kept as they were read. */
  [other: string]: unknown;
}

/** A step that had started when the snapshot was written. Other engines may write types that are unknown here. */
export interface PendingOperation {
  resource: ResourceState;
  type: "creating" | "updating" | "deleting" | "reading" | "importing" | (string & {});
}

export interface Snapshot {
  /** `magic` is derived from `version` whenever the snapshot is written. */
  manifest: { time: string; magic: string; version: string; plugins?: StateValue };
  secretsProvider?: { type: string; state?: StateValue | undefined };
  resources: ResourceState[];
  pendingOperations: PendingOperation[];
  metadata?: StateValue | undefined;
  /** Keys of the deployment that this package does not act on; kept as they were read. */
  other?: { [key: string]: StateValue } | undefined;
}

/** What marks an object as a secret, on the wire and in a file. */
export const secretSignature = {
  key: "4dabf18193072939515e22adb298388d",
  value: "1b47061264138c4ac30d75fd1eb44270",
} as const;

export type JsonObject = { [key: string]: StateValue };

/** Whether `value` has named members: neither null nor a list. */
export function isObject<Member = StateValue>(value: unknown): value is { [key: string]: Member } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * `urn:pulumi:<stack>::<project>::<types from the outermost parent on, joined by
 * $>::<name>`. A name may hold any character.
 */
interface Urn {
  stack: string;
  project: string;
  qualifiedType: string;
  /** The last of the qualified types. */
  type: string;
  name: string;
}

export const stackType = "pulumi:pulumi:Stack";
const providerTypePrefix = "pulumi:providers:";
export const dynamicPackage = "pulumi-nodejs";

export function parseUrn(urn: string): Urn {
  const [head = "", project = "", qualifiedType = "", ...name] = urn.split("::");
  if (!head.startsWith("urn:pulumi:") || name.length === 0) {
    throw new Error(`"${urn}" is not a URN: it must look like urn:pulumi:<stack>::<project>::<type>::<name>`);
  }
  const type = qualifiedType.slice(qualifiedType.lastIndexOf("$") + 1);
  return { stack: head.slice("urn:pulumi:".length), project, qualifiedType, type, name: name.join("::") };
}

/** `parentType` is the parent's qualified type; the stack's own is left out. */
export function formatUrn(parts: {
  stack: string;
  project: string;
  parentType: string | undefined;
  type: string;
  name: string;
}): string {
  const prefix =
    parts.parentType === undefined || parts.parentType === "" || parts.parentType === stackType
      ? ""
      : `${parts.parentType}$`;
  return `urn:pulumi:${parts.stack}::${parts.project}::${prefix}${parts.type}::${parts.name}`;
}

export const qualifiedTypeOf = (urn: string | undefined): string | undefined =>
  urn === undefined ? undefined : parseUrn(urn).qualifiedType;

export const isProviderType = (type: string): boolean => type.startsWith(providerTypePrefix);
/** A provider that no program declares: programs ask for it by its package, and perhaps by a version. */
export const isDefaultProvider = ({ type, name }: { type: string; name: string }): boolean =>
  isProviderType(type) && /^default(_\d+_\d+_\d\w*)?$/.test(name);
export const providerType = (pkg: string): string => providerTypePrefix + pkg;
/** The package of `package:module:Name`; of a provider's type the package that it serves. */
export const packageOf = (type: string): string =>
  isProviderType(type) ? type.slice(providerTypePrefix.length) : (type.split(":")[0] ?? "");

/** Which provider instance manages a resource, as a state file writes it: `<urn>::<id>`. */
interface ProviderReference {
  urn: string;
  id: string;
}

export const formatReference = (reference: ProviderReference): string => `${reference.urn}::${reference.id}`;

export function parseReference(text: string): ProviderReference {
  const cut = text.lastIndexOf("::");
  if (cut < 0) throw new Error(`"${text}" is not a provider reference: it must look like <urn>::<id>`);
  return { urn: text.slice(0, cut), id: text.slice(cut + 2) };
}

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

/** Names under which Pulumi knows this provider and its kinds of resources. */

export const packageName = "modelplatform";

/** Type of a resource that a program declares with this package's own classes. */
export const dynamicToken = (kind: string): string => `${dynamicPackage}:dynamic/${packageName}:${kind}`;

/** Type of a resource, and name of a function, in the package's schema. */
export const pluginToken = (member: string): string => `${packageName}:index:${member}`;

/** The package that serves dynamic resources. */
export const dynamicPackage = "pulumi-nodejs";

/**
 * What a token of this package names, whichever way it is served: a kind of resource, or a function. Undefined for
 * others' tokens.
 */
export function memberOf(token: string): string | undefined {
  const prefix = [pluginToken(""), dynamicToken("")].find((known) => token.startsWith(known));
  return prefix === undefined ? undefined : token.slice(prefix.length);
}

/** The name of a resource in its program: the last part of its URN. */
export const resourceNameIn = (urn: string): string => urn.split("::").at(-1)!;

/** The resource's own type in a URN, without those of its parents; empty if the text is not a URN. */
export const resourceTypeIn = (urn: string): string => urn.split("::", 3)[2]?.split("$").at(-1) ?? "";

/** Whether the resource has a parent other than the stack. */
export const hasParent = (urn: string): boolean => urn.split("::")[2]?.includes("$") ?? false;

/**
 * The URN that a declaration has with this package's own classes. A resource is the same one to the life cycle
 * whichever way it is served: its notes, claims, marks and automatic ids go by this name.
 */
export const dynamicUrn = (urn: string): string => urn.replaceAll(pluginToken(""), dynamicToken(""));

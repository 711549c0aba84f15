/** Names under which Pulumi knows this provider and its kinds of resources. */

export const packageName = "modelplatform";

/** Type of a resource that a program declares with this package's own classes. */
export const dynamicToken = (kind: string): string => `pulumi-nodejs:dynamic/${packageName}:${kind}`;

/** Type of a resource, and name of a function, in the package's schema. */
export const pluginToken = (member: string): string => `${packageName}:index:${member}`;

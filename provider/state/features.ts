import type { ResourceState, Snapshot } from "./types";

interface Feature {
  used: (resource: ResourceState) => boolean;
  /** Why a state with this feature cannot be worked on here; absent when it can. */
  refusal?: (snapshot: Snapshot) => string | undefined;
}

const present = (value: unknown): boolean => value !== undefined && value !== null && value !== false && value !== "" && !isEmpty(value);
const isEmpty = (value: unknown): boolean => typeof value === "object" && value !== null && Object.keys(value).length === 0;
const unsupported = (): string => "is not supported here";

/** What a state file of version 4 can hold beyond version 3, by Pulumi's names. */
const features: { [name: string]: Feature } = {
  extensionParameterization: { used: (resource) => present(resource["extensionRef"]), refusal: unsupported },
  hooks: { used: (resource) => present(resource["resourceHooks"]), refusal: deletionHooks },
  refreshBeforeUpdate: { used: (resource) => present(resource["refreshBeforeUpdate"]), refusal: unsupported },
  replaceWith: { used: (resource) => present(resource["replaceWith"]), refusal: unsupported },
  "snippets-prototype": { used: (resource) => present(resource["snippetID"]), refusal: unsupported },
  taint: { used: (resource) => present(resource.taint) },
  views: { used: (resource) => present(resource["viewOf"]), refusal: unsupported },
};

/** The features that the snapshot uses, in order; none means version 3. */
export function featuresOf(snapshot: Snapshot): string[] {
  return Object.entries(features)
    .filter(([, feature]) => snapshot.resources.some(feature.used))
    .map(([name]) => name);
}

/** Rejects a state whose features this package cannot honour: working on it would do something other than it says. */
export function checkFeatures(names: string[], snapshot: Snapshot): void {
  for (const name of new Set([...names, ...featuresOf(snapshot)])) {
    const feature = features[name];
    const refusal = feature === undefined ? "is not known here" : feature.refusal?.(snapshot);
    if (refusal !== undefined) throw new Error(`The state uses Pulumi's feature \`${name}\`, which ${refusal}. Use the Pulumi CLI for this stack.`);
  }
}

/** Hooks run inside the program that registers them, and such a program is refused; only deletions happen without the program's word. */
function deletionHooks(snapshot: Snapshot): string | undefined {
  const hooked = snapshot.resources.find((resource) => ["BeforeDelete", "AfterDelete"].some((hook) => hasHook(resource, hook)));
  return hooked && `runs code when \`${hooked.urn}\` is deleted; that is not supported here`;
}

function hasHook(resource: ResourceState, hook: string): boolean {
  const hooks = resource["resourceHooks"];
  return typeof hooks === "object" && hooks !== null && present(Object.entries(hooks).find(([name]) => name === hook)?.[1]);
}

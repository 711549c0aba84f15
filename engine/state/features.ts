import type { ResourceState, Snapshot } from "./types";

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

/** The features that a resource uses. */
export function featuresIn(resource: ResourceState): string[] {
  return Object.keys(features).filter((name) => isSet(resource[features[name]?.key ?? ""]));
}

/**
 * Rejects a state with an unsupported feature: operations on it would not do what it says. `declared` are the names in
 * the file.
 */
export function checkFeatures(declared: readonly string[], snapshot: Snapshot): void {
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
 * Other hooks run in the program that registers them, and such programs are refused. A deletion happens without the
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

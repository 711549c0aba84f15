import { formatReference, isProviderType, type ResourceState } from "./resource-state";

/** The URNs that a resource must come after, and its provider reference. */
interface Links {
  urns: readonly string[];
  /** Those of `urns` that may be left out if they are missing. */
  references: readonly string[];
  provider: string | undefined;
}

type ByUrn = ReadonlyMap<string, readonly ResourceState[]>;

/**
 * The resources, each after what it needs: provider, parent, dependencies, and the resource it is deleted with. A valid
 * order stays as it is. Pulumi rejects a state file in an invalid one.
 */
export function inDependencyOrder(resources: readonly ResourceState[]): readonly ResourceState[] {
  if (isInOrder(resources)) return resources;
  const byUrn = groupByUrn(resources);
  const ordered = new Set<ResourceState>();
  const entered = new Set<ResourceState>();
  // An explicit stack: a chain of dependencies may be longer than the call stack is deep.
  const stack: ResourceState[] = [];
  for (const first of resources) {
    stack.push(first);
    while (stack.length > 0) {
      const resource = stack.at(-1)!;
      const missing = entered.has(resource)
        ? []
        : prerequisites(resource, byUrn, ordered).filter((other) => !entered.has(other));
      entered.add(resource);
      if (missing.length > 0) stack.push(...missing.reverse());
      else ordered.add(stack.pop()!);
    }
  }
  return [...ordered];
}

/** The resource without references to missing resources; the same object if it has none. */
export function withoutDangling(resource: ResourceState, urns: ReadonlySet<string>): ResourceState {
  const known = (urn: string): boolean => urns.has(urn);
  if (linksOf(resource).references.every(known)) return resource;
  const { dependencies, propertyDependencies, deletedWith } = resource;
  return {
    ...resource,
    dependencies: dependencies?.filter(known),
    propertyDependencies:
      propertyDependencies &&
      Object.fromEntries(Object.entries(propertyDependencies).map(([name, urns]) => [name, urns.filter(known)])),
    deletedWith: deletedWith !== undefined && known(deletedWith) ? deletedWith : undefined,
  };
}

/** Cached for frozen states: an operation sorts the same ones repeatedly. */
const links = new WeakMap<ResourceState, Links>();

function linksOf(resource: ResourceState): Links {
  const known = links.get(resource);
  if (known !== undefined) return known;
  const { dependencies = [], propertyDependencies = {}, deletedWith, parent, provider } = resource;
  const references = [
    ...new Set([...dependencies, ...Object.values(propertyDependencies).flat(), ...(deletedWith ? [deletedWith] : [])]),
  ];
  const resourceLinks = {
    references,
    urns: parent ? [parent, ...references] : references,
    provider: provider || undefined,
  };
  if (Object.isFrozen(resource)) links.set(resource, resourceLinks);
  return resourceLinks;
}

function isInOrder(resources: readonly ResourceState[]): boolean {
  const urns = new Set<string>();
  const providers = new Set<string>();
  return resources.every((resource) => {
    const { urns: needed, provider } = linksOf(resource);
    if (!needed.every((urn) => urns.has(urn)) || (provider !== undefined && !providers.has(provider))) return false;
    urns.add(resource.urn);
    // Only for providers: this runs at every save, and a key per resource takes a third of the time.
    const { urn, id, type } = resource;
    if (id !== undefined && isProviderType(type)) providers.add(formatReference({ urn, id }));
    return true;
  });
}

function prerequisites(resource: ResourceState, byUrn: ByUrn, ordered: ReadonlySet<ResourceState>): ResourceState[] {
  return [
    ...providerOf(resource, byUrn),
    ...linksOf(resource).urns.flatMap((urn) => statesFor(byUrn.get(urn) ?? [], ordered)),
  ];
}

/**
 * A reference names its URN only: any state of that URN will do, and the live one
 * is better than one that waits for deletion.
 */
function statesFor(states: readonly ResourceState[], ordered: ReadonlySet<ResourceState>): readonly ResourceState[] {
  if (states.some((state) => ordered.has(state))) return [];
  const live = states.filter((state) => !state.delete);
  return live.length > 0 ? live : states;
}

function providerOf(resource: ResourceState, byUrn: ByUrn): ResourceState[] {
  const reference = resource.provider ?? "";
  const end = reference.lastIndexOf("::");
  return (byUrn.get(reference.slice(0, Math.max(end, 0))) ?? []).filter(
    (state) => state.id === reference.slice(end + 2),
  );
}

function groupByUrn(resources: readonly ResourceState[]): ByUrn {
  const groups = new Map<string, ResourceState[]>();
  for (const resource of resources) {
    const group = groups.get(resource.urn);
    if (group === undefined) groups.set(resource.urn, [resource]);
    else group.push(resource);
  }
  return groups;
}

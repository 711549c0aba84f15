import type { ResourceState } from "../state/types";
import { formatReference, formatUrn, parseReference, parseUrn, qualifiedTypeOf, stackType } from "../state/urns";
import { mapObject } from "../values/values";
import { dependenciesOf } from "./dependencies";

/** Another name that a resource may have had. Absent parts are the resource's own. */
export interface Alias {
  urn?: string;
  name?: string;
  type?: string;
  stack?: string;
  project?: string;
  parent?: string;
  noParent?: boolean;
}

interface AliasedResource {
  name: string;
  type: string;
  parent?: string | undefined;
  aliases: readonly Alias[];
}

interface StackNames {
  stack: string;
  project: string;
  /** The URN under which this run found a resource in the state, if by an alias. */
  formerUrn(urn: string): string | undefined;
}

/** The URNs under which the state may know a resource, its parent's former name taken into account. */
export function formerUrns(resource: AliasedResource, names: StackNames): string[] {
  const declared = resource.aliases.map((alias) => fromAlias(alias, resource, names));
  const formerParent = resource.parent === undefined ? undefined : names.formerUrn(resource.parent);
  if (resource.parent === undefined || formerParent === undefined) return [...new Set(declared)];
  const parentName = parseUrn(resource.parent).name;
  const inherit = (type: string, name: string) => inheritedUrns({ type, name, parentName, formerParent }, names);
  const throughParent = [
    inherit(resource.type, resource.name),
    ...declared.map((urn) => inherit(parseUrn(urn).type, parseUrn(urn).name)),
  ];
  return [...new Set([...declared, ...throughParent])];
}

function fromAlias(alias: Alias, resource: AliasedResource, names: StackNames): string {
  if (alias.urn !== undefined) return alias.urn;
  const parent = alias.parent === undefined ? resource.parent : (names.formerUrn(alias.parent) ?? alias.parent);
  return formatUrn({
    stack: alias.stack ?? names.stack,
    project: alias.project ?? names.project,
    parentType: alias.noParent === true ? undefined : qualifiedTypeOf(parent),
    type: alias.type ?? resource.type,
    name: alias.name ?? resource.name,
  });
}

/** A child named after its parent was named after the parent's former name. */
function inheritedUrns(
  child: { type: string; name: string; parentName: string; formerParent: string },
  names: StackNames,
): string {
  const former = parseUrn(child.formerParent);
  const name = child.name.startsWith(child.parentName)
    ? former.name + child.name.slice(child.parentName.length)
    : child.name;
  return formatUrn({
    stack: names.stack,
    project: names.project,
    parentType: former.qualifiedType,
    type: child.type,
    name,
  });
}

/** States in file form: references use the new URNs, former URNs are dropped. */
export function withoutAliases(states: readonly ResourceState[]): ResourceState[] {
  const renamed = renamesIn(states);
  const now = (urn: string) => renamed.get(urn) ?? urn;
  const mentionsFormerUrn = (state: ResourceState) =>
    [state.urn, ...dependenciesOf(state).map(({ urn }) => urn)].some((urn) => renamed.has(urn));
  return states.map((state) =>
    state.aliases !== undefined || (renamed.size > 0 && mentionsFormerUrn(state)) ? withUrns(state, now) : state,
  );
}

/** The new URNs of what this run has renamed, by the former ones. */
export function renamesIn(states: readonly ResourceState[]): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  if (!states.some(({ aliases }) => aliases !== undefined)) return renamed;
  for (const { urn, aliases, parent } of states) {
    for (const alias of aliases ?? []) renamed.set(alias, urn);
    const newParent = parent === undefined ? undefined : renamed.get(parent);
    if (newParent === undefined || qualifiedTypeOf(newParent) === stackType || renamed.has(urn)) continue;
    const { stack, project, type, name } = parseUrn(urn);
    renamed.set(urn, formatUrn({ stack, project, parentType: qualifiedTypeOf(newParent), type, name }));
  }
  return renamed;
}

/** The state with every URN replaced by `now`. */
export function withUrns(state: ResourceState, now: (urn: string) => string): ResourceState {
  const { aliases: _former, ...kept } = state;
  const { parent, dependencies, propertyDependencies, deletedWith } = state;
  const reference = state.provider === undefined ? undefined : parseReference(state.provider);
  return {
    ...kept,
    urn: now(state.urn),
    parent: parent === undefined ? undefined : now(parent),
    dependencies: dependencies?.map(now),
    propertyDependencies: propertyDependencies && mapObject(propertyDependencies, (urns) => urns.map(now)),
    deletedWith: deletedWith === undefined ? undefined : now(deletedWith),
    provider: reference && formatReference({ ...reference, urn: now(reference.urn) }),
  };
}

import type { CurrentUrn, DeclaredUrn, RecordedUrn } from "../../io/text/urns";
import {
  formatReference,
  formatUrn,
  type PropertyMap,
  parseReference,
  parseUrn,
  qualifiedTypeOf,
  type ResourceState,
  stackType,
} from "../state/resource-state";
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
  /** The recorded URN of a resource that this run matched by an alias. */
  formerUrn(urn: CurrentUrn): RecordedUrn | undefined;
}

/** The URNs under which the state may know a resource, its parent's former name taken into account. */
export function formerUrns(resource: AliasedResource, names: StackNames): RecordedUrn[] {
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

function fromAlias(alias: Alias, resource: AliasedResource, names: StackNames): RecordedUrn {
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
  child: { type: string; name: string; parentName: string; formerParent: RecordedUrn },
  names: StackNames,
): RecordedUrn {
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
  const now = (urn: RecordedUrn): CurrentUrn => renamed.get(urn) ?? urn;
  const mentionsFormerUrn = (state: ResourceState) =>
    [state.urn, ...dependenciesOf(state).map(({ urn }) => urn)].some((urn) => renamed.has(urn));
  return states.map((state) =>
    state.aliases !== undefined || (renamed.size > 0 && mentionsFormerUrn(state)) ? withUrns(state, now) : state,
  );
}

/** The new URNs of what this run has renamed, by the former ones. */
export function renamesIn(states: readonly ResourceState[]): ReadonlyMap<RecordedUrn, CurrentUrn> {
  const renamed = new Map<RecordedUrn, CurrentUrn>();
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
export function withUrns(state: ResourceState, now: (urn: RecordedUrn) => CurrentUrn): ResourceState {
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

/** The desired state of one resource, as the program declares it. */
export interface Goal {
  type: string;
  name: string;
  custom: boolean;
  properties: PropertyMap;
  parent?: string | undefined;
  /** Reference of the provider instance; components and providers have none. */
  provider?: string;
  /** Of the package's SDK, as the program's resource reports it. */
  version?: string | undefined;
  /** Absent, like `retainOnDelete` and `deletedWith`: as the parent has it. */
  protect?: boolean | undefined;
  dependencies: string[];
  propertyDependencies: { [property: string]: string[] };
  /** Absent: the provider decides. */
  deleteBeforeReplace?: boolean | undefined;
  ignoreChanges: string[];
  replaceOnChanges: string[];
  additionalSecretOutputs: string[];
  aliases: Alias[];
  /** In seconds. */
  customTimeouts: { create?: number; update?: number; delete?: number };
  retainOnDelete?: boolean | undefined;
  deletedWith?: string | undefined;
  hideDiff: string[];
  sourcePosition?: string;
  stackTrace?: { sourcePosition?: string }[] | undefined;
}

/** The goal of a resource without special options. */
export const plainGoal = (goal: Pick<Goal, "type" | "name" | "custom"> & Partial<Goal>): Goal => ({
  properties: {},
  dependencies: [],
  propertyDependencies: {},
  ignoreChanges: [],
  replaceOnChanges: [],
  additionalSecretOutputs: [],
  aliases: [],
  customTimeouts: {},
  hideDiff: [],
  ...goal,
});

/** A `.get`: the program reads an object that it does not manage. */
export interface ReadGoal {
  type: string;
  name: string;
  id: string;
  properties: PropertyMap;
  parent?: string | undefined;
  provider: string;
  version?: string | undefined;
  dependencies: string[];
  additionalSecretOutputs: string[];
  sourcePosition?: string;
  stackTrace?: { sourcePosition?: string }[] | undefined;
}

type Draft = { [Key in keyof ResourceState]?: ResourceState[Key] | undefined };

/** Omits empty values, as a state file does. */
function compact(draft: Draft & { urn: string; custom: boolean; type: string }): ResourceState {
  const empty = (value: unknown) =>
    value === undefined ||
    value === false ||
    (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  const kept = Object.entries(draft).filter(([, value]) => !empty(value));
  return { ...Object.fromEntries(kept), urn: draft.urn, custom: draft.custom, type: draft.type };
}

/** The goal's state; its id and outputs follow from the step. `alias`: the recorded URN, if it is another. */
export function stateOf(
  goal: Goal,
  urn: DeclaredUrn,
  old: ResourceState | undefined,
  alias: RecordedUrn | undefined,
): ResourceState {
  return compact({
    urn,
    custom: goal.custom,
    type: goal.type,
    inputs: goal.properties,
    parent: goal.parent,
    protect: goal.protect,
    dependencies: goal.dependencies,
    provider: goal.provider,
    propertyDependencies: goal.propertyDependencies,
    additionalSecretOutputs: goal.additionalSecretOutputs,
    aliases: alias === undefined ? [] : [alias],
    customTimeouts: goal.customTimeouts,
    retainOnDelete: goal.retainOnDelete,
    deletedWith: goal.deletedWith,
    created: old?.created,
    modified: old?.modified,
    sourcePosition: goal.sourcePosition,
    stackTrace: goal.stackTrace,
    ignoreChanges: goal.ignoreChanges,
    hideDiff: goal.hideDiff,
    replaceOnChanges: goal.replaceOnChanges,
  });
}

export function stateOfRead(goal: ReadGoal, urn: DeclaredUrn): ResourceState {
  return compact({
    urn,
    custom: true,
    id: goal.id,
    type: goal.type,
    inputs: goal.properties,
    parent: goal.parent,
    external: true,
    dependencies: goal.dependencies,
    provider: goal.provider,
    additionalSecretOutputs: goal.additionalSecretOutputs,
    sourcePosition: goal.sourcePosition,
    stackTrace: goal.stackTrace,
  });
}

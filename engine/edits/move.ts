import { withUrns } from "../plan/aliases";
import { dependenciesOf } from "../plan/dependencies";
import type { PropertyMap, ResourceState, Snapshot, StateValue } from "../state/types";
import {
  formatReference,
  formatUrn,
  isProviderType,
  parseReference,
  parseUrn,
  qualifiedTypeOf,
  stackType,
} from "../state/urns";
import { mapObject, valuesEqual, withReferences } from "../values/values";
import { type Entries, requireAll } from "./entries";

interface StackName {
  project: string;
  stack: string;
}

interface Move {
  urns: readonly string[];
  includeParents: boolean;
  to: StackName;
}

interface MoveResult {
  source: Entries;
  destination: Entries;
  /** URNs, as the source had them. */
  moved: string[];
  /** Dependencies across the two stacks, which the move cuts: `<urn> on <urn>`. */
  cut: string[];
}

/**
 * Moves resources with all their children, and what earlier runs left pending of them, from one stack's state into
 * another's. Copies their providers. Dependencies between what moves and what stays are dropped.
 */
export function moveBetween(source: Entries, { resources: there, pendingOperations }: Entries, move: Move): MoveResult {
  const moving = selection(source, move);
  const isMoving = (urn: string) => moving.has(urn);
  const isStaying = (urn: string) => !moving.has(urn);
  const [moved, staying] = parted(source.resources, ({ urn }) => isMoving(urn));
  const [begun, remaining] = parted(source.pendingOperations, ({ resource: { urn } }) => isMoving(urn));
  const pending = begun.map(({ resource }) => resource);
  const leaving = [...providersOf([...moved, ...pending], staying), ...moved];
  const root = there.find(({ type }) => type === stackType) ?? rootOf(move.to);
  const arriving = arrivals(
    [...leaving, ...pending].map((state) => detachState(state, isStaying)),
    root,
    move.to,
  );
  const renames = providerRenames(arriving, there);
  const renamed = arriving.map(({ state }) => withProvider(state, renames));
  return {
    source: {
      resources: staying.map((state) => detachState(state, isMoving)),
      pendingOperations: remaining.map(({ resource, type }) => ({ resource: detachState(resource, isMoving), type })),
    },
    destination: {
      resources: [
        ...(there.includes(root) ? [] : [root]),
        ...there,
        ...newcomers(renamed.slice(0, leaving.length), there, move.to),
      ],
      pendingOperations: [
        ...pendingOperations,
        ...begun.map(({ type }, index) => ({ resource: renamed[leaving.length + index]!, type })),
      ],
    },
    moved: moved.map(({ urn }) => urn),
    cut: [...new Set([...cutFrom(staying, isMoving), ...cutFrom(leaving, isStaying)])],
  };
}

/** The items that match, and the others. */
const parted = <Item>(items: readonly Item[], matches: (item: Item) => boolean): [Item[], Item[]] => [
  items.filter(matches),
  items.filter((item) => !matches(item)),
];

/** Providers among `states` that manage the resources. */
function providersOf(resources: readonly ResourceState[], states: readonly ResourceState[]): ResourceState[] {
  const references = new Set(resources.flatMap(({ provider }) => provider ?? []));
  return states.filter((state) => isProviderType(state.type) && references.has(referenceTo(state)));
}

/** What the states depend on and `gone` takes from them. */
const cutFrom = (states: readonly ResourceState[], isRemoved: (urn: string) => boolean): string[] =>
  states.flatMap((state) =>
    dependenciesOf(state)
      .filter(({ urn, kind }) => kind !== "parent" && kind !== "provider" && isRemoved(urn))
      .map(({ urn }) => `${state.urn} on ${urn}`),
  );

/** The URNs of what moves, children that an earlier run may only have begun to create included. */
function selection({ resources, pendingOperations }: Entries, { urns, includeParents }: Move): Set<string> {
  requireAll(resources, urns);
  const recorded = new Set(resources.map(({ urn }) => urn));
  const begun = pendingOperations.map(({ resource }) => resource).filter(({ urn }) => !recorded.has(urn));
  const source = [...resources, ...begun];
  const byUrn = new Map(source.map((state) => [state.urn, state]));
  const isOrdinary = ({ type }: ResourceState) => type !== stackType && !isProviderType(type);
  const provider = urns.find((urn) => isProviderType(byUrn.get(urn)!.type));
  if (provider) throw new Error(`${provider} is a provider: providers come along with the resources that they manage.`);
  const moving = new Set(urns);
  const addParents = (urn: string | undefined): void => {
    const parent = byUrn.get(byUrn.get(urn ?? "")?.parent ?? "");
    if (!parent) return;
    if (isOrdinary(parent)) moving.add(parent.urn);
    addParents(parent.urn);
  };
  if (includeParents) urns.forEach(addParents);
  for (const state of source) if (isOrdinary(state) && state.parent && moving.has(state.parent)) moving.add(state.urn);
  return new Set([...moving].filter((urn) => isOrdinary(byUrn.get(urn)!)));
}

interface Arrival {
  before: ResourceState;
  /** As the other stack names it. */
  state: ResourceState;
}

/** The states as the other stack names them, below its root where their parent stays. */
function arrivals(states: readonly ResourceState[], root: ResourceState, to: StackName): Arrival[] {
  const urns = new Map<string, string>();
  return states.map((before) => {
    const parent = (before.parent && urns.get(before.parent)) ?? root.urn;
    const { type, name } = parseUrn(before.urn);
    const urn = formatUrn({ ...to, parentType: qualifiedTypeOf(parent), type, name });
    urns.set(before.urn, urn);
    const now = (each: string) => urns.get(each) ?? urnIn(each, to);
    const { provider, ...rest } = before;
    const state = { ...withUrns(rest as ResourceState, now), parent, provider };
    return { before, state };
  });
}

/** What arrives and is not there yet. */
function newcomers(
  arriving: readonly ResourceState[],
  there: readonly ResourceState[],
  to: StackName,
): ResourceState[] {
  const byUrn = new Map(there.map((state) => [state.urn, state]));
  return arriving.filter((state) => isNew(state, byUrn.get(state.urn), to));
}

/** The references to arriving providers, before and after. A provider that is there already replaces its copy. */
function providerRenames(arriving: readonly Arrival[], there: readonly ResourceState[]): Map<string, string> {
  const byUrn = new Map(there.map((state) => [state.urn, state]));
  return new Map(
    arriving
      .filter(({ state }) => isProviderType(state.type))
      .map(({ before, state }) => [referenceTo(before), referenceTo(byUrn.get(state.urn) ?? state)]),
  );
}

function isNew(state: ResourceState, there: ResourceState | undefined, { stack }: StackName): boolean {
  if (there === undefined) return true;
  const isSame = there.id === state.id || valuesEqual(there.inputs ?? {}, state.inputs ?? {});
  if (!isProviderType(state.type) || !isSame) throw new Error(`The stack ${stack} already has a ${state.urn}.`);
  return false;
}

function detachState(state: ResourceState, isRemoved: (urn: string) => boolean): ResourceState {
  const { dependencies, propertyDependencies, deletedWith } = state;
  const remainingUrns = (urns: readonly string[]) => urns.filter((urn) => !isRemoved(urn));
  const stays = deletedWith !== undefined && !isRemoved(deletedWith);
  return {
    ...state,
    dependencies: dependencies && remainingUrns(dependencies),
    propertyDependencies:
      propertyDependencies &&
      Object.fromEntries(
        Object.entries(propertyDependencies).flatMap(([key, urns]) =>
          remainingUrns(urns).length > 0 ? [[key, remainingUrns(urns)]] : [],
        ),
      ),
    deletedWith: stays ? deletedWith : undefined,
  };
}

function withProvider(state: ResourceState, renames: ReadonlyMap<string, string>): ResourceState {
  if (state.provider === undefined) return state;
  const reference = parseReference(state.provider);
  return { ...state, provider: renames.get(formatReference(reference)) ?? state.provider };
}

const referenceTo = ({ urn, id = "" }: ResourceState): string => formatReference({ urn, id });

const rootOf = ({ project, stack }: StackName): ResourceState => ({
  urn: formatUrn({ project, stack, parentType: undefined, type: stackType, name: `${project}-${stack}` }),
  custom: false,
  type: stackType,
});

/** The URN as it is in another stack. The stack's own resource is named after both. */
function urnIn(urn: string, to: StackName, from?: StackName): string {
  const { stack, project, qualifiedType, name } = parseUrn(urn);
  if (from !== undefined && (from.stack !== stack || from.project !== project)) return urn;
  const isStack = qualifiedType === stackType;
  return formatUrn({
    ...to,
    parentType: undefined,
    type: qualifiedType,
    name: isStack ? `${to.project}-${to.stack}` : name,
  });
}

/** The state of a stack under its new name; secrets may be ciphertext, and are unchanged. */
export function inRenamedStack(snapshot: Snapshot, from: StackName, to: StackName): Snapshot {
  const now = (urn: string) => urnIn(urn, to, from);
  const properties = (map: PropertyMap) => mapObject(map, (value: StateValue) => withReferences(value, now));
  const state = (resource: ResourceState): ResourceState => {
    const named = withAliases(withUrns(resource, now), resource.aliases?.map(now));
    const { inputs, outputs } = named;
    return { ...named, inputs: inputs && properties(inputs), outputs: outputs && properties(outputs) };
  };
  return {
    ...snapshot,
    resources: snapshot.resources.map(state),
    pendingOperations: snapshot.pendingOperations.map(({ resource, type }) => ({ resource: state(resource), type })),
  };
}

const withAliases = (state: ResourceState, aliases: string[] | undefined): ResourceState =>
  aliases === undefined ? state : { ...state, aliases };

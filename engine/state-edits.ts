import { dependenciesOf, withDependents } from "./plan/dependencies";
import { withUrns } from "./plan/goal";
import { isSameObject } from "./plan/other-states";
import {
  formatReference,
  formatUrn,
  isProviderType,
  type PendingOperation,
  type PropertyMap,
  parseReference,
  parseUrn,
  qualifiedTypeOf,
  type ResourceState,
  type Snapshot,
  type StateValue,
  stackType,
} from "./state/resource-state";
import { type Moving, movingOf } from "./state/undertaking";
import { mapObject, valuesEqual, withReferences } from "./values/values";

/** What names resources in a state file: their entries, and what an earlier run left pending. */
export type Entries = Pick<Snapshot, "resources" | "pendingOperations">;

/** A change of a state file's entries; changes nothing but the file. */
export type Edit = (entries: Entries) => Entries;

interface DeletionOptions {
  /** Protected resources too. */
  force?: boolean | undefined;
  /** Includes their dependents; without it, resources that others need are refused. */
  targetDependents?: boolean | undefined;
}

/** Forgets resources; their objects live on. A URN selects every entry that has it. */
export function forgetResources(urns: readonly string[] | "all", { force, targetDependents }: DeletionOptions): Edit {
  return ({ resources, pendingOperations }) => {
    const all = resources.map((state) => ({ state }));
    const named = urns === "all" ? resources.map(({ urn }) => urn) : urns;
    requireAll(resources, named);
    const condemned = withDependents(named, all);
    const others = [...condemned].filter((urn) => !named.includes(urn));
    if (others.length > 0 && targetDependents !== true)
      throw new Error(
        `${others.join(", ")} would be left without what they depend on. Name them too, or all of them with --target-dependents.`,
      );
    const spared = resources.find(({ urn, protect }) => protect === true && condemned.has(urn));
    if (spared && force !== true)
      throw new Error(`${spared.urn} is protected. Add --force, or remove the protection with \`state unprotect\`.`);
    return { resources: resources.filter(({ urn }) => !condemned.has(urn)), pendingOperations };
  };
}

/** Marks of a resource in the state that an edit sets or removes. */
export type Mark = "taint" | "protect";

/** Ignores resources that await deletion. Throws for a URN that the state does not have. */
export function setMark(mark: Mark, on: boolean, urns: readonly string[] | "all"): Edit {
  return ({ resources, pendingOperations }) => {
    if (urns !== "all")
      requireAll(
        resources.filter((state) => state.delete !== true),
        urns,
      );
    const isMeant = ({ urn, delete: replaced }: ResourceState) =>
      replaced !== true && (urns === "all" || urns.includes(urn));
    return {
      resources: resources.map((state) => (isMeant(state) ? withMark(state, mark, on) : state)),
      pendingOperations,
    };
  };
}

function withMark(state: ResourceState, mark: Mark, on: boolean): ResourceState {
  const { [mark]: _before, ...rest } = state;
  return on ? { ...(rest as ResourceState), [mark]: true } : (rest as ResourceState);
}

function requireAll(resources: readonly ResourceState[], urns: readonly string[]): void {
  const known = new Set(resources.map(({ urn }) => urn));
  const missing = urns.filter((urn) => !known.has(urn));
  if (missing.length > 0)
    throw new Error(`The state has no resource ${missing.join(", nor ")}. \`stack --show-urns\` lists what it has.`);
}

/** Renames a resource in the state, and every reference to it. */
export function renameResource(urn: string, name: string): Edit {
  return ({ resources, pendingOperations }) => {
    const meant = resources.filter((state) => state.urn === urn);
    if (meant.length === 0)
      throw new Error(`The state has no resource ${urn}. \`stack --show-urns\` lists what it has.`);
    if (meant.length > 1)
      throw new Error(`The state has ${urn} more than once: run \`up\` first, so that the old one is deleted.`);
    const fresh = `${urn.slice(0, urn.length - parseUrn(urn).name.length)}${name}`;
    if (fresh !== urn && resources.some((state) => state.urn === fresh))
      throw new Error(`The state already has a ${fresh}.`);
    const now = (each: string) => (each === urn ? fresh : each);
    const rename = (state: ResourceState) => withAliases(withUrns(state, now), state.aliases);
    return {
      resources: resources.map(rename),
      pendingOperations: pendingOperations.map(({ resource, type }) => ({ resource: rename(resource), type })),
    };
  };
}

interface StackName {
  project: string;
  stack: string;
}

interface Move {
  /** What is marked as moving there comes along. */
  urns: readonly string[];
  includeParents: boolean;
  /** A move that was cut off: components that are there are those which it brought. */
  isContinued?: boolean;
  to: StackName;
}

export interface MoveResult {
  /** The source while both have what moves: no engine deletes an object because of what it still says. */
  marked: Entries;
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
  const [moved, staying] = partition(source.resources, ({ urn }) => isMoving(urn));
  const [begun, remaining] = partition(source.pendingOperations, ({ resource: { urn } }) => isMoving(urn));
  const pending = begun.map(({ resource }) => resource);
  const leaving = [...providersOf([...moved, ...pending], staying), ...moved];
  const root = there.find(({ type }) => type === stackType) ?? rootOf(move.to);
  const arriving = arrivals(
    [...leaving, ...pending].map((state) => detachState(withoutMoving(state), isStaying)),
    root,
    move.to,
  );
  const renames = providerRenames(arriving, there);
  const renamed = arriving.map(({ state }) => withProvider(state, renames));
  return {
    marked: {
      resources: source.resources.map((state) => (isMoving(state.urn) ? withMoving(state, move.to) : state)),
      pendingOperations: source.pendingOperations,
    },
    source: {
      resources: staying.map((state) => detachState(state, isMoving)),
      pendingOperations: remaining.map(({ resource, type }) => ({ resource: detachState(resource, isMoving), type })),
    },
    destination: {
      resources: [
        ...(there.includes(root) ? [] : [root]),
        ...there,
        ...newcomers(renamed.slice(0, leaving.length), there, move),
      ],
      pendingOperations: [
        ...pendingOperations,
        ...begun
          .map(({ type }, index) => ({ resource: renamed[leaving.length + index]!, type }))
          .filter(({ type, resource }) => !pendingOperations.some((each) => isSamePending(each, type, resource))),
      ],
    },
    moved: moved.map(({ urn }) => urn),
    cut: [...new Set([...cutFrom(staying, isMoving), ...cutFrom(leaving, isStaying)])],
  };
}

const isSamePending = (there: PendingOperation, type: string, { urn, inputs = {} }: ResourceState): boolean =>
  there.type === type && there.resource.urn === urn && valuesEqual(there.resource.inputs ?? {}, inputs);

/** An entry that the move is about to take out, marked once. */
function withMoving(state: ResourceState, { stack }: StackName): ResourceState {
  if (movingOf(state) !== undefined) return state;
  const movingTo: Moving = { stack, retained: state.retainOnDelete === true };
  return { ...state, ...(state.custom && { retainOnDelete: true }), movingTo };
}

/** The entry without that mark, as it was before. */
function withoutMoving(state: ResourceState): ResourceState {
  const moving = movingOf(state);
  if (moving === undefined) return state;
  const { movingTo: _, retainOnDelete: __, ...rest } = state;
  return moving.retained ? { ...(rest as ResourceState), retainOnDelete: true } : (rest as ResourceState);
}

const partition = <Item>(items: readonly Item[], matches: (item: Item) => boolean): [Item[], Item[]] => [
  items.filter(matches),
  items.filter((item) => !matches(item)),
];

/** Providers among `states` that manage the resources. */
function providersOf(resources: readonly ResourceState[], states: readonly ResourceState[]): ResourceState[] {
  const references = new Set(resources.flatMap(({ provider }) => provider ?? []));
  return states.filter((state) => isProviderType(state.type) && references.has(referenceTo(state)));
}

const cutFrom = (states: readonly ResourceState[], isRemoved: (urn: string) => boolean): string[] =>
  states.flatMap((state) =>
    dependenciesOf(state)
      .filter(({ urn, kind }) => kind !== "parent" && kind !== "provider" && isRemoved(urn))
      .map(({ urn }) => `${state.urn} on ${urn}`),
  );

/** The URNs of what moves, children that an earlier run may only have begun to create included. */
function selection({ resources, pendingOperations }: Entries, { urns, includeParents, to }: Move): Set<string> {
  requireAll(resources, urns);
  const marked = resources.filter((state) => movingOf(state)?.stack === to.stack);
  const recorded = new Set(resources.map(({ urn }) => urn));
  const begun = pendingOperations.map(({ resource }) => resource).filter(({ urn }) => !recorded.has(urn));
  const source = [...resources, ...begun];
  const byUrn = new Map(source.map((state) => [state.urn, state]));
  const isOrdinary = ({ type }: ResourceState) => type !== stackType && !isProviderType(type);
  const provider = urns.find((urn) => isProviderType(byUrn.get(urn)!.type));
  if (provider) throw new Error(`${provider} is a provider: providers come along with the resources that they manage.`);
  const moving = new Set([...urns, ...marked.map(({ urn }) => urn)]);
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
  move: Pick<Move, "to" | "isContinued">,
): ResourceState[] {
  const byUrn = new Map<string, ResourceState[]>();
  for (const state of there) byUrn.set(state.urn, [...(byUrn.get(state.urn) ?? []), state]);
  return arriving.filter((state) => isNew(state, byUrn.get(state.urn), move));
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

/** An entry that is there with the same object is itself: a move that was cut off has brought it. */
function isNew(
  state: ResourceState,
  there: readonly ResourceState[] = [],
  { to, isContinued = false }: Pick<Move, "to" | "isContinued">,
): boolean {
  if (there.length === 0) return true;
  const isOne = isProviderType(state.type)
    ? (each: ResourceState) => each.id === state.id || valuesEqual(each.inputs ?? {}, state.inputs ?? {})
    : (each: ResourceState) => (state.custom ? isSameObject(each, state) : isContinued);
  if (!there.some(isOne)) throw new Error(`The stack ${to.stack} already has a ${state.urn}.`);
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

import type { ResourceState } from "../../state/types";
import {
  formatReference,
  formatUrn,
  isProviderType,
  parseReference,
  parseUrn,
  qualifiedTypeOf,
  stackType,
} from "../../state/urns";
import { withUrns } from "../plan/aliases";
import { dependenciesOf } from "../plan/dependencies";
import { sameValue } from "../values/values";
import { requireAll } from "./marks";
import { type StackName, urnIn } from "./names";

interface Move {
  urns: readonly string[];
  includeParents: boolean;
  to: StackName;
}

interface Moved {
  source: ResourceState[];
  destination: ResourceState[];
  /** URNs, as the source had them. */
  moved: string[];
  /** Dependencies across the two stacks, which the move cuts: `<urn> on <urn>`. */
  cut: string[];
}

/**
 * Moves resources with all their children from one stack's state into another's. Copies their providers. Dependencies
 * between what moves and what stays are dropped.
 */
export function moveBetween(
  source: readonly ResourceState[],
  destination: readonly ResourceState[],
  move: Move,
): Moved {
  const moving = chosen(source, move);
  const moved = source.filter(({ urn }) => moving.has(urn));
  const staying = source.filter(({ urn }) => !moving.has(urn));
  const root = destination.find(({ type }) => type === stackType) ?? rootOf(move.to);
  const references = new Set(moved.flatMap(({ provider }) => provider ?? []));
  const providers = staying.filter((state) => isProviderType(state.type) && references.has(referenceTo(state)));
  const cut: string[] = [];
  const without = (state: ResourceState, gone: (urn: string) => boolean) => {
    for (const { urn, kind } of dependenciesOf(state))
      if (kind !== "parent" && kind !== "provider" && gone(urn)) cut.push(`${state.urn} on ${urn}`);
    return detached(state, gone);
  };
  const isMoving = (urn: string) => moving.has(urn);
  const remaining = staying.map((state) => without(state, isMoving));
  const arriving = arrivals(
    [...providers, ...moved].map((state) => without(state, (urn) => !isMoving(urn))),
    root,
    move.to,
  );
  const taken = new Map(destination.map((state) => [state.urn, state]));
  const renames = new Map<string, string>();
  const added: ResourceState[] = [];
  for (const { before, state } of arriving) {
    const there = taken.get(state.urn);
    if (!there) added.push(state);
    else if (
      !isProviderType(state.type) ||
      !(there.id === state.id || sameValue(there.inputs ?? {}, state.inputs ?? {}))
    )
      throw new Error(`The stack ${move.to.stack} already has a ${state.urn}.`);
    if (isProviderType(state.type)) renames.set(referenceTo(before), referenceTo(there ?? state));
  }
  const placed = added.map((state) => withProvider(state, renames));
  return {
    source: remaining,
    destination: [...(destination.includes(root) ? [] : [root]), ...destination, ...placed],
    moved: moved.map(({ urn }) => urn),
    cut: [...new Set(cut)],
  };
}

function chosen(source: readonly ResourceState[], { urns, includeParents }: Move): Set<string> {
  requireAll(source, urns);
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

/** The states as the other stack names them, below its root where their parent stays. */
function arrivals(states: readonly ResourceState[], root: ResourceState, to: StackName) {
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

function detached(state: ResourceState, gone: (urn: string) => boolean): ResourceState {
  const { dependencies, propertyDependencies, deletedWith } = state;
  const kept = (urns: readonly string[]) => urns.filter((urn) => !gone(urn));
  const stays = deletedWith !== undefined && !gone(deletedWith);
  return {
    ...state,
    dependencies: dependencies && kept(dependencies),
    propertyDependencies:
      propertyDependencies &&
      Object.fromEntries(
        Object.entries(propertyDependencies).flatMap(([key, urns]) =>
          kept(urns).length > 0 ? [[key, kept(urns)]] : [],
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

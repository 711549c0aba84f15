import { parseReference, type ResourceState } from "../state/resource-state";
import type { StateRef } from "./steps";

interface Dependency {
  urn: string;
  kind: "parent" | "dependency" | "property" | "deletedWith" | "provider";
  /** The input that holds the dependency, of kind `property`. */
  property?: string;
}

/** States are immutable values, so their dependencies never change. */
const known = new WeakMap<ResourceState, readonly Dependency[]>();

/** Every resource that must exist before this one, and why. */
export function dependenciesOf(state: ResourceState): readonly Dependency[] {
  const dependencies = known.get(state) ?? collect(state);
  known.set(state, dependencies);
  return dependencies;
}

function collect(state: ResourceState): Dependency[] {
  const dependencies: Dependency[] = [];
  if (state.parent !== undefined) dependencies.push({ urn: state.parent, kind: "parent" });
  for (const urn of state.dependencies ?? []) dependencies.push({ urn, kind: "dependency" });
  for (const [property, urns] of Object.entries(state.propertyDependencies ?? {})) {
    for (const urn of urns) dependencies.push({ urn, kind: "property", property });
  }
  if (state.deletedWith !== undefined) dependencies.push({ urn: state.deletedWith, kind: "deletedWith" });
  if (state.provider !== undefined) dependencies.push({ urn: parseReference(state.provider).urn, kind: "provider" });
  return dependencies;
}

/**
 * Those after `root` in the list that depend on it, directly or through others, in the
 * list's order. Being a child alone does not count.
 */
export function dependentsOf(root: StateRef, all: readonly StateRef[], ignored: (urn: string) => boolean): StateRef[] {
  const affected = new Set([root.state.urn]);
  const dependents: StateRef[] = [];
  for (const candidate of all.slice(all.indexOf(root) + 1)) {
    const { state } = candidate;
    if (ignored(state.urn)) continue;
    if (!dependenciesOf(state).some(({ urn, kind }) => kind !== "parent" && affected.has(urn))) continue;
    affected.add(state.urn);
    dependents.push(candidate);
  }
  return dependents;
}

/** The URNs of the resources, of all that depend on them, and of their children. */
export function withDependents(urns: readonly string[], all: readonly StateRef[]): Set<string> {
  const affected = new Set(urns);
  for (const { state } of all) {
    if (dependenciesOf(state).some(({ urn }) => affected.has(urn))) affected.add(state.urn);
  }
  return affected;
}

/**
 * For each resource of the list those of `among` that must outlive it: what it depends on, and the children of
 * components that it depends on. A list may hold several resources of one URN; only those before it can be meant.
 */
export function outlivedBy(all: readonly StateRef[], among: ReadonlySet<StateRef>): Map<StateRef, Set<StateRef>> {
  const byUrn = new Map<string, StateRef[]>();
  const childrenOf = new Map<string, StateRef[]>();
  const result = new Map<StateRef, Set<StateRef>>();
  for (const ref of all) {
    const needed = new Set<StateRef>();
    const need = (urn: string) => byUrn.get(urn)?.forEach((each) => needed.add(each));
    for (const { urn, kind } of dependenciesOf(ref.state)) {
      need(urn);
      if (kind !== "parent" && byUrn.get(urn)?.some((each) => !each.state.custom))
        descendants(urn, childrenOf).forEach((child) => needed.add(child));
    }
    result.set(ref, new Set([...needed].filter((each) => among.has(each))));
    push(byUrn, ref.state.urn, ref);
    if (ref.state.parent !== undefined) push(childrenOf, ref.state.parent, ref);
  }
  return result;
}

/** The resources and everything that must outlive them, directly or through others. */
export function withNeeded(roots: Iterable<StateRef>, all: readonly StateRef[]): Set<StateRef> {
  const outlived = outlivedBy(all, new Set(all));
  const needed = new Set<StateRef>();
  const add = (ref: StateRef): void => {
    if (needed.has(ref)) return;
    needed.add(ref);
    outlived.get(ref)?.forEach(add);
  };
  for (const root of roots) add(root);
  return needed;
}

function descendants(urn: string, childrenOf: ReadonlyMap<string, StateRef[]>): StateRef[] {
  return (childrenOf.get(urn) ?? []).flatMap((child) => [child, ...descendants(child.state.urn, childrenOf)]);
}

/** Adds to the list of a key. */
export function push<Key>(map: Map<Key, StateRef[]>, key: Key, ref: StateRef): void {
  const list = map.get(key);
  if (list) list.push(ref);
  else map.set(key, [ref]);
}

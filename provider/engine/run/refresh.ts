import type { ResourceState } from "../../state/types";
import { dependenciesOf } from "../plan/dependencies";
import type { Held } from "../plan/held";
import { refreshStep } from "../plan/steps";
import type { World } from "../plan/world";
import type { Executor } from "./executor";

/** Reads every resource of the state (or the targets) and makes what was found the start of whatever comes next. */
export async function refreshState(world: World, executor: Executor): Promise<void> {
  const { ledger, targets, preview } = world;
  const steps = ledger.base
    .filter(({ state }) => targets.includes(state.urn))
    .map((held) => ({ held, step: refreshStep(held) }));
  await Promise.allSettled(steps.map(({ step }) => executor.chain([step])));
  const found = new Map(steps.map(({ held, step }) => [held, step.made?.state]));
  const alive = ledger.base.flatMap((held) => {
    const state = found.has(held) ? found.get(held) : held.state;
    return state === undefined ? [] : [{ held, state }];
  });
  ledger.rebase(withoutDangling(ledger.base, alive));
  if (!preview) await ledger.write();
}

/** Takes the vanished resources out of what the others depend on; their children go to their parents. */
function withoutDangling(before: readonly Held[], alive: readonly { held: Held; state: ResourceState }[]): Held[] {
  const known = new Set<string>();
  const parents = new Map(before.map(({ state }) => [state.urn, state.parent]));
  return alive.map(({ held, state }) => {
    held.state = pruned(state, known, parents);
    known.add(state.urn);
    return held;
  });
}

function pruned(
  state: ResourceState,
  known: ReadonlySet<string>,
  parents: ReadonlyMap<string, string | undefined>,
): ResourceState {
  const has = (urn: string) => known.has(urn);
  let parent = state.parent;
  while (parent !== undefined && !has(parent)) parent = parents.get(parent);
  const { parent: _parent, deletedWith, ...rest } = state;
  const needed = dependenciesOf(state).filter(({ kind }) => kind !== "parent" && kind !== "provider");
  if (parent === state.parent && needed.every(({ urn }) => has(urn))) return state;
  return {
    ...rest,
    ...(parent === undefined ? {} : { parent }),
    ...(deletedWith !== undefined && has(deletedWith) ? { deletedWith } : {}),
    ...(state.dependencies === undefined ? {} : { dependencies: state.dependencies.filter(has) }),
    ...(state.propertyDependencies === undefined
      ? {}
      : {
          propertyDependencies: Object.fromEntries(
            Object.entries(state.propertyDependencies).map(([key, urns]) => [key, urns.filter(has)]),
          ),
        }),
  };
}

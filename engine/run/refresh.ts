import type { Context } from "../plan/context";
import { dependenciesOf } from "../plan/dependencies";
import { refreshStep, type StateRef } from "../plan/steps";
import type { ResourceState } from "../state/resource-state";
import { mapObject } from "../values/values";
import type { Executor } from "./executor";

/** Reads the resources that the operation covers. The rest of the operation starts from the result. */
export async function refreshResources(context: Context, executor: Executor, refs: readonly StateRef[]): Promise<void> {
  const scope = context.scope.reset();
  const steps = refs
    .filter(({ state }) => scope.observes(state))
    .map((ref) => ({ ref, step: refreshStep(ref, context.ledger.isUncertain(ref.state.urn)) }));
  const reads = await Promise.allSettled(steps.map(({ step }) => executor.chain([step])));
  for (const [index, { ref }] of steps.entries())
    if (reads[index]!.status === "fulfilled") context.ledger.answer(ref.state.urn);
  for (const { ref, step } of steps) ref.state = step.next?.state ?? ref.state;
  forget(context, new Set(steps.filter(({ step }) => step.next === undefined).map(({ ref }) => ref)));
  if (!context.preview) await context.ledger.write();
}

/** Resources of the state that the program has not declared. */
export const undeclaredRefs = ({ ledger, decisions }: Context): StateRef[] =>
  ledger.remaining().filter(({ state }) => !decisions.isHandled(state.urn));

/** Reads one resource before it is planned. Undefined if it is deleted; rejects if it cannot be read. */
export async function refreshOne(context: Context, executor: Executor, ref: StateRef): Promise<StateRef | undefined> {
  const step = refreshStep(ref, context.ledger.isUncertain(ref.state.urn));
  await executor.chain([step]);
  context.ledger.answer(ref.state.urn);
  const live = step.next?.state;
  if (live) ref.state = live;
  else forget(context, new Set([ref]));
  if (!context.preview) await context.ledger.write();
  return live && ref;
}

/** Removes vanished resources from the operation's starting point. */
function forget({ ledger }: Context, vanished: ReadonlySet<StateRef>): void {
  const before = ledger.base;
  ledger.rebase(
    withoutDangling(
      before,
      before.filter((ref) => !vanished.has(ref)),
    ),
  );
}

/** Removes the vanished resources from the others' dependencies; their children move to their parents. */
function withoutDangling(before: readonly StateRef[], alive: readonly StateRef[]): StateRef[] {
  const known = new Set<string>();
  const parents = new Map(before.map(({ state }) => [state.urn, state.parent]));
  return alive.map((ref) => {
    ref.state = withoutDanglingReferences(ref.state, known, parents);
    known.add(ref.state.urn);
    return ref;
  });
}

function withoutDanglingReferences(
  state: ResourceState,
  known: ReadonlySet<string>,
  parents: ReadonlyMap<string, string | undefined>,
): ResourceState {
  const has = (urn: string) => known.has(urn);
  let parent = state.parent;
  while (parent !== undefined && !has(parent)) parent = parents.get(parent);
  const { deletedWith, dependencies, propertyDependencies } = state;
  const needed = dependenciesOf(state).filter(({ kind }) => kind !== "parent" && kind !== "provider");
  if (parent === state.parent && needed.every(({ urn }) => has(urn))) return state;
  return {
    ...state,
    parent,
    deletedWith: deletedWith !== undefined && has(deletedWith) ? deletedWith : undefined,
    dependencies: dependencies?.filter(has),
    propertyDependencies: propertyDependencies && mapObject(propertyDependencies, (urns) => urns.filter(has)),
  };
}

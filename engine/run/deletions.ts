import { AlreadyReportedError, StoppedError } from "../errors";
import { type Context, reportError } from "../plan/context";
import { outlivedBy, push, withDependents, withNeeded } from "../plan/dependencies";
import type { Targets } from "../plan/scope";
import { cleanupStep, deleteReplacedStep, deleteStep, type StateRef, type Step, sameStep } from "../plan/steps";
import { assertPermitted, requireDeletable } from "./admission";
import type { Executor } from "./executor";

/**
 * Deletes what the program did not declare (in a destroy: everything) and what awaits deletion: dependents first, the
 * rest concurrently.
 */
export async function deleteRest(context: Context, executor: Executor): Promise<void> {
  const { steps, spared } = planDeletions(context, executor.unfinishedRefs);
  for (const ref of spared) await executor.chain([untargetedStep(ref)]);
  await requireDeletable(context, [...steps.values()]);
  const among = new Set(steps.keys());
  const outlived = outlivedBy(candidates(context), among);
  const done = new Map<StateRef, Promise<boolean>>();
  const dependents = new Map<StateRef, StateRef[]>();
  for (const ref of among) for (const needed of outlived.get(ref) ?? []) push(dependents, needed, ref);
  // Dependents come after their dependencies, so in reverse each finds the promises it waits for.
  for (const [ref, step] of [...steps].reverse())
    done.set(
      ref,
      deleteAfter(
        executor,
        step,
        (dependents.get(ref) ?? []).map((each) => done.get(each)),
      ),
    );
  await Promise.all(done.values());
}

const untargetedStep = (ref: StateRef): Step => sameStep(ref, ref.state, { untargeted: true });

/** Candidates for deletion, dependencies first. A destruction includes what the program has just declared. */
const candidates = ({ ledger, purpose }: Context): StateRef[] =>
  purpose === "destroy" ? ledger.current() : ledger.remaining();

/** True if the resource is deleted. Dependencies of an undeleted resource are not deleted. */
async function deleteAfter(
  executor: Executor,
  step: Step,
  dependents: (Promise<boolean> | undefined)[],
): Promise<boolean> {
  if ((await Promise.all(dependents)).includes(false)) {
    executor.markNotStarted(step);
    return false;
  }
  try {
    await executor.chain([step]);
    return true;
  } catch (error) {
    if (error instanceof AlreadyReportedError || error instanceof StoppedError) return false;
    throw error;
  }
}

/** `spared` are outside the operation. Resources that failed or were not tried keep their dependencies. */
function planDeletions(
  context: Context,
  unfinished: readonly StateRef[],
): { steps: Map<StateRef, Step>; spared: StateRef[] } {
  const { ledger, decisions, purpose } = context;
  const all = candidates(context);
  const isTargeted = targetFilter(context, all);
  // A preview shows what the program no longer declares, as far as it could be planned.
  const stillNeeded = context.preview ? new Set(unfinished) : withNeeded(unfinished, ledger.base);
  const steps = new Map<StateRef, Step>();
  const spared: StateRef[] = [];
  for (const ref of all) {
    const { urn, delete: replaced, pendingReplacement } = ref.state;
    const isHandled = purpose !== "destroy" && decisions.isHandled(urn);
    if (!isTargeted(ref)) {
      if (replaced !== true && !decisions.isHandled(urn)) spared.push(ref);
    } else if (stillNeeded.has(ref)) continue;
    else if (replaced === true) steps.set(ref, deleteReplacedStep(ref));
    else if (!isHandled) steps.set(ref, pendingReplacement === true ? cleanupStep(ref) : deleteStep(ref));
  }
  assertDependentsTargeted(context, [...steps.values()]);
  assertPermitted(context, [...spared.map(untargetedStep), ...steps.values()]);
  for (const { urn } of steps.values()) decisions.deleted.add(urn);
  return { steps, spared };
}

/**
 * Targets include their dependents, which are rejected later unless allowed; excluded resources keep their
 * dependencies.
 */
function targetFilter({ scope, ledger, purpose }: Context, all: readonly StateRef[]): (ref: StateRef) => boolean {
  const { targets, excludes, choices } = scope;
  const named = (set: Targets, states: readonly StateRef[]) =>
    states.map(({ state }) => state.urn).filter((urn) => set.includes(urn));
  if (targets.constrained) {
    // A target that the program still declares is not a candidate, but its former dependents may be.
    const states = [...new Set([...all, ...ledger.base])];
    const targetUrns = withDependents(named(targets, states), states);
    return ({ state }) => targetUrns.has(state.urn);
  }
  if (!excludes.constrained) return () => true;
  const states = purpose === "destroy" ? all : ledger.base;
  const dependents = choices.excludeDependents === true ? withDependents(named(excludes, states), states) : undefined;
  const roots = states.filter(({ state }) => excludes.includes(state.urn) || dependents?.has(state.urn) === true);
  const kept = new Set([...withNeeded(roots, states)].map(({ state }) => state.urn));
  return ({ state }) => !kept.has(state.urn);
}

function assertDependentsTargeted(context: Context, steps: readonly Step[]): void {
  const { targets, choices } = context.scope;
  if (choices.targetDependents === true) return;
  const others = steps.filter(({ urn }) => !targets.includes(urn));
  for (const { urn } of others)
    reportError(
      context,
      `${urn} would be deleted as well, because it depends on a target: name it as a target too, or all of them with --target-dependents.`,
      urn,
    );
  if (others.length > 0 && !context.preview)
    throw new AlreadyReportedError("resources that are not targets would be deleted");
}

import { AlreadyReported, Stopped } from "../errors";
import { type Context, complain } from "../plan/context";
import { outlivedBy, push, withDependents, withNeeded } from "../plan/dependencies";
import type { Targets } from "../plan/scope";
import { deleteReplacedStep, deleteStep, type Held, type Step, sameStep, tidyStep } from "../plan/steps";
import { admit, requireDeletable } from "./admission";
import type { Executor } from "./executor";

/**
 * Deletes what the program did not declare (in a destroy: everything) and what awaits deletion: dependents first, the
 * rest concurrently.
 */
export async function deleteRest(context: Context, executor: Executor): Promise<void> {
  const { steps, spared } = planDeletions(context, executor.left);
  for (const held of spared) await executor.chain([left(held)]);
  await requireDeletable(context, [...steps.values()]);
  const among = new Set(steps.keys());
  const outlived = outlivedBy(candidates(context), among);
  const done = new Map<Held, Promise<boolean>>();
  const dependents = new Map<Held, Held[]>();
  for (const held of among) for (const needed of outlived.get(held) ?? []) push(dependents, needed, held);
  // Dependents stand after what they depend on, so that from the end each finds the promises it waits for.
  for (const [held, step] of [...steps].reverse())
    done.set(
      held,
      deleteAfter(
        executor,
        step,
        (dependents.get(held) ?? []).map((each) => done.get(each)),
      ),
    );
  await Promise.all(done.values());
}

const left = (held: Held): Step => sameStep(held, held.state, { untargeted: true });

/**
 * What may have to go: in a destruction also what the program has just
 * declared. Everything comes after what it depends on.
 */
const candidates = ({ ledger, purpose }: Context): Held[] =>
  purpose === "destroy" ? ledger.current() : ledger.remaining();

/** True when the resource is gone. What something undeleted depends on is not deleted either. */
async function deleteAfter(
  executor: Executor,
  step: Step,
  dependents: (Promise<boolean> | undefined)[],
): Promise<boolean> {
  if ((await Promise.all(dependents)).includes(false)) {
    executor.leaveUnbegun(step);
    return false;
  }
  try {
    await executor.chain([step]);
    return true;
  } catch (error) {
    if (error instanceof AlreadyReported || error instanceof Stopped) return false;
    throw error;
  }
}

/**
 * `spared` stay as they are: the operation is not about them. What failed, or was not tried, keeps what it depends on.
 */
function planDeletions(context: Context, unfinished: readonly Held[]): { steps: Map<Held, Step>; spared: Held[] } {
  const { ledger, decisions, purpose } = context;
  const all = candidates(context);
  const isWanted = wantedAmong(context, all);
  const stillNeeded = withNeeded(unfinished, ledger.base);
  const steps = new Map<Held, Step>();
  const spared: Held[] = [];
  for (const held of all) {
    const { urn, delete: replaced, pendingReplacement } = held.state;
    const isHandled = purpose !== "destroy" && decisions.handled(urn);
    if (!isWanted(held)) {
      if (replaced !== true && !decisions.handled(urn)) spared.push(held);
    } else if (stillNeeded.has(held)) continue;
    else if (replaced === true) steps.set(held, deleteReplacedStep(held));
    else if (!isHandled) steps.set(held, pendingReplacement === true ? tidyStep(held) : deleteStep(held));
  }
  refuseUntargeted(context, [...steps.values()]);
  admit(context, [...spared.map(left), ...steps.values()]);
  for (const { urn } of steps.values()) decisions.deleted.add(urn);
  return { steps, spared };
}

/**
 * Targets take their dependents along, which are refused later unless they may
 * go; what is excluded keeps what it depends on.
 */
function wantedAmong({ scope, ledger, purpose }: Context, all: readonly Held[]): (held: Held) => boolean {
  const { targets, excludes, choices } = scope;
  const named = (set: Targets, states: readonly Held[]) =>
    states.map(({ state }) => state.urn).filter((urn) => set.includes(urn));
  if (targets.constrained) {
    // A target that the program still declares is not a candidate, but what depended on it may be.
    const states = [...new Set([...all, ...ledger.base])];
    const wanted = withDependents(named(targets, states), states);
    return ({ state }) => wanted.has(state.urn);
  }
  if (!excludes.constrained) return () => true;
  const states = purpose === "destroy" ? all : ledger.base;
  const dependents = choices.excludeDependents === true ? withDependents(named(excludes, states), states) : undefined;
  const roots = states.filter(({ state }) => excludes.includes(state.urn) || dependents?.has(state.urn) === true);
  const kept = new Set([...withNeeded(roots, states)].map(({ state }) => state.urn));
  return ({ state }) => !kept.has(state.urn);
}

function refuseUntargeted(context: Context, steps: readonly Step[]): void {
  const { targets, choices } = context.scope;
  if (choices.targetDependents === true) return;
  const others = steps.filter(({ urn }) => !targets.includes(urn));
  for (const { urn } of others)
    complain(
      context,
      `${urn} would be deleted as well, because it depends on a target: name it as a target too, or all of them with --target-dependents.`,
      urn,
    );
  if (others.length > 0 && !context.preview)
    throw new AlreadyReported("resources that are not targets would be deleted");
}

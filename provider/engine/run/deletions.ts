import { Reported, Stopped } from "../errors";
import { outlivedBy, push, withDependents } from "../plan/dependencies";
import type { Held } from "../plan/held";
import { deleteReplacedStep, deleteStep, type Step, sameStep, tidyStep } from "../plan/steps";
import { complain, type World } from "../plan/world";
import type { Executor } from "./executor";

/** Deletes what the program did not declare (or everything, when none ran) and what waits for its deletion: dependents first, the rest at once. */
export async function deleteRest(world: World, executor: Executor): Promise<void> {
  const { steps, spared } = planDeletions(world);
  for (const held of spared) await executor.chain([sameStep(held, held.state, { untargeted: true })]);
  const among = new Set(steps.keys());
  const outlived = outlivedBy(world.ledger.base, among);
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

/** True when the resource is gone. What something undeleted depends on is not deleted either. */
async function deleteAfter(
  executor: Executor,
  step: Step,
  dependents: (Promise<boolean> | undefined)[],
): Promise<boolean> {
  if ((await Promise.all(dependents)).includes(false)) return false;
  try {
    await executor.chain([step]);
    return true;
  } catch (error) {
    if (error instanceof Reported || error instanceof Stopped) return false;
    throw error;
  }
}

/** `spared` are no targets: they stay as they are. */
function planDeletions(world: World): { steps: Map<Held, Step>; spared: Held[] } {
  const { ledger, decisions, targets } = world;
  const remaining = ledger.remaining();
  const wanted = targets.constrained
    ? withDependents(
        remaining.map(({ state }) => state.urn).filter((urn) => targets.includes(urn)),
        remaining,
      )
    : undefined;
  const steps = new Map<Held, Step>();
  const spared: Held[] = [];
  for (const held of remaining) {
    const { urn, delete: replaced, pendingReplacement } = held.state;
    if (wanted?.has(urn) === false) {
      if (replaced !== true && !decisions.handled(urn)) spared.push(held);
      continue;
    }
    if (replaced === true) steps.set(held, deleteReplacedStep(held));
    else if (decisions.handled(urn)) continue;
    else steps.set(held, pendingReplacement === true ? tidyStep(held) : deleteStep(held));
    decisions.deleted.add(urn);
  }
  refuseUntargeted(world, [...steps.values()]);
  return { steps, spared };
}

function refuseUntargeted(world: World, steps: readonly Step[]): void {
  const others = steps.filter(({ urn }) => !world.targets.includes(urn));
  for (const { urn } of others)
    complain(world, `${urn} would be deleted as well, because it depends on a target: name it as a target too.`, urn);
  if (others.length > 0 && !world.preview) throw new Reported("resources that are no targets would be deleted");
}

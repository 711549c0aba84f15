import type { Step } from "../plan/steps";
import type { World } from "../plan/world";
import { isProviderType } from "../values/urns";
import { type Applied, completed, fromLive, goalOf, managerOf, now, type Operation, oldOf } from "./applied";
import { importing, read, refresh } from "./observations";

/** A protected resource is not deleted; others may still be. */
export class Protected extends Error {
  override readonly name = "Protected";
  constructor(urn: string) {
    super(
      `${urn} is protected and was not deleted. Remove \`protect\` from it in the program and run \`up\`, or \`npx pulumi-modelplatform state unprotect\` it, first.`,
    );
  }
}

const same: Operation = async (step, world) => {
  const goal = goalOf(step);
  if (step.skipped === true) return {};
  const { id, inputs, outputs } = oldOf(step);
  const state = completed({ ...goal, ...(id === undefined ? {} : { id }) }, outputs);
  // Inputs may read differently though nothing changed: the instance keeps working with those it was made from.
  if (isProviderType(goal.type) && step.untargeted !== true)
    world.providers.adopt(inputs === undefined ? state : { ...state, inputs });
  return { state };
};

const create: Operation = async (step, world) => {
  const goal = goalOf(step);
  const stamped = { ...goal, created: now(world), modified: now(world) };
  const call = {
    urn: step.urn,
    preview: world.preview,
    inputs: goal.inputs ?? {},
    timeout: goal.customTimeouts?.create ?? 0,
  };
  const applied = goal.custom
    ? fromLive(stamped, await managerOf(world, goal).create(call))
    : { state: completed(stamped) };
  if (step.deleteLater === true && step.old) step.old.state = { ...step.old.state, delete: true };
  return applied;
};

const update: Operation = async (step, world) => {
  const goal = goalOf(step);
  const { id = "", inputs: oldInputs = {}, outputs: oldOutputs = {} } = oldOf(step);
  if (!goal.custom) return { state: completed(goal) };
  const live = await managerOf(world, goal).update({
    ...{ urn: step.urn, preview: world.preview, id, oldInputs, oldOutputs },
    newInputs: goal.inputs ?? {},
    timeout: goal.customTimeouts?.update ?? 0,
    ignoreChanges: goal.ignoreChanges ?? [],
  });
  return fromLive({ ...goal, modified: now(world) }, live);
};

const remove: Operation = async (step, world) => {
  const old = oldOf(step);
  const { id = "", inputs = {}, outputs = {}, deletedWith, customTimeouts } = old;
  if (step.op === "delete" && old.protect === true) throw new Protected(step.urn);
  const goesWithAnother = deletedWith !== undefined && world.decisions.deleted.has(deletedWith);
  const spared = !old.custom || old.external === true || old.retainOnDelete === true || goesWithAnother;
  if (!spared && !world.preview) {
    await managerOf(world, old).delete({
      urn: step.urn,
      preview: false,
      id,
      inputs,
      outputs,
      timeout: customTimeouts?.delete ?? 0,
    });
  }
  if (step.createLater === true && step.old) step.old.state = { ...step.old.state, pendingReplacement: true };
  return {};
};

const nothing: Operation = async () => ({});

const operations: Record<Step["op"], Operation> = {
  same,
  create,
  "create-replacement": create,
  update,
  replace: nothing,
  delete: remove,
  "delete-replaced": remove,
  discard: remove,
  read,
  refresh,
  import: importing,
  "remove-pending-replace": nothing,
};

/** Does what the step says; the provider may refuse. Nothing of it is recorded yet. */
export const apply = (step: Step, world: World): Promise<Applied> => operations[step.op](step, world);

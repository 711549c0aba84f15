import type { Context } from "../plan/context";
import type { Step } from "../plan/steps";
import type { DeleteCall } from "../providers/provider";
import { isProviderType } from "../state/urns";
import { type Applied, completed, fromLive, goalOf, managerOf, now, oldOf, type StepHandler } from "./applied";
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

const same: StepHandler = async (step, context) => {
  const goal = goalOf(step);
  if (step.skipped === true) return {};
  const { id = goal.id, inputs, outputs } = oldOf(step);
  const state = completed({ ...goal, id }, outputs);
  // Inputs may read differently though nothing changed: the instance keeps working with those it was made from.
  if (isProviderType(goal.type) && step.untargeted !== true)
    context.providers.adopt(inputs === undefined ? state : { ...state, inputs });
  return { state };
};

const create: StepHandler = async (step, context) => {
  const goal = goalOf(step);
  const stamped = { ...goal, created: now(context), modified: now(context) };
  const call = {
    urn: step.urn,
    preview: context.preview,
    inputs: goal.inputs ?? {},
    timeout: goal.customTimeouts?.create ?? 0,
  };
  const applied = goal.custom
    ? fromLive(stamped, await managerOf(context, goal).create(call))
    : { state: completed(stamped) };
  if (step.deleteLater === true && step.old) step.old.state = { ...step.old.state, delete: true };
  return applied;
};

const update: StepHandler = async (step, context) => {
  const goal = goalOf(step);
  const { id = "", inputs: oldInputs = {}, outputs: oldOutputs = {} } = oldOf(step);
  if (!goal.custom) return { state: completed(goal) };
  const live = await managerOf(context, goal).update({
    ...{ urn: step.urn, preview: context.preview, id, oldInputs, oldOutputs },
    newInputs: goal.inputs ?? {},
    timeout: goal.customTimeouts?.update ?? 0,
    ignoreChanges: goal.ignoreChanges ?? [],
  });
  return fromLive({ ...goal, modified: now(context) }, live);
};

/** What a provider is asked for the deletion; undefined where it is none of a provider's. */
export function deletionOf(step: Step, context: Context): DeleteCall | undefined {
  const { id = "", inputs = {}, outputs = {}, deletedWith, customTimeouts, ...old } = oldOf(step);
  const goesWithAnother = deletedWith !== undefined && context.decisions.deleted.has(deletedWith);
  if (!old.custom || old.external === true || old.retainOnDelete === true || goesWithAnother) return undefined;
  return { urn: step.urn, preview: context.preview, id, inputs, outputs, timeout: customTimeouts?.delete ?? 0 };
}

const remove: StepHandler = async (step, context) => {
  const old = oldOf(step);
  if (step.op === "delete" && old.protect === true) throw new Protected(step.urn);
  const call = deletionOf(step, context);
  if (call && !context.preview) await managerOf(context, old).delete(call);
  if (step.createLater === true && step.old) step.old.state = { ...step.old.state, pendingReplacement: true };
  return {};
};

const nothing: StepHandler = async () => ({});

const operations: Record<Step["op"], StepHandler> = {
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
export const apply = (step: Step, context: Context): Promise<Applied> => operations[step.op](step, context);

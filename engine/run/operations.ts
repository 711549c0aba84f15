import { InitError } from "../errors";
import type { Op, PropertyDiff } from "../events";
import type { Context } from "../plan/context";
import type { Step } from "../plan/steps";
import type { DeleteCall, ReportedState, ResourceProvider } from "../providers/provider";
import type { PropertyMap, ResourceState } from "../state/types";
import { isProviderType } from "../state/urns";
import { markSecretOutputs } from "../values/values";

/** The outcome of a step. */
export interface StepResult {
  /** The new state; absent if there is none. */
  state?: ResourceState;
  /** The object exists, but the step counts as failed. */
  initError?: InitError;
  /** Of `refresh`: what happened to the object outside the engine. */
  differences?: Op;
  /** Of a delete: the object is still live. */
  left?: boolean;
  diffs?: PropertyDiff[];
}

/** Executes a kind of step. Nothing is recorded yet when it resolves. */
export type StepHandler = (step: Step, context: Context) => Promise<StepResult>;

export function goalOf(step: Step): ResourceState {
  if (step.next === undefined) throw new Error(`the step "${step.op}" of ${step.urn} has no goal`);
  return step.next.state;
}

export function oldOf(step: Step): ResourceState {
  if (step.old === undefined) throw new Error(`the step "${step.op}" of ${step.urn} has no old state`);
  return step.old.state;
}

/** The provider of a custom resource. */
export function managerOf(context: Context, state: ResourceState): ResourceProvider {
  return isProviderType(state.type) ? context.providers : context.providers.ensure(state.provider ?? "");
}

/** The state with its outputs; those named by the program or with a secret input become secret. */
function completedState(state: ResourceState, outputs: PropertyMap = {}): ResourceState {
  const { outputs: _none, ...rest } = state;
  if (Object.keys(outputs).length === 0) return rest;
  return { ...rest, outputs: markSecretOutputs(outputs, state.inputs ?? {}, state.additionalSecretOutputs ?? []) };
}

/** The state of an object as its provider reported it after creating, changing or reading it. */
export function fromLive(state: ResourceState, live: ReportedState): StepResult & { state: ResourceState } {
  const reported = completedState({ ...state, id: live.id || state.id }, live.outputs);
  if (live.initErrors === undefined) return { state: reported };
  return { state: { ...reported, initErrors: [...live.initErrors] }, initError: new InitError(live.initErrors) };
}

export const now = (context: Context): string => context.clock().toISOString();

/** A protected resource is not deleted; others may still be. */
export class ProtectedResourceError extends Error {
  override readonly name = "Protected";
  constructor(urn: string) {
    super(
      `${urn} is protected and was not deleted. Remove \`protect\` from it in the program and run \`up\`, or \`npx pulumi-modelplatform state unprotect\` it, first.`,
    );
  }
}

export const keepUnchanged: StepHandler = async (step, context) => {
  const goal = goalOf(step);
  if (step.skipped === true) return {};
  const { id = goal.id, inputs, outputs } = oldOf(step);
  const state = completedState({ ...goal, id }, outputs);
  // Inputs may read differently although nothing changed: the instance keeps the ones it was created with.
  if (isProviderType(goal.type) && step.untargeted !== true)
    context.providers.adopt(inputs === undefined ? state : { ...state, inputs });
  return { state };
};

export const create: StepHandler = async (step, context) => {
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
    : { state: completedState(stamped) };
  if (step.deleteLater === true && step.old) step.old.state = { ...step.old.state, delete: true };
  return applied;
};

export const update: StepHandler = async (step, context) => {
  const goal = goalOf(step);
  const { id = "", inputs: oldInputs = {}, outputs: oldOutputs = {} } = oldOf(step);
  if (!goal.custom) return { state: completedState(goal) };
  const live = await managerOf(context, goal).update({
    ...{ urn: step.urn, preview: context.preview, id, oldInputs, oldOutputs },
    newInputs: goal.inputs ?? {},
    timeout: goal.customTimeouts?.update ?? 0,
    ignoreChanges: goal.ignoreChanges ?? [],
  });
  return fromLive({ ...goal, modified: now(context) }, live);
};

/** The provider's delete call; undefined if no provider deletes an object. */
export function deletionOf(step: Step, context: Context): DeleteCall | undefined {
  const { id = "", inputs = {}, outputs = {}, deletedWith, customTimeouts, ...old } = oldOf(step);
  const goesWithAnother = deletedWith !== undefined && context.decisions.deleted.has(deletedWith);
  if (!old.custom || old.external === true || old.retainOnDelete === true || goesWithAnother) return undefined;
  return { urn: step.urn, preview: context.preview, id, inputs, outputs, timeout: customTimeouts?.delete ?? 0 };
}

const isRetained = ({ custom, external, retainOnDelete }: ResourceState): boolean =>
  custom && external !== true && retainOnDelete === true;

export const remove: StepHandler = async (step, context) => {
  const old = oldOf(step);
  if (step.op === "delete" && old.protect === true) throw new ProtectedResourceError(step.urn);
  const call = deletionOf(step, context);
  const deletion = call && !context.preview ? await managerOf(context, old).delete(call) : undefined;
  if (step.createLater === true && step.old) step.old.state = { ...step.old.state, pendingReplacement: true };
  return { left: deletion === "left" || isRetained(old) };
};

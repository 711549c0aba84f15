import { InitError } from "../errors";
import type { Op, PropertyDiff } from "../events";
import type { Context } from "../plan/context";
import type { Step } from "../plan/steps";
import type { Live, ResourceProvider } from "../providers/provider";
import type { PropertyMap, ResourceState } from "../state/types";
import { isProviderType } from "../state/urns";
import { markSecretOutputs } from "../values/values";

/** The outcome of a step. */
export interface Applied {
  /** The new state; absent if there is none. */
  state?: ResourceState;
  /** The object exists, but the step counts as failed. */
  initError?: InitError;
  /** Of `refresh`: what happened to the object outside the engine. */
  found?: Op;
  diffs?: PropertyDiff[];
}

/** Executes a kind of step. Nothing is recorded yet when it resolves. */
export type StepHandler = (step: Step, context: Context) => Promise<Applied>;

export function goalOf(step: Step): ResourceState {
  if (step.made === undefined) throw new Error(`the step "${step.op}" of ${step.urn} has no goal`);
  return step.made.state;
}

export function oldOf(step: Step): ResourceState {
  if (step.old === undefined) throw new Error(`the step "${step.op}" of ${step.urn} has no old state`);
  return step.old.state;
}

/** The provider of a custom resource. */
export function managerOf(context: Context, state: ResourceState): ResourceProvider {
  return isProviderType(state.type) ? context.providers : context.providers.ensure(state.provider ?? "");
}

/** The state with its outputs, of which those are secret that the program names or whose input is. */
export function completed(state: ResourceState, outputs: PropertyMap = {}): ResourceState {
  const { outputs: _none, ...rest } = state;
  if (Object.keys(outputs).length === 0) return rest;
  return { ...rest, outputs: markSecretOutputs(outputs, state.inputs ?? {}, state.additionalSecretOutputs ?? []) };
}

/** The state of an object as its provider reported it after making, changing or reading it. */
export function fromLive(state: ResourceState, live: Live): Applied & { state: ResourceState } {
  const made = completed({ ...state, id: live.id || state.id }, live.outputs);
  if (live.initErrors === undefined) return { state: made };
  return { state: { ...made, initErrors: [...live.initErrors] }, initError: new InitError(live.initErrors) };
}

export const now = (context: Context): string => context.clock().toISOString();

import { ownCommand, quotedCommand } from "../../io/text/command-line";
import { InitError } from "../errors";
import type { Op, PropertyDiff } from "../events";
import { diffWithProvider, withIgnoredChanges } from "../plan/comparison";
import { type Context, report } from "../plan/context";
import type { Step } from "../plan/steps";
import type { DeleteCall, ReportedState, ResourceProvider } from "../providers/providers";
import { isProviderType, type PropertyMap, type ResourceState } from "../state/resource-state";
import { describe, differences, invertDifferences } from "../values/differences";
import { markSecretOutputs, unknown, valuesEqual } from "../values/values";

/** The outcome of a step. */
export interface StepResult {
  /** The new state; absent if the resource has no state any more. */
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

function goalOf(step: Step): ResourceState {
  if (step.next === undefined) throw new Error(`the step "${step.op}" of ${step.urn} has no goal`);
  return step.next.state;
}

export function oldOf(step: Step): ResourceState {
  if (step.old === undefined) throw new Error(`the step "${step.op}" of ${step.urn} has no old state`);
  return step.old.state;
}

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
function fromLive(state: ResourceState, live: ReportedState): StepResult & { state: ResourceState } {
  const reported = completedState({ ...state, id: live.id || state.id }, live.outputs);
  if (live.initErrors === undefined) return { state: reported };
  const initError = new InitError(live.initErrors, live.failure);
  return { state: { ...reported, initErrors: [...live.initErrors] }, initError };
}

export const now = (context: Context): string => context.clock().toISOString();

/** A protected resource is not deleted; others may still be. */
export class ProtectedResourceError extends Error {
  override readonly name = "Protected";
}

/** The way to delete comes first only where the user asks for it: what is missing in the program may be a mistake. */
function protectionRefusal({ urn, type, id = "" }: ResourceState, context: Context): string {
  const command = (words: readonly string[], ...args: string[]): string =>
    quotedCommand([...ownCommand, ...words], { args, flags: [["--stack", context.stack]] });
  const unprotect = command(["state", "unprotect"], urn);
  if (context.purpose === "destroy" || context.decisions.declared.has(urn))
    return `${urn} is protected and was not deleted. Remove \`protect\` from it in the program and run ${command(["up"])}, or run ${unprotect}, first.`;
  const declaring = id === "" ? undefined : context.declaring(type, id);
  const code = declaring === undefined ? "" : `: ${quotedCommand(declaring)} prints its code`;
  return `${urn} is protected and was not deleted: it is in the state and not in the program. Declare it as \`${nameIn(urn)}\`${code}. Only to delete the live object: ${unprotect}, then ${command(["up"])}.`;
}

const nameIn = (urn: string): string => urn.split("::").slice(3).join("::");

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

/** Why an object is not deleted that another stack's state records, too; undefined if none does. */
export async function doublyHeldRefusal(entry: ResourceState, context: Context): Promise<string | undefined> {
  const { otherStates, stack, project } = context;
  const holder = await otherStates?.holderOf(entry);
  for (const why of otherStates?.takeUnreadable() ?? [])
    report(context, "warning", `Whether another stack holds what is deleted here is not known of all: ${why}`);
  if (holder === undefined) return undefined;
  const forget = (urn: string, of: string): string =>
    quotedCommand([...ownCommand, "state", "delete"], { args: [urn], flags: [["--stack", of]] });
  const [name, there] =
    holder.project === project
      ? [holder.stack, ""]
      : [`${holder.project}/${holder.stack}`, ` in the project ${holder.project}`];
  return `${entry.urn} was not deleted: the state of the stack ${name} records this very object, as ${holder.entry.urn}. Let one of the two forget it: ${forget(entry.urn, stack)}, or ${forget(holder.entry.urn, holder.stack)}${there}.`;
}

export const remove: StepHandler = async (step, context) => {
  const old = oldOf(step);
  if (step.op === "delete" && old.protect === true) throw new ProtectedResourceError(protectionRefusal(old, context));
  const call = deletionOf(step, context);
  const refusal = call && (await doublyHeldRefusal(old, context));
  if (refusal !== undefined) throw new Error(refusal);
  const deletion = call && !context.preview ? await managerOf(context, old).delete(call) : undefined;
  if (step.createLater === true && step.old) step.old.state = { ...step.old.state, pendingReplacement: true };
  return { left: deletion === "left" || isRetained(old) };
};

interface ObservedProperties {
  inputs?: PropertyMap | undefined;
  outputs?: PropertyMap | undefined;
}

const propertiesEqual = (one: ObservedProperties, other: ObservedProperties): boolean =>
  valuesEqual(one.inputs ?? {}, other.inputs ?? {}) && valuesEqual(one.outputs ?? {}, other.outputs ?? {});

/** Reads an object that the program does not manage. */
export const read: StepHandler = async (step, context) => {
  const goal = goalOf(step);
  const { id = "", inputs = {} } = goal;
  if (step.replacing === true && step.old) step.old.state = { ...step.old.state, delete: true };
  if (id === unknown) return { state: goal };
  // Without a recorded state, providers receive the inputs in its place.
  const live = await managerOf(context, goal).read({
    urn: step.urn,
    preview: context.preview,
    id,
    inputs,
    state: inputs,
  });
  if (live === undefined) throw new Error(`there is no resource with the id "${id}"`);
  const old = step.old?.state;
  const { created = goal.created, modified = goal.modified } = old ?? {};
  const applied = fromLive({ ...goal, created, modified }, live);
  if (old === undefined || propertiesEqual(old, applied.state)) return applied;
  return { ...applied, state: { ...applied.state, modified: now(context) } };
};

/**
 * Adds an object to the state as its provider reads it, or with the outputs of the request. Inputs that the provider
 * rejects are recorded with a warning, because the program is written from them.
 */
export const importStepHandler: StepHandler = async (step, context) => {
  const { outputs, ...goal } = goalOf(step);
  const { id = "", inputs: requested = {} } = goal;
  const provider = managerOf(context, goal);
  const live = outputs
    ? { id, inputs: requested, outputs }
    : await provider.read({ urn: step.urn, preview: context.preview, id, inputs: requested });
  if (live === undefined) throw new Error(`there is no resource with the id "${id}"`);
  if (live.inputs === undefined) throw new Error("its provider does not report its inputs, so it cannot be imported");
  const all = { ...requested, ...live.inputs };
  const requestedKeys = step.properties ?? [];
  const inputs =
    requestedKeys.length === 0
      ? all
      : Object.fromEntries(Object.entries(all).filter(([name]) => requestedKeys.includes(name)));
  const { failures } = await provider.check({ urn: step.urn, preview: context.preview, olds: all, news: inputs });
  for (const { property, reason } of failures)
    report(
      context,
      "warning",
      `The imported inputs are not valid${property === "" ? "" : `: ${property}`}: ${reason}`,
      step.urn,
    );
  return fromLive({ ...goal, inputs, created: now(context), modified: now(context) }, live);
};

/** Reads a recorded object again. A missing one leaves no state. */
export const refresh: StepHandler = async (step, context) => {
  const old = oldOf(step);
  if (!old.custom || isProviderType(old.type) || old.pendingReplacement === true)
    return { state: old, differences: "same" };
  const { inputs: oldInputs = {}, outputs: oldOutputs = {}, id = "" } = old;
  const provider = managerOf(context, old);
  const live = await provider.read({
    urn: step.urn,
    preview: context.preview,
    id,
    inputs: oldInputs,
    state: oldOutputs,
  });
  if (live === undefined) return { differences: "delete" };
  const { initErrors: _former, ...rest } = old;
  const { state, initError } = fromLive({ ...rest, inputs: live.inputs ?? oldInputs }, live);
  context.secrets.learnState(state);
  if (initError) report(context, "warning", `The resource exists, but is not ready: ${initError.message}`, step.urn);
  const observed = propertiesEqual(old, { inputs: state.inputs ?? {}, outputs: live.outputs })
    ? state
    : { ...state, modified: now(context) };
  const change =
    old.external === true ? outputChange(oldOutputs, live.outputs) : await drift(context, provider, old, observed);
  return { state: observed, ...change };
};

type RefreshResult = Required<Pick<StepResult, "differences" | "diffs">>;

/** An object that is only read has no desired inputs: only its outputs count. */
function outputChange(before: PropertyMap, after: PropertyMap): RefreshResult {
  return { differences: valuesEqual(before, after) ? "same" : "update", diffs: describe(differences(before, after)) };
}

/** The change that an `up` with the recorded inputs would make, seen from the live object. */
async function drift(
  context: Context,
  provider: ResourceProvider,
  old: ResourceState,
  live: ResourceState,
): Promise<RefreshResult> {
  const { urn, inputs: oldInputs = {}, outputs: oldOutputs = {}, ignoreChanges = [] } = old;
  const { id = "", inputs = {}, outputs = {} } = live;
  const result = await diffWithProvider(provider, {
    urn,
    id,
    oldInputs: inputs,
    oldOutputs: outputs,
    newInputs: oldInputs,
    ignoreChanges,
    preview: context.preview,
  });
  if (result.changes !== "some") return { differences: "same", diffs: [] };
  const inputDiffs = result.differences
    ? invertDifferences(result.differences)
    : differences(oldInputs, withIgnoredChanges(inputs, oldInputs, ignoreChanges).inputs);
  return {
    differences: "update",
    diffs: describe(inputDiffs.length > 0 ? inputDiffs : differences(oldOutputs, outputs)),
  };
}

import { diffWithProvider, withIgnoredChanges } from "../plan/comparison";
import { type Context, report } from "../plan/context";
import type { ResourceProvider } from "../providers/provider";
import type { PropertyMap, ResourceState } from "../state/types";
import { isProviderType } from "../state/urns";
import { describe, differences, invertDifferences } from "../values/differences";
import { unknown, valuesEqual } from "../values/values";
import { fromLive, goalOf, managerOf, now, oldOf, type StepHandler, type StepResult } from "./operations";

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
  const answer = await diffWithProvider(provider, {
    urn,
    id,
    oldInputs: inputs,
    oldOutputs: outputs,
    newInputs: oldInputs,
    ignoreChanges,
    preview: context.preview,
  });
  if (answer.changes !== "some") return { differences: "same", diffs: [] };
  const inputDiffs = answer.differences
    ? invertDifferences(answer.differences)
    : differences(oldInputs, withIgnoredChanges(inputs, oldInputs, ignoreChanges).inputs);
  return {
    differences: "update",
    diffs: describe(inputDiffs.length > 0 ? inputDiffs : differences(oldOutputs, outputs)),
  };
}

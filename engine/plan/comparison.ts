import { InvalidInputs } from "../errors";
import type { PropertyDiff } from "../events";
import { noDiff, type ProviderDiffResult, type ResourceProvider, someDiff } from "../providers/providers";
import type { PropertyMap, ResourceState } from "../state/resource-state";
import {
  changedKeys,
  contains,
  describe,
  differences,
  formatPath,
  resetPath,
  tolerantPath,
} from "../values/differences";
import { valuesEqual } from "../values/values";
import { type Context, report, reportError } from "./context";
import type { Goal } from "./goal";
import type { StateRef } from "./steps";

interface IgnoredResult {
  inputs: PropertyMap;
  /** Paths that run through elements which only one side has. */
  unmatchedPaths: string[];
}

/** The new inputs with every ignored path as it was in the old ones. */
export function withIgnoredChanges(
  inputs: PropertyMap,
  oldInputs: PropertyMap,
  ignoreChanges: readonly string[],
): IgnoredResult {
  return ignoreChanges.reduce<IgnoredResult>(
    ({ inputs: current, unmatchedPaths }, text) => {
      const { properties, fits } = resetPath(tolerantPath(text), oldInputs, current);
      return { inputs: properties, unmatchedPaths: fits ? unmatchedPaths : [...unmatchedPaths, text] };
    },
    { inputs, unmatchedPaths: [] },
  );
}

interface Sides {
  urn: string;
  id: string;
  oldInputs: PropertyMap;
  oldOutputs: PropertyMap;
  newInputs: PropertyMap;
  ignoreChanges: readonly string[];
  preview: boolean;
}

/** Asks the provider for the differences. If it does not know, compares the inputs structurally. */
export async function diffWithProvider(provider: ResourceProvider, sides: Sides): Promise<ProviderDiffResult> {
  const result = await provider.diff(sides);
  if (result.changes !== "unknown") return result;
  const { inputs } = withIgnoredChanges(sides.newInputs, sides.oldInputs, sides.ignoreChanges);
  const structuralDiffs = differences(sides.oldInputs, inputs);
  if (structuralDiffs.length === 0) return { ...result, changes: "none" };
  return { ...result, changes: "some", changed: changedKeys(structuralDiffs), differences: structuralDiffs };
}

/** `replaceOnChanges: ["#initerror"]` (or `*`) replaces a resource that did not become ready. */
const initErrorKey = "#initerror";

/** The keys whose change replaces the resource: the provider's, and those the program names. */
export function replacingKeys(
  result: ProviderDiffResult,
  replaceOnChanges: readonly string[],
  hasInitErrors: boolean,
): string[] {
  const paths = replaceOnChanges.map(tolerantPath);
  const named = (text: string) => paths.some((path) => contains(path, tolerantPath(text)));
  const initErrors = hasInitErrors && paths.some((path) => contains(path, [initErrorKey])) ? [initErrorKey] : [];
  if (result.changes !== "some") return initErrors;
  const keys = (result.differences ?? [])
    .filter(({ path }) => paths.some((outer) => contains(outer, path)))
    .map(({ path }) => formatPath(path));
  return [...new Set([...result.replaces, ...result.changed.filter(named), ...keys, ...initErrors])];
}

/** For the user: how the inputs differ. */
export function inputDiffs(old: ResourceState, inputs: PropertyMap, replacing: readonly string[] = []): PropertyDiff[] {
  return describe(differences(old.inputs ?? {}, inputs), replacing);
}

/** A goal being planned. */
export interface Plan {
  goal: Goal;
  urn: string;
  old: StateRef | undefined;
  /** The state to record; its inputs are the checked ones. */
  state: ResourceState;
  /** Undefined for components. */
  provider: ResourceProvider | undefined;
}

/** Whether the user or a taint in the state forces a replacement. */
export function mustReplace(context: Context, urn: string, old: StateRef): boolean {
  return old.state.taint === true || (context.replacements.constrained && context.replacements.includes(urn));
}

/** The basis of a decision: the inputs as the provider accepts them, and how they differ from the recorded ones. */
export interface CheckedDiff {
  inputs: PropertyMap;
  result: ProviderDiffResult;
}

/** Asks the provider about a plan. `recreating`: the old object is deleted ahead of the new one. */
export async function checkAndDiff(context: Context, plan: Plan, recreating: boolean): Promise<CheckedDiff> {
  const { goal, urn, old } = plan;
  if (old === undefined) return { inputs: await checkInputs(context, plan, {}, goal.properties), result: noDiff };
  const { inputs: oldInputs = {}, external } = old.state;
  const { inputs: desiredInputs, unmatchedPaths } = withIgnoredChanges(goal.properties, oldInputs, goal.ignoreChanges);
  if (unmatchedPaths.length > 0)
    report(
      context,
      "info",
      `ignoreChanges cannot ignore elements that were added or removed: ${unmatchedPaths.join(", ")}`,
      urn,
    );
  const foreign = recreating || external === true;
  // A replacement is checked as if there were no old object.
  const anew = foreign || mustReplace(context, urn, old);
  const inputs = await (anew && plan.provider
    ? checkInputs(context, plan, {}, goal.properties)
    : checkInputs(context, plan, oldInputs, desiredInputs));
  return { inputs, result: foreign ? noDiff : await diff(context, plan, old, inputs) };
}

/** The inputs as the provider accepts them; every rejection is reported. Those of a component stay as they are. */
export async function checkInputs(
  context: Context,
  { urn, provider }: Pick<Plan, "urn" | "provider">,
  olds: PropertyMap,
  news: PropertyMap,
): Promise<PropertyMap> {
  if (provider === undefined) return news;
  const { inputs, failures } = await provider.check({
    urn,
    preview: context.preview,
    olds,
    news,
    naming: context.namingOf(urn),
  });
  for (const { property, reason } of failures)
    reportError(context, property === "" ? reason : `${property}: ${reason}`, urn);
  if (failures.length > 0) throw new InvalidInputs(`${urn} has invalid inputs`);
  return inputs;
}

async function diff(
  context: Context,
  { goal, urn, provider, state }: Plan,
  old: StateRef,
  inputs: PropertyMap,
): Promise<ProviderDiffResult> {
  const { replaced } = context.decisions;
  if (mustReplace(context, urn, old)) return someDiff(["id"]);
  if (goal.deletedWith !== undefined && replaced.has(goal.deletedWith)) return someDiff(["deletedWith"]);
  // A component does not become a resource, nor the other way round.
  if ((old.state.provider === undefined) !== (state.provider === undefined)) return someDiff(["provider"]);
  const { inputs: oldInputs = {}, outputs: oldOutputs = {} } = old.state;
  if (provider === undefined) return valuesEqual(oldInputs, inputs) ? noDiff : someDiff();
  if (await context.providers.replaces(old.state.provider ?? "", state.provider ?? "")) return someDiff(["provider"]);
  const { ignoreChanges } = goal;
  return diffWithProvider(provider, {
    urn,
    id: old.state.id ?? "",
    oldInputs,
    oldOutputs,
    newInputs: inputs,
    ignoreChanges,
    preview: context.preview,
  });
}

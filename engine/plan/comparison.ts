import type { PropertyDiff } from "../events";
import type { ProviderDiffAnswer, ResourceProvider } from "../providers/provider";
import type { PropertyMap, ResourceState } from "../state/types";
import { changedKeys, describe, differences, tolerantPath } from "../values/differences";
import { contains, formatPath, resetPath } from "../values/paths";

interface Ignored {
  inputs: PropertyMap;
  /** Paths that run through elements which only one side has. */
  misfits: string[];
}

/** The new inputs with every ignored place as it was in the old ones. */
export function ignoring(inputs: PropertyMap, oldInputs: PropertyMap, ignoreChanges: readonly string[]): Ignored {
  return ignoreChanges.reduce<Ignored>(
    ({ inputs: current, misfits }, text) => {
      const { properties, fits } = resetPath(tolerantPath(text), oldInputs, current);
      return { inputs: properties, misfits: fits ? misfits : [...misfits, text] };
    },
    { inputs, misfits: [] },
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

/**
 * Asks the provider what differs; when it does not say, the inputs are compared
 * structurally and the differing keys filled in.
 */
export async function compare(provider: ResourceProvider, sides: Sides): Promise<ProviderDiffAnswer> {
  const answer = await provider.diff(sides);
  if (answer.changes !== "unknown") return answer;
  const { inputs } = ignoring(sides.newInputs, sides.oldInputs, sides.ignoreChanges);
  const found = differences(sides.oldInputs, inputs);
  if (found.length === 0) return { ...answer, changes: "none" };
  return { ...answer, changes: "some", changed: changedKeys(found), found };
}

/** `replaceOnChanges: ["#initerror"]` (or `*`) replaces a resource that did not become ready. */
const initErrorKey = "#initerror";

/** The keys whose change replaces the resource: the provider's, and those the program names. */
export function replacingKeys(
  answer: ProviderDiffAnswer,
  replaceOnChanges: readonly string[],
  hasInitErrors: boolean,
): string[] {
  const paths = replaceOnChanges.map(tolerantPath);
  const named = (text: string) => paths.some((path) => contains(path, tolerantPath(text)));
  const initErrors = hasInitErrors && paths.some((path) => contains(path, [initErrorKey])) ? [initErrorKey] : [];
  if (answer.changes !== "some") return initErrors;
  const found = (answer.found ?? [])
    .filter(({ path }) => paths.some((outer) => contains(outer, path)))
    .map(({ path }) => formatPath(path));
  return [...new Set([...answer.replaces, ...answer.changed.filter(named), ...found, ...initErrors])];
}

/** For the user: how the inputs differ. */
export function inputDiffs(old: ResourceState, inputs: PropertyMap, replacing: readonly string[] = []): PropertyDiff[] {
  return describe(differences(old.inputs ?? {}, inputs), replacing);
}

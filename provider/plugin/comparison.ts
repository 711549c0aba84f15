import { isDeepStrictEqual } from "node:util";
import type { FieldChange } from "../core/comparison/diff";
import type { ResourceSpec } from "../core/declaration/resource";
import { topLevel } from "../core/values/paths";
import type { Comparison, Values } from "../lifecycle/types";
import { stableNames } from "./preview";

/** One difference as a preview shows it. */
export interface ShownDifference {
  kind: "add" | "delete" | "update";
  replaces: boolean;
  /** It is one between inputs; otherwise the recorded object differs from what is declared. */
  inputDiff: boolean;
}

/** A comparison as an engine takes it. Every path of `shown` begins with one of `names`, and each of these has one. */
export interface DiffResult {
  changes: boolean;
  names: string[];
  replaces: string[];
  /** Outputs that stay as they are. */
  stables: readonly string[];
  deleteBeforeReplace: boolean;
  /** By property path. */
  shown: ReadonlyMap<string, ShownDifference>;
}

/**
 * The engine's own options, such as `ignoreChanges`, have gone into the inputs before they are compared: where these
 * are as they were, and nothing beneath them differs, nothing has changed.
 */
export function diffResult(
  spec: ResourceSpec,
  { changes, replaces, deleteBeforeReplace, found }: Comparison,
  oldInputs: Values | undefined,
  inputs: Values,
): DiffResult {
  const isSame = changes === undefined && oldInputs !== undefined && isDeepStrictEqual(oldInputs, inputs);
  if (changes === false || isSame)
    return {
      changes: false,
      names: [],
      replaces: [],
      stables: stableNames(spec),
      deleteBeforeReplace: false,
      shown: new Map(),
    };
  const shown = new Map(found.map((change) => [change.path, shownAs(change, replaces)]));
  const names = [...new Set(found.map(({ path }) => topLevel(path)))];
  const stables = replaces.length > 0 ? [] : stableNames(spec).filter((name) => !names.includes(name));
  return { changes: true, names, replaces, stables, deleteBeforeReplace, shown };
}

function shownAs(
  { desired, live, effect, property, beneathInputs }: FieldChange,
  replaces: readonly string[],
): ShownDifference {
  const isAbsent = (value: unknown): boolean => value === undefined || value === null;
  const onOneSide = isAbsent(live) ? "add" : "delete";
  const kind = isAbsent(live) === isAbsent(desired) ? "update" : onOneSide;
  return { kind, replaces: effect === "replace" && replaces.includes(property), inputDiff: beneathInputs !== true };
}

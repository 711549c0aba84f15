import { isDeepStrictEqual } from "node:util";
import type { ResourceSpec } from "../core/declaration/resource";
import { topLevel } from "../core/values/paths";
import type { Comparison } from "../lifecycle/types";
import { stableNames } from "./preview";
import { type ComparedValues, type ShownDifference, shownDifferences } from "./shown-difference";

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
  compared: ComparedValues,
): DiffResult {
  const { oldInputs, inputs } = compared;
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
  const shown = shownDifferences(spec, found, replaces, compared);
  const names = [...new Set(found.map(({ path }) => topLevel(path)))];
  const stables = replaces.length > 0 ? [] : stableNames(spec).filter((name) => !names.includes(name));
  return { changes: true, names, replaces, stables, deleteBeforeReplace, shown };
}

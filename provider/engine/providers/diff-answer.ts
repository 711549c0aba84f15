import type { Compared } from "../../protocol/provider-calls";
import { tolerantPath } from "../values/differences";
import type { ProviderDiffAnswer } from "./provider";

/** A provider's diff in the form that plans use. */
export function diffAnswerOf({
  changes,
  replaces,
  diffs,
  detailed,
  deleteBeforeReplace,
}: Compared): ProviderDiffAnswer {
  const replacing = [...detailed]
    .filter(([, difference]) => difference.replaces)
    .map(([path]) => String(tolerantPath(path)[0]));
  return {
    changes,
    replaces: [...new Set([...replaces, ...replacing])],
    changed: [...new Set([...diffs, ...detailed.keys()])],
    deleteBeforeReplace,
  };
}

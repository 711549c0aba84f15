import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import type { Compared } from "../../protocol/provider-calls";

/** What a provider's message says of differences. */
export function comparedIn(answer: DiffResponse): Compared {
  const { DIFF_NONE, DIFF_SOME } = DiffResponse.DiffChanges;
  const { ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE } = PropertyDiff.Kind;
  const detailed = new Map<string, { replaces: boolean }>();
  answer.getDetaileddiffMap().forEach((diff: PropertyDiff, path: string) => {
    const replaces = [ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE].some((kind) => kind === diff.getKind());
    detailed.set(path, { replaces });
  });
  const changes = answer.getChanges();
  return {
    changes: changes === DIFF_NONE ? "none" : changes === DIFF_SOME ? "some" : "unknown",
    replaces: answer.getReplacesList(),
    diffs: answer.getDiffsList(),
    detailed,
    deleteBeforeReplace: answer.getDeletebeforereplace(),
  };
}

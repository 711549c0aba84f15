import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { tolerantPath } from "../values/differences";
import type { DiffAnswer } from "./provider";

/** A provider's diff in the form that plans use. */
export function diffAnswerOf(answer: DiffResponse): DiffAnswer {
  const { DIFF_NONE, DIFF_SOME } = DiffResponse.DiffChanges;
  const { ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE } = PropertyDiff.Kind;
  const detailed = new Map<string, PropertyDiff>();
  answer.getDetaileddiffMap().forEach((diff, path: string) => detailed.set(path, diff));
  const replacing = [...detailed]
    .filter(([, diff]) => [ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE].some((kind) => kind === diff.getKind()))
    .map(([path]) => String(tolerantPath(path)[0]));
  const changes = answer.getChanges();
  return {
    changes: changes === DIFF_NONE ? "none" : changes === DIFF_SOME ? "some" : "unknown",
    replaces: [...new Set([...answer.getReplacesList(), ...replacing])],
    changed: [...new Set([...answer.getDiffsList(), ...detailed.keys()])],
    deleteBeforeReplace: answer.getDeletebeforereplace(),
  };
}

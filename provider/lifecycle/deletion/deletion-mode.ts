import { optionsIn } from "../../core/declaration/options";
import { recordsIn } from "../../core/declaration/own-records";
import type { ResourceSpec } from "../../core/declaration/resource";
import type { Values } from "../types";

/**
 * A chosen id must be free for a successor, so its object is removed for good; any other can be undeleted for a while
 * (A042).
 */
export function deletesHard(spec: ResourceSpec, recorded: Values): boolean {
  if (spec.deletion !== "soft") return false;
  if (optionsIn(recorded).deletionMode !== undefined) return optionsIn(recorded).deletionMode === "hard";
  const id = spec.fields.resourceId?.name ?? "";
  return (recordsIn(recorded).managedFields ?? []).includes(id);
}

/** What happens to the settings when their declaration is removed. */
export const removalOf = (recorded: Values): unknown => optionsIn(recorded).onDelete ?? "retain";
